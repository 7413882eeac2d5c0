"""JSON values compared and copied the way a command line sees them."""

from core.schema.model import Value


def copy_value(value: object) -> Value:
    """A copy that shares nothing that can be changed; tuples become lists.

    Raises:
        TypeError: something in it has no place in JSON (a set, a path, a key that is no text).
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [copy_value(item) for item in value]
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise TypeError("a JSON object has text as keys")
        return {key: copy_value(item) for key, item in value.items()}
    raise TypeError(f"not a JSON value: {type(value).__name__}")


def same_value(left: Value, right: Value) -> bool:
    """Whether two values mean the same to the engine, all the way down.

    Python holds True, 1 and 1.0 for equal, a command line does not. The order of keys does not matter. Not-a-number
    is the same as itself, so that setting it again is no edit.
    """
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same_value, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same_value(left[key], right[key]) for key in left)
    if type(left) is not type(right):
        return False
    return left == right or (left != left and right != right)  # noqa: PLR0124 - only not-a-number differs from itself
