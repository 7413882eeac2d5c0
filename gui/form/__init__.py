"""The settings panel: editors generated from the schema. It knows kinds of values and no argument by name."""

from gui.form.view import FormView

__all__ = ["FormView"]
