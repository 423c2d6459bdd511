"""What a person picks or fills in, in the JSON that Slack sends for each kind of element."""

from collections.abc import Iterator
from typing import Any

from bot.workspace.errors import MisuseError

_SINGLE = {
    "users_select": "selected_user",
    "conversations_select": "selected_conversation",
    "channels_select": "selected_channel",
    "datepicker": "selected_date",
    "timepicker": "selected_time",
}
_TEXT = ("plain_text_input", "number_input", "email_text_input", "url_text_input")
_ONE_OPTION = ("static_select", "radio_buttons", "overflow", "external_select")
_MANY_OPTIONS = ("multi_static_select", "checkboxes")


def elements(blocks: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each interactive element with its block_id."""
    for block in blocks:
        inner = [block.get("accessory"), block.get("element"), *block.get("elements", ())]
        for element in inner:
            if isinstance(element, dict) and "action_id" in element:
                yield block.get("block_id", ""), element


def chosen(element: dict[str, Any], value: Any) -> dict[str, Any]:
    """The element's state after a person chose `value` (an option's value, a text, an id).

    Raises MisuseError for what the element does not offer.
    """
    kind = element["type"]
    if kind == "button":
        return {"text": element["text"]} | {k: element[k] for k in ("value", "url") if k in element}
    if kind == "icon_button":
        return {"value": element["value"]} if "value" in element else {}
    if kind == "feedback_buttons":
        return _feedback(element, value)
    if kind in _TEXT:
        return {"value": _typed(element, value)}
    if kind in _SINGLE:
        return {_SINGLE[kind]: value}
    if kind in _ONE_OPTION:
        return {"selected_option": None if value is None else _option(element, value)}
    if kind in _MANY_OPTIONS:
        return {"selected_options": [_option(element, one) for one in value or ()]}
    raise MisuseError(f"this server cannot act on a {kind}")


def initial(element: dict[str, Any]) -> dict[str, Any]:
    """The element's state before anybody touched it."""
    kind = element["type"]
    if kind in _TEXT:
        return {"value": element.get("initial_value") or None}
    if kind in _SINGLE:
        return {_SINGLE[kind]: element.get(_SINGLE[kind].replace("selected", "initial"))}
    if kind in _MANY_OPTIONS:
        return {"selected_options": element.get("initial_options", [])}
    if kind in _ONE_OPTION:
        return {"selected_option": element.get("initial_option")}
    return {}


def _feedback(element: dict[str, Any], value: Any) -> dict[str, Any]:
    for name in ("positive", "negative"):
        button = element[f"{name}_button"]
        if value in (name, button["value"]):
            return {"text": button["text"], "value": button["value"]}
    raise MisuseError(f"no such feedback button: {value}")


def _typed(element: dict[str, Any], value: Any) -> str | None:
    if value is None:
        return None
    length = len(str(value))
    if length < element.get("min_length", 0) or length > element.get("max_length", 3000):
        raise MisuseError(f"{length} characters do not fit the input {element['action_id']}")
    return str(value)


def _option(element: dict[str, Any], value: Any) -> dict[str, Any]:
    groups = element.get("option_groups", ())
    options = [*element.get("options", ()), *(o for g in groups for o in g["options"])]
    for option in options:
        if option["value"] == value:
            found: dict[str, Any] = option
            return found
    offered = ", ".join(o["value"] for o in options)
    raise MisuseError(f"{element['action_id']} does not offer {value!r}, only: {offered}")
