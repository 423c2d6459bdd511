"""Any JSON at all is checked without an exception."""

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.workspace.blocks import characters, check_blocks, check_view, with_ids
from bot.workspace.elements import FIELDS

NAMES = sorted(
    {"type", "text", "elements", "element", "accessory", "block_id", "action_id", "confirm"}
    | {name for fields in FIELDS.values() for name in fields.split()}
    | {"fields", "rows", "label", "hint"}
)
TYPES = sorted(
    {"section", "actions", "context", "context_actions", "input", "rich_text", "table", "markdown"}
    | {"header", "image", "divider", "plain_text", "mrkdwn", "rich_text_section", "raw_text"}
    | set(FIELDS)
)
LEAVES = st.none() | st.booleans() | st.integers() | st.sampled_from(TYPES) | st.text(max_size=5)
JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
        | st.builds(
            lambda kind, rest: rest | {"type": kind},
            st.sampled_from(TYPES),
            st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
        )
    ),
    max_leaves=12,
)


@given(st.lists(JSON, max_size=3) | JSON)
@settings(max_examples=150, deadline=None)
def test_anything_can_be_checked(blocks: Any) -> None:
    checked = check_blocks(blocks)
    assert all(re.search(r"\[json-pointer:/blocks.*\]$", p) for p in checked.problems)
    assert characters(blocks) >= 0
    if not checked.problems:
        assert not check_blocks(with_ids(blocks)).problems


@given(JSON)
@settings(max_examples=50, deadline=None)
def test_any_view_can_be_checked(view: Any) -> None:
    assert isinstance(check_view(view, "modal"), list)


@st.composite
def elements(draw: st.DrawFn) -> dict[str, Any]:
    """An element of a known kind with any JSON in its own fields."""
    kind = draw(st.sampled_from(sorted(FIELDS)))
    fields = st.sampled_from([*FIELDS[kind].split(), "action_id", "confirm"])
    return draw(st.dictionaries(fields, JSON, max_size=5)) | {"type": kind}


@given(elements())
@settings(max_examples=150, deadline=None)
def test_any_element_can_be_checked(element: dict[str, Any]) -> None:
    homes = [
        {"type": "actions", "elements": [element]},
        {"type": "context_actions", "elements": [element]},
        {"type": "section", "accessory": element},
        {"type": "input", "element": element},
    ]
    assert isinstance(check_blocks(homes).problems, list)
