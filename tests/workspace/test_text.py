from typing import Any

import pytest

from bot.workspace.installation import Installation
from bot.workspace.state import Message, Workspace
from bot.workspace.text import inbound, notified, readable
from tests.workspace.fixtures import ASKER, GENERAL, HR_GROUP, people


@pytest.fixture
def workspace() -> Workspace:
    workspace = Workspace(Installation())
    people(workspace)
    return workspace


def message(text: str = "", blocks: list[dict[str, Any]] | None = None, **rest: Any) -> Message:
    return Message("C1", "1.000001", "U1", text, blocks=blocks or [], **rest)


@pytest.mark.parametrize(
    ("typed", "wire"),
    [
        ("is leave < 5 days & paid?", "is leave &lt; 5 days &amp; paid?"),
        (f"<@{ASKER}> & <#{GENERAL}>", f"<@{ASKER}> &amp; <#{GENERAL}>"),
        ("<@U0NOBODY> typed", "&lt;@U0NOBODY&gt; typed"),
        ("<!here> all", "<!here> all"),
        (f"<!subteam^{HR_GROUP}>", f"<!subteam^{HR_GROUP}>"),
        ("see https://a.b/?c=1&d=2 now", "see <https://a.b/?c=1&amp;d=2> now"),
        ("&lt; typed", "&amp;lt; typed"),
    ],
)
def test_typed_text_is_escaped_as_slack_does(workspace: Workspace, typed: str, wire: str) -> None:
    assert inbound(workspace, typed)[0] == wire


def test_the_block_holds_what_was_typed(workspace: Workspace) -> None:
    _, blocks = inbound(workspace, f"<@{ASKER}> 3 < 4")
    elements = blocks[0]["elements"][0]["elements"]
    assert elements == [{"type": "user", "user_id": ASKER}, {"type": "text", "text": " 3 < 4"}]


@pytest.mark.parametrize(
    ("posted", "broadcasts", "users"),
    [
        (message("<!channel> hello"), {"channel"}, set()),
        (message("ask <@U0ALICE|alice>"), set(), {"U0ALICE"}),
        (
            message("x", [{"type": "section", "text": {"type": "mrkdwn", "text": "<!here>"}}]),
            {"here"},
            set(),
        ),
        (
            message(
                "x",
                [
                    {
                        "type": "rich_text",
                        "elements": [
                            {
                                "type": "rich_text_section",
                                "elements": [{"type": "user", "user_id": "U1"}],
                            }
                        ],
                    }
                ],
            ),
            set(),
            {"U1"},
        ),
        (message(attachments=[{"text": "<!everyone>"}]), {"everyone"}, set()),
    ],
)
def test_mentions_are_found_wherever_they_are(
    posted: Message, broadcasts: set[str], users: set[str]
) -> None:
    found = notified(posted)
    assert ({*found.broadcasts}, {*found.users}) == (broadcasts, users)
    assert found


@pytest.mark.parametrize(
    "posted",
    [
        message("&lt;!channel&gt; and &lt;@U0ALICE&gt;"),
        message("x", [{"type": "header", "text": {"type": "plain_text", "text": "<!channel>"}}]),
    ],
)
def test_escaped_and_plain_texts_notify_nobody(posted: Message) -> None:
    assert not notified(posted)


def test_the_reader_sees_the_blocks_unescaped() -> None:
    posted = message(
        "fallback",
        [
            {"type": "header", "text": {"type": "plain_text", "text": "R&D"}},
            {"type": "section", "text": {"type": "mrkdwn", "text": "&lt;5 days &amp; more"}},
        ],
    )
    assert readable(posted) == "R&D\n<5 days & more"
    assert readable(message("a &lt; b")) == "a < b"
