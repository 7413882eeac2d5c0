"""How deep a JSON value may go: deeper ones are no setting of anything, and would end in a RecursionError somewhere."""

_LIMIT = 100


def nested_too_deeply(value: object) -> bool:
    """Whether lists and objects lie within each other more than a hundred times. Works for any depth."""
    layer = [value]
    for _ in range(_LIMIT + 1):
        layer = [inner for outer in layer for inner in _inside(outer)]
        if not layer:
            return False
    return True


def _inside(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
