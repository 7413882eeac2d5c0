"""Addresses judged without asking a name server."""

import ipaddress


def is_loopback(host: str) -> bool:
    """Whether a server bound to this host can be reached from this machine alone.

    Names other than `localhost` and those below it count as reachable from outside, as do an empty text and anything
    that is no address: whoever asks wants to know whether a key may be left out, so doubt says no.
    """
    name = host.strip().removeprefix("[").removesuffix("]")
    label = name.rstrip(".").lower()
    if label == "localhost" or label.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)
