"""Which hosts are reachable from this machine alone."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.network import is_loopback


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.255.255.254",
        "::1",
        "[::1]",
        "0:0:0:0:0:0:0:1",
        "::1%lo",
        "::ffff:127.0.0.1",
        "localhost",
        "LocalHost",
        "localhost.",
        "dyno.localhost",
        " 127.0.0.1 ",
    ],
)
def test_loopback(host):
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        " ",
        "0.0.0.0",
        "::",
        "[::]",
        "::ffff:0.0.0.0",
        "192.168.1.2",
        "fe80::1%eth0",
        "localhost.example.org",
        "notlocalhost",
        "127.0.0.1.example.org",
        "127.0.0.1:8000",
        "2130706433",
        "*",
        "my-machine",
    ],
)
def test_reachable_from_outside_or_unknown(host):
    assert not is_loopback(host)


@given(st.ip_addresses())
def test_every_address_is_judged_as_the_standard_library_does(address):
    mapped = getattr(address, "ipv4_mapped", None)
    assert is_loopback(str(address)) == (mapped or address).is_loopback


@given(st.ip_addresses(v=4, network="127.0.0.0/8"))
def test_the_whole_loopback_network_counts(address):
    assert is_loopback(str(address))
    assert is_loopback(str(ipaddress.IPv6Address(f"::ffff:{address}")))


@given(st.text())
def test_any_text_gets_an_answer(text):
    assert is_loopback(text) in (True, False)
