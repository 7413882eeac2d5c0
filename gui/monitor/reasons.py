"""Why something is not shown, in words for the person."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from core.telemetry.source import DeviceInfo
from core.telemetry.store import ChannelKey

if TYPE_CHECKING:
    from core.telemetry.sampler import SourceStatus


def source_reason(status: "Sequence[SourceStatus]", source: str) -> str:
    """Why a source gives no samples; empty when it does, or when nobody knows it."""
    return next((state.message for state in status if state.name == source and not state.running), "")


def missing_reason(key: ChannelKey, status: "Sequence[SourceStatus]", devices: Sequence[DeviceInfo]) -> str:
    """Why a quantity has no value: the card's own word, else the source's, else a general one."""
    for device in devices:
        if device.index == key.device and key.quantity in device.problems:
            return _translate("{gpu}: {reason}").format(gpu=device.name, reason=device.problems[key.quantity])
    state = next((state for state in status if state.name == key.source), None)
    if state is not None and state.message:
        return state.message
    general = {
        "gpu": "This GPU or its driver does not report it.",
        "host": "This machine does not report it.",
        "engine": "The engine has not reported it yet.",
    }
    return _translate(general.get(key.source, "Not known."))


def _translate(text: str) -> str:
    return QCoreApplication.translate("monitor", text)
