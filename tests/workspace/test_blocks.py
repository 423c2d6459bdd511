"""What Block Kit refuses, and the largest that it takes."""

from typing import Any

import pytest

from bot.workspace.blocks import check_blocks, check_view, with_ids


def plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str) -> dict[str, Any]:
    return {"type": "mrkdwn", "text": text}


def section(text: str, **rest: Any) -> dict[str, Any]:
    return {"type": "section", "text": mrkdwn(text), **rest}


def button(text: str = "Page 3", **rest: Any) -> dict[str, Any]:
    return {"type": "button", "text": plain(text), "action_id": "open_source", **rest}


def actions(*elements: dict[str, Any]) -> dict[str, Any]:
    return {"type": "actions", "elements": list(elements)}


def feedback(**rest: Any) -> dict[str, Any]:
    buttons = {
        "type": "feedback_buttons",
        "action_id": "feedback",
        "positive_button": {"text": plain("Good"), "value": "good"},
        "negative_button": {"text": plain("Bad"), "value": "bad"},
    }
    return {"type": "context_actions", "elements": [buttons | rest]}


GOOD: dict[str, list[dict[str, Any]]] = {
    "fifty blocks": [{"type": "divider"}] * 50,
    "a section of 3000": [section("x" * 3000)],
    "a button text of 75": [actions(button("x" * 75))],
    "a url of 3000": [actions(button(url="https://a.b/".ljust(3000, "x")))],
    "ids of 255": [actions(button() | {"action_id": "x" * 255}) | {"block_id": "y" * 255}],
    "25 buttons": [actions(*(button() | {"action_id": f"b{n}"} for n in range(25)))],
    "10 context elements": [{"type": "context", "elements": [mrkdwn("x")] * 10}],
    "feedback": [feedback()],
    "a header of 150": [{"type": "header", "text": plain("x" * 150)}],
    "13,200 characters in all": [section("x" * 3000)] * 4 + [section("x" * 1200)],
    "markdown of 12,000": [{"type": "markdown", "text": "x" * 12_000}],
    "rich text": [
        {
            "type": "rich_text",
            "elements": [
                {"type": "rich_text_section", "elements": [{"type": "text", "text": "a"}]}
            ],
        }
    ],
}
BAD: dict[str, tuple[list[Any], str]] = {
    "51 blocks": ([{"type": "divider"}] * 51, "/blocks]"),
    "a section of 3001": ([section("x" * 3001)], "/blocks/0/text/text"),
    "an empty section": ([section("")], "/blocks/0/text/text"),
    "a section without text": ([{"type": "section"}], "/blocks/0]"),
    "11 fields": ([{"type": "section", "fields": [plain("x")] * 11}], "/blocks/0/fields"),
    "a field of 2001": ([{"type": "section", "fields": [plain("x" * 2001)]}], "/fields/0/text"),
    "a button text of 76": ([actions(button("x" * 76))], "/elements/0/text/text"),
    "a button text in mrkdwn": ([actions(button() | {"text": mrkdwn("x")})], "/text/type"),
    "a url of 3001": ([actions(button(url="https://a.b/".ljust(3001, "x")))], "/elements/0/url"),
    "a url that is none": ([actions(button(url="policies/1"))], "/elements/0/url"),
    "a value of 2001": ([actions(button(value="x" * 2001))], "/elements/0/value"),
    "an action_id of 256": ([actions(button() | {"action_id": "x" * 256})], "action_id"),
    "a block_id of 256": ([section("x", block_id="x" * 256)], "/blocks/0/block_id"),
    "a block_id twice": ([section("x", block_id="a"), section("y", block_id="a")], "duplicate"),
    "an action_id twice in a block": ([actions(button(), button())], "duplicate action_id"),
    "26 buttons": (
        [actions(*(button() | {"action_id": f"b{n}"} for n in range(26)))],
        "no more than 25",
    ),
    "no buttons": ([actions()], "/blocks/0/elements"),
    "11 context elements": ([{"type": "context", "elements": [mrkdwn("x")] * 11}], "/elements"),
    "a button in a context": ([{"type": "context", "elements": [button()]}], "/elements/0"),
    "a button in context_actions": (
        [{"type": "context_actions", "elements": [button()]}],
        "unsupported type: button",
    ),
    "feedback among actions": ([actions(*feedback()["elements"])], "unsupported type"),
    "an unknown block": ([{"type": "sektion"}], "unsupported type: sektion"),
    "an unknown element": ([actions({"type": "knob"})], "unsupported type: knob"),
    "an unknown field": ([section("x", colour="red")], "invalid additional property: colour"),
    "an unknown text field": ([{"type": "section", "text": mrkdwn("x") | {"size": 3}}], "size"),
    "a header in mrkdwn": ([{"type": "header", "text": mrkdwn("x")}], "/text/type"),
    "a header of 151": ([{"type": "header", "text": plain("x" * 151)}], "/text/text"),
    "a colour of button": ([actions(button(style="green"))], "/style"),
    "a block that is text": (["x"], "must be an object"),
    "markdown of 12,001 in two": (
        [{"type": "markdown", "text": "x" * 6000}, {"type": "markdown", "text": "x" * 6001}],
        "12000",
    ),
    "a feedback button without a value": (
        [feedback(positive_button={"text": plain("Good")})],
        "value",
    ),
    "an option of 76": (
        [
            actions(
                {
                    "type": "static_select",
                    "action_id": "country",
                    "options": [{"text": plain("x" * 76), "value": "GB"}],
                }
            )
        ],
        "/options/0/text/text",
    ),
}


@pytest.mark.parametrize("name", GOOD)
def test_slack_takes(name: str) -> None:
    checked = check_blocks(GOOD[name])
    assert (checked.problems, checked.too_long) == ([], False)


@pytest.mark.parametrize("name", BAD)
def test_slack_refuses(name: str) -> None:
    blocks, expected = BAD[name]
    problems = check_blocks(blocks).problems
    assert any(expected in problem for problem in problems), problems


def test_over_13200_characters_in_all_are_too_long() -> None:
    assert check_blocks([section("x" * 3000)] * 4 + [section("x" * 1201)]).too_long


def test_blocks_that_are_no_list_are_a_problem() -> None:
    assert check_blocks({"type": "section"}).problems


def test_slack_gives_ids_where_the_app_gave_none() -> None:
    block = actions({"type": "button", "text": plain("x")})
    given = with_ids([block, section("x", block_id="mine")])
    assert given[0]["block_id"]
    assert given[0]["elements"][0]["action_id"]
    assert given[1]["block_id"] == "mine"
    assert "block_id" not in block


def modal(**rest: Any) -> dict[str, Any]:
    entry = {
        "type": "input",
        "block_id": "answer",
        "label": plain("Answer"),
        "element": {"type": "plain_text_input", "action_id": "text"},
    }
    view = {"type": "modal", "title": plain("Answer"), "submit": plain("Send"), "blocks": [entry]}
    return view | rest


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ({"title": plain("x" * 25)}, "/view/title/text"),
        ({"submit": plain("x" * 25)}, "/view/submit/text"),
        ({"private_metadata": "x" * 3001}, "private_metadata"),
        ({"callback_id": "x" * 256}, "callback_id"),
        ({"blocks": [{"type": "divider"}] * 101}, "no more than 100"),
        ({"blocks": [feedback()]}, "unsupported type: context_actions"),
        ({"colour": "red"}, "colour"),
        ({"type": "home"}, "must be modal"),
    ],
)
def test_slack_refuses_a_view(rest: dict[str, Any], expected: str) -> None:
    assert any(expected in p for p in check_view(modal(**rest), "modal"))


def test_slack_takes_a_view_at_its_limits() -> None:
    view = modal(
        title=plain("x" * 24),
        private_metadata="x" * 3000,
        callback_id="x" * 255,
    )
    assert check_view(view, "modal") == []
    assert check_view({"type": "home", "blocks": [{"type": "divider"}] * 100}, "home") == []


def test_a_modal_with_an_input_needs_a_submit_button() -> None:
    view = modal()
    del view["submit"]
    assert any("submit" in p for p in check_view(view, "modal"))
