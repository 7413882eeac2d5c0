"""Telling others on the same thread that something changed."""

import pytest

from core.base.listeners import Listeners


def test_everybody_is_told_in_the_order_of_connecting():
    heard = []
    listeners = Listeners()
    listeners.connect(lambda value: heard.append(("first", value)))
    listeners.connect(lambda value: heard.append(("second", value)))
    listeners.emit(1)
    assert heard == [("first", 1), ("second", 1)]


def test_one_that_was_disconnected_hears_no_more():
    heard = []
    listeners = Listeners()
    listeners.connect(heard.append)
    listeners.disconnect(heard.append)
    listeners.emit(1)
    assert heard == []
    with pytest.raises(ValueError):
        listeners.disconnect(heard.append)


def test_one_may_leave_and_another_come_while_they_are_told():
    heard = []
    listeners = Listeners()

    def leave(value):
        heard.append(("leaving", value))
        listeners.disconnect(leave)
        listeners.connect(lambda later: heard.append(("new", later)))

    listeners.connect(leave)
    listeners.connect(lambda value: heard.append(("staying", value)))
    listeners.emit(1)
    listeners.emit(2)
    assert heard == [("leaving", 1), ("staying", 1), ("staying", 2), ("new", 2)]


def test_an_error_of_a_listener_reaches_the_one_who_told():
    listeners = Listeners()
    listeners.connect(lambda value: [][value])
    with pytest.raises(IndexError):
        listeners.emit(1)
