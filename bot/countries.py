"""What happens when somebody says which country they work in."""

from __future__ import annotations

from bot import questions
from bot.context import Bot
from bot.questions import Asked
from bot.speaking import whisper
from bot.text import shorten
from knowledge.countries import country_name, parse_country
from knowledge.errors import UnknownCountry


def choose(bot: Bot, user: str, given: str) -> str:
    """Keep a country that somebody typed; what to tell them."""
    try:
        country = parse_country(given)
    except UnknownCountry:
        return (
            f"I don't know the country “{shorten(given, 60)}”. Use its name or its code of two "
            "letters, for instance `/policypal country IN`."
        )
    bot.people.choose_country(user, country)
    return f"Thank you. From now on I show you the policies for {country_name(country)}."


def chosen(bot: Bot, user: str) -> str:
    """Which country's policies somebody is shown; what to tell them."""
    country = bot.people.country(user)
    if country is None:
        return (
            "I don't know your country, so I show you the global policies. Set it with its name, "
            "for instance `/policypal country India`."
        )
    return f"I show you the policies for {country_name(country)}."


def choose_under_answer(
    bot: Bot, *, user: str, channel: str, thread_ts: str | None, value: str
) -> None:
    """Keep the country of a button's `value` ("7:IN"), and answer question 7 again for it.

    Only the asker's own click asks again: somebody else's sets their own country. A second click
    finds the question that the first one made.
    """
    number, _, given = value.partition(":")
    country = parse_country(given)
    bot.people.choose_country(user, country)
    question = questions.find(bot.sessions, int(number)) if number.isdecimal() else None
    # In a database that was made anew, the number may be that of another question, or of none.
    if question and (question.user, question.channel, question.thread_ts) == (
        user,
        channel,
        thread_ts,
    ):
        again = Asked(
            channel=channel,
            ts=f"{question.ts}/{country}",
            thread_ts=question.thread_ts,
            user=user,
            text=question.text,
            direct=question.direct,
        )
        if questions.receive(bot.sessions, again):
            bot.questions.wake()
        return
    told = f"From now on I show you the policies for {country_name(country)}."
    bot.background.submit(whisper, bot.passing, channel, user, told, thread_ts)
