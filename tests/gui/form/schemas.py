"""Small schemas for what the recorded engines do not have."""

from core.schema.model import Argument, ArgumentSchema, Default, DefaultState, Field, Group, Kind


def one(argument: Argument) -> ArgumentSchema:
    """A schema of one argument."""
    return ArgumentSchema(groups=(Group(argument.group),), arguments=(argument,))


MAPPING = one(Argument("pairs", ("--pairs",), group="Tests", kind=Kind.MAPPING, help="Pairs."))
UNHEARD_OF = one(Argument("odd", ("--odd",), group="Tests", kind=Kind.RAW, type="Something", help="Odd."))
NESTED = one(
    Argument(
        "outer",
        ("--outer",),
        group="Tests",
        kind=Kind.JSON,
        help="An object in an object.",
        fields=(
            Field("plain", Kind.INT, help="A number."),
            Field(
                "inner",
                Kind.JSON,
                help="An object.",
                fields=(
                    Field("deep", Kind.CHOICE, choices=("a", "b"), default=Default(DefaultState.VALUE, "a")),
                    Field("flag", Kind.SWITCH, default=Default(DefaultState.VALUE, True)),
                ),
            ),
        ),
    )
)
LONG_TEXTS = one(
    Argument(
        "a_name_that_is_much_longer_than_any_sensible_name_of_an_argument_has_a_right_to_be_in_a_narrow_window",
        ("--a-name-that-is-much-longer-than-any-sensible-name-of-an-argument-has-a-right-to-be-in-a-narrow-window",),
        group="Tests",
        kind=Kind.TEXT,
        default=Default(DefaultState.VALUE, "a default that goes on and on " * 8),
        help="Averylongwordwithoutaspace" * 12 + "\n\nMore.",
    )
)
