"""Legal values for every kind, as a person would enter them."""

import json

from core.schema.kinds import Spec, format_text
from core.schema.model import Field, Kind, Value

_BY_KIND = {Kind.INT: "7", Kind.SIZE: "32k", Kind.FLOAT: "0.5", Kind.PATH: "/models/chat", Kind.RAW: "raw"}


def legal_text(spec: Spec) -> str:
    """A text that fits, different from the default where there is a choice."""
    if spec.kind is Kind.JSON:
        return json.dumps(legal_object(spec))
    if spec.kind is Kind.MAPPING:
        return "key=value"
    if spec.kind is Kind.LIST:
        return _item(spec)
    if spec.choices:
        return format_text(spec, spec.choices[-1])
    if spec.suggestions:
        return spec.suggestions[-1]
    return _BY_KIND.get(spec.kind, "some text")


def legal_object(spec: Spec) -> dict[str, Value]:
    """An object with one field set, where the fields are known."""
    for field in spec.fields:
        if field.kind is not Kind.JSON:
            return {field.name: legal_value(field)}
    return {"key": 1}


def legal_value(field: Field) -> Value:
    """A value for a field, as JSON holds it."""
    if field.choices:
        return field.choices[-1]
    if field.kind is Kind.LIST:
        return [1] if field.item in (Kind.INT, Kind.SIZE) else ["some text"]
    return {Kind.SWITCH: True, Kind.FLAG: True, Kind.INT: 7, Kind.SIZE: 7, Kind.FLOAT: 0.5}.get(field.kind, "some text")


def _item(spec: Spec) -> str:
    if spec.choices:
        return format_text(spec, [spec.choices[0]])
    return {Kind.INT: "1,2", Kind.SIZE: "1,2", Kind.FLOAT: "0.5,1.5", Kind.JSON: "name=/folder"}.get(
        spec.item, "one,two"
    )
