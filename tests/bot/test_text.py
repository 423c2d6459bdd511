from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.text import escape, mentions, plain, relayed, shorten, shorten_escaped, unescape


@given(st.text())
def test_escaping_is_undone_by_unescaping(text: str) -> None:
    assert unescape(escape(text)) == text


@given(st.text())
def test_nothing_that_slack_obeys_is_left_after_escaping(text: str) -> None:
    escaped = escape(text)
    assert "<" not in escaped
    assert ">" not in escaped


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("is leave &lt; 5 days &amp; paid?", "is leave < 5 days & paid?"),
        ("&amp;lt; stays as typed", "&lt; stays as typed"),
        ("<@U0ABC> how much leave?", "how much leave?"),
        ("ask <@U0ABC|anna> about it", "ask about it"),
        ("see <#C0ABC|travel> and <#C0ABC>", "see #travel and"),
        ("<!channel> <!here|@here> hi", "@here hi"),
        ("<!subteam^S012|@hr> hi", "@hr hi"),
        ("from <!date^1392734382^{date}|18 February>", "from 18 February"),
        ("<https://x.example/a?b=1&amp;c=2|this page> &amp; more", "this page & more"),
        ("<https://x.example/>", "https://x.example/"),
        ("one\n  two\t three ", "one\ntwo three"),
        ("", ""),
    ],
)
def test_what_somebody_wrote_becomes_plain_text(raw: str, expected: str) -> None:
    assert plain(raw) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("ask <@U0ABC> &amp; me", "ask @anna <x> & me"),
        ("<https://x.example/a|this page>", "this page (https://x.example/a)"),
        ("<https://x.example/a|x.example/a>", "x.example/a"),
        ("<mailto:hr@x.example|hr@x.example>", "hr@x.example"),
        ("<https://x.example/>", "https://x.example/"),
        (
            "ask in <#C0ABC> or <#C0ABD|>, not <#C0ABE|travel>",
            "ask in <#C0ABC> or <#C0ABD>, not #travel",
        ),
        ("<!subteam^S012> or <!subteam^S013|@hr> knows", "@(a user group) or @hr knows"),
    ],
)
def test_a_relayed_text_keeps_names_and_addresses(raw: str, expected: str) -> None:
    assert relayed(raw, lambda user: "anna <x>") == expected


def test_markup_that_never_ends_is_read_at_once() -> None:
    started = time.monotonic()
    assert plain("<!date" + "^" * 2_000) == "<!date" + "^" * 2_000
    assert time.monotonic() - started < 1


def test_only_the_bots_own_mention_counts() -> None:
    assert mentions("hi <@U0BOT|bot>", "U0BOT")
    assert not mentions("hi <@U0BOTTOM> &lt;@U0BOT>", "U0BOT")


@given(st.text(), st.integers(min_value=1, max_value=60))
def test_a_shortened_text_fits(text: str, limit: int) -> None:
    assert len(shorten(text, limit)) <= limit


@given(st.text(alphabet="ab &<>\n"), st.integers(min_value=1, max_value=60))
def test_an_escaped_text_fits_and_no_entity_is_cut(text: str, limit: int) -> None:
    short = shorten_escaped(text, limit)
    assert len(short) <= limit
    assert escape(unescape(short)) == short
    assert text.startswith(unescape(short).removesuffix("…"))
