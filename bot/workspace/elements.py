"""Block elements and rich text as Slack checks them (see `blocks`)."""

from collections.abc import Set
from typing import Any

from bot.workspace.problems import Problems

# Fields of each element beside type, action_id, confirm and focus_on_load.
FIELDS = {
    "button": "text url value style accessibility_label agent_prompt agent_prompt_display "
    "visible_to_user_ids",
    "feedback_buttons": "positive_button negative_button",
    "icon_button": "icon text accessibility_label value visible_to_user_ids",
    "static_select": "placeholder options option_groups initial_option",
    "multi_static_select": "placeholder options option_groups initial_options max_selected_items",
    "external_select": "placeholder min_query_length initial_option",
    "users_select": "placeholder initial_user",
    "multi_users_select": "placeholder initial_users max_selected_items",
    "conversations_select": "placeholder initial_conversation response_url_enabled filter "
    "default_to_current_conversation",
    "channels_select": "placeholder initial_channel response_url_enabled",
    "overflow": "options",
    "datepicker": "placeholder initial_date",
    "timepicker": "placeholder initial_time timezone",
    "checkboxes": "options initial_options",
    "radio_buttons": "options initial_option",
    "plain_text_input": "placeholder initial_value multiline min_length max_length "
    "dispatch_action_config",
    "number_input": "placeholder initial_value is_decimal_allowed min_value max_value "
    "dispatch_action_config",
    "email_text_input": "placeholder initial_value dispatch_action_config",
    "url_text_input": "placeholder initial_value dispatch_action_config",
    "file_input": "filetypes max_files",
    "image": "image_url alt_text slack_file",
}
ACCESSORIES = set(FIELDS) - {
    "feedback_buttons",
    "icon_button",
    "plain_text_input",
    "number_input",
    "email_text_input",
    "url_text_input",
    "file_input",
}
OPTIONS = {
    "static_select": 100,
    "multi_static_select": 100,
    "overflow": 5,
    "checkboxes": 10,
    "radio_buttons": 10,
}
RICH_TEXT = {
    "rich_text_section": "elements",
    "rich_text_list": "elements style indent offset border",
    "rich_text_preformatted": "elements border language",
    "rich_text_quote": "elements border",
    "text": "text style",
    "link": "url text style unsafe",
    "user": "user_id style",
    "usergroup": "usergroup_id style",
    "channel": "channel_id style",
    "broadcast": "range style",
    "emoji": "name skin_tone unicode style",
    "date": "timestamp format url fallback style",
    "team": "team_id style",
    "color": "value style",
    "citation": "url text index details from_llm",
}


def check_accessory(element: Any, problems: Problems, at: str) -> None:
    check_element(element, problems, at, ACCESSORIES)


def check_element(element: Any, problems: Problems, at: str, allowed: Set[str]) -> None:
    """Check an interactive element or an image."""
    if not isinstance(element, dict):
        problems.add("must be an object", at)
        return
    kind = element.get("type")
    if not isinstance(kind, str) or kind not in allowed:
        problems.add(f"unsupported type: {kind}", f"{at}/type")
        return
    shared = set() if kind == "image" else {"action_id", "confirm", "focus_on_load"}
    problems.fields(element, set(FIELDS[kind].split()) | shared | {"type"}, at)
    problems.string(element, "action_id", at, most=255, optional=True)
    problems.text(element, "placeholder", at, most=150, plain=True, optional=True)
    if kind == "button":
        _button(element, problems, at)
    elif kind == "feedback_buttons":
        _feedback(element, problems, at)
    elif kind == "icon_button":
        problems.text(element, "text", at, most=75, plain=True)
        problems.string(element, "value", at, most=2000, optional=True)
        problems.string(element, "icon", at, most=75)
    elif kind == "image":
        problems.string(element, "image_url", at, most=3000)
        problems.string(element, "alt_text", at, most=2000)
    elif kind == "plain_text_input":
        _limits(element, problems, at)
    elif kind in OPTIONS:
        _options(element, problems, at, most=OPTIONS[kind])
    if "confirm" in element:
        _confirm(element["confirm"], problems, f"{at}/confirm")


def check_rich_text(element: Any, problems: Problems, at: str) -> None:
    """Check one rich text element and those within it."""
    if not isinstance(element, dict):
        problems.add("must be an object", at)
        return
    kind = element.get("type")
    if not isinstance(kind, str) or kind not in RICH_TEXT:
        problems.add(f"unsupported type: {kind}", f"{at}/type")
        return
    problems.fields(element, set(RICH_TEXT[kind].split()) | {"type"}, at)
    if kind == "text":
        problems.string(element, "text", at, most=100_000)
    if kind == "link":
        problems.string(element, "url", at, most=3000)
    for number, inner in enumerate(element.get("elements") or ()):
        check_rich_text(inner, problems, f"{at}/elements/{number}")


def _button(element: dict[str, Any], problems: Problems, at: str) -> None:
    problems.text(element, "text", at, most=75, plain=True)
    problems.string(element, "url", at, most=3000, optional=True)
    problems.string(element, "value", at, most=2000, optional=True)
    problems.string(element, "accessibility_label", at, most=75, optional=True)
    problems.string(element, "agent_prompt", at, most=4000, optional=True)
    if element.get("style", "primary") not in ("primary", "danger"):
        problems.add("must be primary or danger", f"{at}/style")
    url = element.get("url")
    if isinstance(url, str) and not url.startswith(("http://", "https://", "slack://", "mailto:")):
        problems.add("invalid url", f"{at}/url")


def _feedback(element: dict[str, Any], problems: Problems, at: str) -> None:
    for name in ("positive_button", "negative_button"):
        button = element.get(name)
        where = f"{at}/{name}"
        if not isinstance(button, dict):
            problems.add(f"missing required field: {name}", at)
            continue
        problems.fields(button, {"text", "value", "accessibility_label"}, where)
        problems.text(button, "text", where, most=75, plain=True)
        problems.string(button, "value", where, most=2000)
        problems.string(button, "accessibility_label", where, most=75, optional=True)


def _limits(element: dict[str, Any], problems: Problems, at: str) -> None:
    least, most = element.get("min_length", 0), element.get("max_length", 3000)
    whole = isinstance(least, int) and isinstance(most, int)
    if not whole or not (0 <= least <= most and 1 <= most <= 3000):
        problems.add("min_length and max_length must lie in 0 to 3000", at)
        return
    problems.string(element, "initial_value", at, most=most, least=0, optional=True)


def _options(element: dict[str, Any], problems: Problems, at: str, *, most: int) -> None:
    if "option_groups" in element:
        groups = problems.items(element, "option_groups", at, most=100)
        options = []
        for number, group in enumerate(groups):
            where = f"{at}/option_groups/{number}"
            if not isinstance(group, dict):
                problems.add("must be an object", where)
                continue
            problems.text(group, "label", where, most=75, plain=True)
            options += _option_list(group, problems, where, most=most)
    else:
        options = _option_list(element, problems, at, most=most)
    several = element.get("initial_options")
    initial = several if isinstance(several, list) else [element.get("initial_option")]
    if any(chosen is not None and chosen not in options for chosen in initial):
        problems.add("initial option is not among the options", at)


def _option_list(item: dict[str, Any], problems: Problems, at: str, *, most: int) -> list[Any]:
    options = problems.items(item, "options", at, most=most)
    for number, option in enumerate(options):
        where = f"{at}/options/{number}"
        if not isinstance(option, dict):
            problems.add("must be an object", where)
            continue
        problems.fields(option, {"text", "value", "description", "url"}, where)
        problems.text(option, "text", where, most=75)
        problems.string(option, "value", where, most=150)
        problems.text(option, "description", where, most=75, optional=True)
    return options


def _confirm(confirm: Any, problems: Problems, at: str) -> None:
    if not isinstance(confirm, dict):
        problems.add("must be an object", at)
        return
    problems.fields(confirm, {"title", "text", "confirm", "deny", "style"}, at)
    problems.text(confirm, "title", at, most=100, plain=True)
    problems.text(confirm, "text", at, most=300)
    problems.text(confirm, "confirm", at, most=30, plain=True)
    problems.text(confirm, "deny", at, most=30, plain=True)
