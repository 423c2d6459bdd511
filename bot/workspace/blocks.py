"""Block Kit as Slack checks it: what is wrong with a message's or a view's blocks.

Limits are those of Slack's reference pages (docs.slack.dev/reference/block-kit); where those are
silent, the constants of slack_sdk 3.48. A type or field that is not listed here is refused, also
the few of Slack's that no bot of ours uses (video, call, card, carousel).
"""

import copy
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from bot.workspace.elements import check_accessory, check_element, check_rich_text
from bot.workspace.problems import Problems

Surface = Literal["message", "modal", "home"]

MOST_BLOCKS = {"message": 50, "modal": 100, "home": 100}
# Measured by others (slackapi/bolt-js issue 2509): about 13,200 characters over all blocks.
MOST_CHARACTERS = 13_200
MOST_MARKDOWN = 12_000
TEXT_KEYS = ("text", "alt_text", "title", "value", "url", "image_url", "fallback")


@dataclass(slots=True)
class BlockCheck:
    """`problems` are Slack's `errors`; `too_long` means `msg_blocks_too_long`."""

    problems: list[str] = field(default_factory=list)
    too_long: bool = False


def check_blocks(blocks: Any, surface: Surface = "message", at: str = "/blocks") -> BlockCheck:
    """Check a list of blocks; nothing is raised."""
    problems = Problems()
    if not isinstance(blocks, list):
        problems.add("must be an array", at)
        return BlockCheck(problems.found)
    if len(blocks) > MOST_BLOCKS[surface]:
        problems.add(f"no more than {MOST_BLOCKS[surface]} items allowed", at)
    seen: set[str] = set()
    for number, block in enumerate(blocks):
        where = f"{at}/{number}"
        if not isinstance(block, dict):
            problems.add("must be an object", where)
            continue
        _check_block(block, surface, problems, where)
        block_id = block.get("block_id")
        if isinstance(block_id, str) and block_id in seen:
            problems.add(f"duplicate block_id: {block_id}", f"{where}/block_id")
        seen.add(str(block_id))
    markdown = [b["text"] for b in blocks if _is(b, "markdown") and isinstance(b.get("text"), str)]
    if sum(map(len, markdown)) > MOST_MARKDOWN:
        problems.add(f"no more than {MOST_MARKDOWN} characters in markdown blocks", at)
    too_long = surface == "message" and characters(blocks) > MOST_CHARACTERS
    return BlockCheck(problems.found, too_long)


def characters(blocks: Any) -> int:
    """Characters of all texts, labels, values and URLs in the blocks."""
    if isinstance(blocks, list):
        return sum(characters(item) for item in blocks)
    if isinstance(blocks, dict):
        return sum(
            len(value) if isinstance(value, str) and key in TEXT_KEYS else characters(value)
            for key, value in blocks.items()
        )
    return 0


def check_view(view: Any, kind: Literal["modal", "home"]) -> list[str]:
    """What is wrong with a view for `views.open` and its like."""
    problems = Problems()
    if not isinstance(view, dict):
        problems.add("must be an object", "/view")
        return problems.found
    allowed = {"type", "blocks", "private_metadata", "callback_id", "external_id"}
    if kind == "modal":
        allowed |= {"title", "submit", "close", "clear_on_close", "notify_on_close"}
        allowed |= {"submit_disabled"}
    problems.fields(view, allowed, "/view")
    if view.get("type") != kind:
        problems.add(f"must be {kind}", "/view/type")
    if kind == "modal":
        problems.text(view, "title", "/view", most=24, plain=True)
        problems.text(view, "submit", "/view", most=24, plain=True, optional=True)
        problems.text(view, "close", "/view", most=24, plain=True, optional=True)
    problems.string(view, "private_metadata", "/view", most=3000, least=0, optional=True)
    problems.string(view, "callback_id", "/view", most=255, least=0, optional=True)
    problems.string(view, "external_id", "/view", most=255, least=0, optional=True)
    problems.found += check_blocks(view.get("blocks"), kind, "/view/blocks").problems
    has_input = any(_is(block, "input") for block in view.get("blocks") or ())
    if kind == "modal" and has_input and not view.get("submit"):
        problems.add("missing required field: submit", "/view")
    return problems.found


def with_ids(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A copy with the block_id and action_id that Slack gives where the app gave none."""
    given = copy.deepcopy(blocks)
    for block in given:
        block.setdefault("block_id", secrets.token_urlsafe(4))
        elements = block.get("elements", []) if block["type"] in WITH_ACTIONS else []
        for element in [*elements, block.get("accessory"), block.get("element")]:
            if isinstance(element, dict) and element.get("type") != "image":
                element.setdefault("action_id", secrets.token_urlsafe(4))
    return given


def _is(block: Any, kind: str) -> bool:
    return isinstance(block, dict) and block.get("type") == kind


def _check_block(block: dict[str, Any], surface: Surface, problems: Problems, at: str) -> None:
    kind = block.get("type")
    known = _BLOCKS.get(str(kind))
    if known is None or surface not in known.surfaces:
        problems.add(f"unsupported type: {kind}", f"{at}/type")
        return
    problems.fields(block, known.fields | {"type", "block_id"}, at)
    problems.string(block, "block_id", at, most=255, optional=True)
    known.check(block, problems, at)


def _section(block: dict[str, Any], problems: Problems, at: str) -> None:
    if "text" not in block and "fields" not in block:
        problems.add("missing required field: text or fields", at)
    problems.text(block, "text", at, most=3000, optional=True)
    fields = problems.items(block, "fields", at, most=10, optional=True)
    for number in range(len(fields)):
        problems.text_at(fields[number], f"{at}/fields/{number}", most=2000)
    if "accessory" in block:
        check_accessory(block["accessory"], problems, f"{at}/accessory")


def _header(block: dict[str, Any], problems: Problems, at: str) -> None:
    problems.text(block, "text", at, most=150, plain=True)


def _divider(block: dict[str, Any], problems: Problems, at: str) -> None:
    pass


def _context(block: dict[str, Any], problems: Problems, at: str) -> None:
    for number, element in enumerate(problems.items(block, "elements", at, most=10)):
        where = f"{at}/elements/{number}"
        if isinstance(element, dict) and element.get("type") == "image":
            check_element(element, problems, where, {"image"})
        else:
            problems.text_at(element, where, most=3000)


def _actions(block: dict[str, Any], problems: Problems, at: str) -> None:
    allowed = {
        "button",
        "static_select",
        "external_select",
        "users_select",
        "conversations_select",
        "channels_select",
        "overflow",
        "datepicker",
        "timepicker",
        "checkboxes",
        "radio_buttons",
    }
    _elements(block, problems, at, most=25, allowed=allowed)


def _context_actions(block: dict[str, Any], problems: Problems, at: str) -> None:
    _elements(block, problems, at, most=5, allowed={"feedback_buttons", "icon_button"})


def _elements(
    block: dict[str, Any], problems: Problems, at: str, *, most: int, allowed: set[str]
) -> None:
    seen: set[str] = set()
    for number, element in enumerate(problems.items(block, "elements", at, most=most)):
        where = f"{at}/elements/{number}"
        check_element(element, problems, where, allowed)
        action_id = element.get("action_id") if isinstance(element, dict) else None
        if not isinstance(action_id, str):
            continue
        if action_id in seen:
            problems.add(f"duplicate action_id: {action_id}", f"{where}/action_id")
        seen.add(action_id)


def _image(block: dict[str, Any], problems: Problems, at: str) -> None:
    problems.string(block, "image_url", at, most=3000)
    problems.string(block, "alt_text", at, most=2000)
    problems.text(block, "title", at, most=2000, plain=True, optional=True)


def _input(block: dict[str, Any], problems: Problems, at: str) -> None:
    problems.text(block, "label", at, most=2000, plain=True)
    problems.text(block, "hint", at, most=2000, plain=True, optional=True)
    allowed = {
        "plain_text_input",
        "static_select",
        "multi_static_select",
        "external_select",
        "users_select",
        "multi_users_select",
        "conversations_select",
        "channels_select",
        "datepicker",
        "timepicker",
        "checkboxes",
        "radio_buttons",
        "file_input",
        "number_input",
        "email_text_input",
        "url_text_input",
    }
    check_element(block.get("element"), problems, f"{at}/element", allowed)


def _markdown(block: dict[str, Any], problems: Problems, at: str) -> None:
    problems.string(block, "text", at, most=MOST_MARKDOWN)


def _rich_text(block: dict[str, Any], problems: Problems, at: str) -> None:
    for number, element in enumerate(problems.items(block, "elements", at, most=1000)):
        check_rich_text(element, problems, f"{at}/elements/{number}")


def _table(block: dict[str, Any], problems: Problems, at: str) -> None:
    problems.items(block, "column_settings", at, most=20, optional=True)
    for number, row in enumerate(problems.items(block, "rows", at, most=100)):
        where = f"{at}/rows/{number}"
        if not isinstance(row, list) or not 1 <= len(row) <= 20:
            problems.add("must have between 1 and 20 cells", where)
            continue
        for column, cell in enumerate(row):
            if not isinstance(cell, dict) or cell.get("type") not in CELLS:
                problems.add("unsupported cell", f"{where}/{column}")


def _file(block: dict[str, Any], problems: Problems, at: str) -> None:
    problems.string(block, "external_id", at, most=255)
    if block.get("source") != "remote":
        problems.add("must be remote", f"{at}/source")


@dataclass(frozen=True, slots=True)
class _Block:
    check: Callable[[dict[str, Any], Problems, str], None]
    fields: frozenset[str]
    surfaces: tuple[Surface, ...] = ("message", "modal", "home")


def _block(
    check: Callable[[dict[str, Any], Problems, str], None],
    fields: str,
    surfaces: tuple[Surface, ...] = ("message", "modal", "home"),
) -> _Block:
    return _Block(check, frozenset(fields.split()), surfaces)


WITH_ACTIONS = ("actions", "context_actions")
CELLS = ("raw_text", "raw_number", "rich_text")
_BLOCKS = {
    "section": _block(_section, "text fields accessory expand"),
    "header": _block(_header, "text"),
    "divider": _block(_divider, ""),
    "context": _block(_context, "elements"),
    "actions": _block(_actions, "elements"),
    "context_actions": _block(_context_actions, "elements", ("message",)),
    "image": _block(_image, "image_url alt_text title"),
    "input": _block(_input, "label element hint optional dispatch_action"),
    "markdown": _block(_markdown, "text", ("message",)),
    "rich_text": _block(_rich_text, "elements"),
    "table": _block(_table, "rows column_settings", ("message",)),
    "file": _block(_file, "external_id source", ("message",)),
}
