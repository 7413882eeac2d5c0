"""Values and annotations as JSON; part of the probe (see `probe_vllm.py`)."""

import argparse
import dataclasses
import enum
import importlib
import inspect
import os
import re
import sys
import types
import typing


def as_json(value):
    """`(True, JSON value)`, or `(False, None)` for an object that JSON cannot tell."""
    if isinstance(value, enum.Enum):
        return as_json(enum_word(value))
    if value is None or isinstance(value, (bool, int, float, str)):
        return True, value
    if isinstance(value, os.PathLike):
        return True, os.fspath(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        items = [as_json(item) for item in (sorted(value, key=str) if isinstance(value, (set, frozenset)) else value)]
        return all(good for good, _ in items), [item for _, item in items]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        items = {key: as_json(item) for key, item in value.items()}
        return all(good for good, _ in items.values()), {key: item for key, (_, item) in items.items()}
    return False, None


def enum_word(member):
    """What a person writes for an enum's member: its value, or its name where the value is an object or a path."""
    value = member.value
    plain = isinstance(value, (int, str)) and not isinstance(value, bool) and re.fullmatch(r"[\w-]+", str(value))
    return value if plain else member.name


def default_facts(value):
    """A default, told apart: none, value, computed, suppressed."""
    if isinstance(value, str) and value == argparse.SUPPRESS:
        return {"state": "suppressed"}
    if value is None:
        return {"state": "none"}
    good, plain = as_json(value)
    if good:
        return {"state": "value", "value": plain}
    if dataclasses.is_dataclass(value):
        return {"state": "computed", "text": f"{type(value).__name__} with the defaults of its fields"}
    return {"state": "computed", "text": re.sub(r" at 0x[0-9a-f]+", "", repr(value))[:200]}


def annotation_tree(annotation, depth, skip):
    """An annotation as nested JSON: `{"is": word, ...}`. `skip` names classes that have arguments of their own."""
    if hasattr(annotation, "__value__"):
        return annotation_tree(annotation.__value__, depth, skip)
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return {"is": "other", "name": str(args[0])} if reshaped(args[1:]) else annotation_tree(args[0], depth, skip)
    if origin in (typing.Union, types.UnionType):
        return {"is": "union", "of": [annotation_tree(arg, depth, skip) for arg in args]}
    if origin is typing.Literal:
        return {"is": "literal", "values": list(args)}
    name = getattr(origin or annotation, "__name__", "")
    if name.lower() in ("list", "tuple", "set", "frozenset", "dict", "sequence", "mapping"):
        word = {"sequence": "list", "mapping": "dict"}.get(name.lower(), name.lower())
        return {"is": word, "of": [annotation_tree(arg, depth, skip) for arg in args if arg is not Ellipsis]}
    if annotation in (None, type(None)):
        return {"is": "none"}
    return (
        class_tree(annotation, depth, skip)
        if isinstance(annotation, type)
        else {"is": "other", "name": str(annotation)}
    )


def reshaped(extras):
    """Whether a validator comes before the type's own check, so that values of other types are welcome too."""
    names = ("BeforeValidator", "PlainValidator", "WrapValidator", "GetPydanticSchema")
    return any(type(extra).__name__ in names for extra in extras)


def class_tree(cls, depth, skip):
    """The same for an annotation that is a class."""
    if cls in (bool, int, float, str):
        return {"is": cls.__name__}
    if issubclass(cls, enum.Enum):
        return {"is": "enum", "name": cls.__name__, "values": [enum_word(member) for member in cls]}
    if issubclass(cls, os.PathLike):
        return {"is": "path"}
    name = f"{cls.__module__}.{cls.__qualname__}"
    if not (dataclasses.is_dataclass(cls) or hasattr(cls, "model_fields")):
        return {"is": "dict" if issubclass(cls, dict) else "other", "name": name, "of": []}
    followed = depth > 0 and cls.__name__ not in skip
    return {
        "is": "class",
        "name": name,
        "help": inspect.cleandoc(cls.__doc__ or ""),
        "fields": class_facts(cls, depth - 1, skip) if followed else [],
    }


def class_facts(cls, depth, skip):
    """The fields of a dataclass or pydantic model that a person may give."""
    try:
        hints = typing.get_type_hints(cls, include_extras=True)
    except Exception:
        hints = {}
    docs, loose = attribute_docs(cls), loose_fields(cls)
    found = []
    for name, default, written in fields_of(cls):
        annotation = hints.get(name, written)
        found.append(
            {
                "name": name,
                "type": annotation_text(annotation),
                "tree": annotation_tree(annotation, depth, skip),
                "default": default,
                "help": docs.get(name, ""),
                "loose": name in loose,
            }
        )
    return found


def loose_fields(cls):
    """Names of fields for which the class turns other types into its own before it checks them."""
    decorators = getattr(cls, "__pydantic_decorators__", None)
    found = set()
    for decorator in getattr(decorators, "field_validators", {}).values():
        if decorator.info.mode in ("before", "plain", "wrap"):
            found.update(decorator.info.fields)
    return found


def fields_of(cls):
    """`(name, default facts, annotation)` of each field that the constructor takes."""
    if dataclasses.is_dataclass(cls):
        for field in dataclasses.fields(cls):
            default, factory = field.default, field.default_factory
            # pydantic's Field() hides the real default, its factory and whether the constructor takes the field.
            if type(default).__name__ == "FieldInfo":
                if default.init is False:
                    continue
                default, factory = default.default, default.default_factory or dataclasses.MISSING
            if field.init and not field.name.startswith("_"):
                yield field.name, field_default(default, factory), field.type
        return
    for name, info in cls.model_fields.items():
        yield name, field_default(info.default, info.default_factory or dataclasses.MISSING), info.annotation


def field_default(default, factory):
    if factory is not dataclasses.MISSING:
        try:
            default = factory()
        except Exception as error:
            return {"state": "computed", "text": f"{type(error).__name__}: {error}"[:200]}
    if default is dataclasses.MISSING or type(default).__name__ == "PydanticUndefinedType":
        return {"state": "none", "required": True}
    return default_facts(default)


def annotation_text(annotation):
    """An annotation as a person would write it."""
    plain = isinstance(annotation, type) and not typing.get_args(annotation)
    text = annotation.__name__ if plain else str(annotation)
    text = re.sub(r"SkipValidation\[(.*)\]", r"\1", text)
    text = re.sub(r"Literal\[[^\[\]]{60,}\]", "Literal[...]", text)
    text = re.sub(r"Annotated\[(.*?), .*\]$", r"\1", text)
    return re.sub(r"\b(?:[a-z_]\w*\.)+(?=[A-Za-z_])", "", text.replace("NoneType", "None"))


def attribute_docs(cls):
    """The texts under a class's attributes and those of its bases; vLLM reads them with the same function."""
    reader = docs_reader()
    found = {}
    if reader is not None:
        # Up to 0.28 the function looks at one class only; the server's arguments are spread over two.
        for base in reversed(cls.__mro__[:-1]):
            try:
                found.update({name: text for name, text in reader(base).items() if text})
            except Exception as error:
                print(f"no texts of {base.__name__}: {error}", file=sys.stderr)
    return found


def docs_reader():
    """vLLM's `get_attr_docs`, from wherever this version keeps it; None when it has none."""
    for name in ("vllm.config.utils", "vllm.config"):
        try:
            return importlib.import_module(name).get_attr_docs
        except (ImportError, AttributeError):
            continue
    return None


def filled(cell):
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False
