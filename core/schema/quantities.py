"""Numbers as people type them: `32k`, `1.5G`, `0.9`."""

import math
import re
from fractions import Fraction

# vLLM's own convention: small letters count in thousands, capitals in 1,024s.
_FACTORS = {letter: 1000**power for power, letter in enumerate("kmgt", start=1)}
_FACTORS |= {letter: 1024**power for power, letter in enumerate("KMGT", start=1)}

_NUMBER = re.compile(r"([+-]?)(\d[\d_]*(?:\.\d+)?|\.\d+)\s*(?:([kKmMgGtT])(i?[bB])?)?")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:[,' ]\d{3})+")


def parse_whole(text: str) -> int:
    """A whole number; `32k` is 32,000, `32K` and `32KiB` are 32,768, `1.5G` is 1.5 times 1,024 cubed.

    Raises:
        ValueError: no number, no known suffix, or not whole; the message is for the person.
    """
    text = text.strip()
    match = _NUMBER.fullmatch(text)
    if match is None:
        if _GROUPED.fullmatch(text):
            raise ValueError(f"Write the number without separators: {re.sub(r'[^0-9+-]', '', text)}.")
        raise ValueError("Enter a whole number, such as 4096, 32k (thousands) or 32K (1,024s).")
    sign, digits, letter, unit = match.groups()
    if unit and not unit.startswith("i"):
        raise ValueError(f"Write {letter.lower()} for thousands or {letter.upper()} for 1,024s.")
    factor = _FACTORS[letter.upper() if unit else letter] if letter else 1
    number = Fraction(digits.replace("_", "")) * factor
    if number.denominator != 1:
        raise ValueError(f"{text} is not a whole number.")
    return -int(number) if sign == "-" else int(number)


def parse_real(text: str) -> float:
    """A finite number with a decimal point.

    Raises:
        ValueError: no number; the message is for the person.
    """
    text = text.strip()
    try:
        number = float(text)
    except ValueError:
        if re.fullmatch(r"[+-]?\d+,\d+", text):
            raise ValueError(f"Write a decimal point: {text.replace(',', '.')}.") from None
        raise ValueError("Enter a number, such as 0.9.") from None
    if not math.isfinite(number):
        raise ValueError("Enter a finite number.")
    return number
