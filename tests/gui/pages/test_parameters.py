from PySide6.QtWidgets import QFormLayout, QLabel
from pytestqt.qtbot import QtBot

from gui.pages.chat.parameters import ParameterPanel


def test_every_parameter_is_explained_at_its_name_and_at_its_figure(qtbot: QtBot) -> None:
    panel = ParameterPanel()
    qtbot.addWidget(panel)
    for name, editor in panel._numbers().items():
        assert len(editor.toolTip()) > len(name) + 10, name
    labels = [
        form.labelForField(form.itemAt(row, QFormLayout.ItemRole.FieldRole).widget())
        for form in panel.findChildren(QFormLayout)
        for row in range(form.rowCount())
    ]
    assert len(labels) == len(panel._numbers())
    for label in labels:
        assert isinstance(label, QLabel)
        assert label.toolTip(), label.text()
    assert panel.system.toolTip() and panel.stop.toolTip()
