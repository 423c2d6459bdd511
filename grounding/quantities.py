"""Quantities of a claim that its source does not hold."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def missing_quantities(claim: str, source_text: str) -> list[str]:
    """Human words of each quantity of `claim` that does not follow from `source_text`."""
    held = set(_NUMBER.findall(source_text))
    return [number for number in _NUMBER.findall(claim) if number not in held]
