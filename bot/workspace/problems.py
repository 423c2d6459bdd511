"""Collect what is wrong with JSON, in Slack's words: `PROBLEM [json-pointer:/blocks/0/text]`."""

from collections.abc import Set
from typing import Any


class Problems:
    """The checks that blocks and elements share. Lengths are in characters."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, problem: str, at: str) -> None:
        self.found.append(f"{problem} [json-pointer:{at}]")

    def fields(self, item: dict[str, Any], allowed: Set[str], at: str) -> None:
        for name in item:
            if name not in allowed:
                self.add(f"invalid additional property: {name}", at)

    def string(
        self,
        item: dict[str, Any],
        name: str,
        at: str,
        *,
        most: int,
        least: int = 1,
        optional: bool = False,
    ) -> None:
        value = item.get(name)
        if value is None and name not in item:
            if not optional:
                self.add(f"missing required field: {name}", at)
        elif not isinstance(value, str):
            self.add("must be a string", f"{at}/{name}")
        elif len(value) > most:
            self.add(f"must be less than {most + 1} characters", f"{at}/{name}")
        elif len(value) < least:
            self.add(f"must be more than {least - 1} characters", f"{at}/{name}")

    def items(
        self, item: dict[str, Any], name: str, at: str, *, most: int, optional: bool = False
    ) -> list[Any]:
        """The list under `name`; empty where it is missing or no list."""
        if name not in item:
            if not optional:
                self.add(f"missing required field: {name}", at)
            return []
        value = item[name]
        if not isinstance(value, list):
            self.add("must be an array", f"{at}/{name}")
            return []
        if len(value) > most:
            self.add(f"no more than {most} items allowed", f"{at}/{name}")
        if not value:
            self.add("no fewer than 1 items allowed", f"{at}/{name}")
        return value

    def text(
        self,
        item: dict[str, Any],
        name: str,
        at: str,
        *,
        most: int,
        plain: bool = False,
        optional: bool = False,
    ) -> None:
        """A text object under `name`."""
        if name not in item:
            if not optional:
                self.add(f"missing required field: {name}", at)
            return
        self.text_at(item[name], f"{at}/{name}", most=most, plain=plain)

    def text_at(self, value: Any, at: str, *, most: int, plain: bool = False) -> None:
        if not isinstance(value, dict):
            self.add("must be a text object", at)
            return
        kinds = ("plain_text",) if plain else ("plain_text", "mrkdwn")
        if value.get("type") not in kinds:
            self.add(f"must be {' or '.join(kinds)}", f"{at}/type")
            return
        extra = "emoji" if value["type"] == "plain_text" else "verbatim"
        self.fields(value, {"type", "text", extra}, at)
        self.string(value, "text", at, most=most)
