"""What the listeners hand on to: the parts of a running bot, put together once."""

from __future__ import annotations

from dataclasses import dataclass

from slack_sdk import WebClient

from bot.answers import Answering
from bot.background import Background
from bot.cases import Cases
from bot.clients import passing_client
from bot.engine import Engine
from bot.keeper import Keeper
from bot.missed import Missed
from bot.people import People
from bot.replies import Relay
from bot.store import Case, Question, Reply, Sessions
from bot.worker import Pump

ANSWER_THREADS = 2
"""Answers worked on at once: each keeps one core busy while it searches and checks."""

BACKGROUND_THREADS = 4
"""Commands and clicks that wait for Slack or for an index; none of them is long but `reindex`."""


@dataclass(frozen=True, slots=True)
class Bot:
    """The parts of a running bot. `user` is the bot's own user id.

    `client` waits out rate limits; `passing` gives up at once, for what may be lost.
    """

    client: WebClient
    passing: WebClient
    user: str
    sessions: Sessions
    keeper: Keeper
    engine: Engine
    people: People
    cases: Cases
    missed: Missed
    questions: Pump
    waiting_cases: Pump
    replies: Pump
    background: Background

    @property
    def pumps(self) -> tuple[Pump, ...]:
        return (self.questions, self.waiting_cases, self.replies)


def build_bot(
    *, client: WebClient, user: str, sessions: Sessions, engine: Engine, owner: str
) -> Bot:
    """Put the parts together. `owner` names this process in the leases that it takes."""
    settings = engine.settings
    people = People(client, sessions, settings.country_field, settings.admins)
    keeper, passing = Keeper(sessions), passing_client(client)
    missed = Missed(sessions, client)
    cases = Cases(sessions, keeper, client, engine, people, missed, settings.hr_channel, owner)
    answering = Answering(sessions, client, passing, engine, people, cases)
    relay = Relay(sessions, client, people, missed.read_after_gap)
    return Bot(
        client=client,
        passing=passing,
        user=user,
        sessions=sessions,
        keeper=keeper,
        engine=engine,
        people=people,
        cases=cases,
        missed=missed,
        questions=Pump(
            sessions, keeper, Question, owner, answering.handle, answering.give_up, ANSWER_THREADS
        ),
        waiting_cases=Pump(sessions, keeper, Case, owner, cases.handle, cases.handle),
        replies=Pump(sessions, keeper, Reply, owner, relay.handle, relay.give_up),
        background=Background(BACKGROUND_THREADS),
    )
