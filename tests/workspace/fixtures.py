"""A running local Slack with a few people in it, for any test of the bot."""

from collections.abc import Iterator

import pytest

from bot.workspace.server import SlackServer
from bot.workspace.state import Workspace

ASKER, HR, ADMIN, OTHER = "U0ASKER", "U0HANNA", "U0ADMIN", "U0OTHER"
GENERAL, HR_CHANNEL, PRIVATE, NOT_JOINED = "C0GENERAL", "C0HR", "G0PRIVATE", "C0ELSEWHERE"
HR_GROUP = "S0HRTEAM"
COUNTRY_FIELD = "Xf0COUNTRY"


def people(workspace: Workspace) -> None:
    """The sample company: an asker in India, HR, an admin; the bot is in all channels but one."""
    bot = workspace.app.bot_user
    workspace.profile_fields[COUNTRY_FIELD] = "Country"
    workspace.add_user(ASKER, "asha", fields={COUNTRY_FIELD: "India"})
    workspace.add_user(HR, "hanna", title="HR partner")
    workspace.add_user(ADMIN, "amir", is_admin=True)
    workspace.add_user(OTHER, "otto")
    workspace.add_group(HR_GROUP, "hr-team", [HR])
    workspace.add_channel(GENERAL, "general", [ASKER, HR, ADMIN, OTHER, bot])
    workspace.add_channel(HR_CHANNEL, "hr-cases", [HR, ADMIN, bot], kind="private")
    workspace.add_channel(PRIVATE, "leads", [ADMIN, bot], kind="private")
    workspace.add_channel(NOT_JOINED, "elsewhere", [ASKER])


@pytest.fixture
def slack_server() -> Iterator[SlackServer]:
    """Retries come quickly here (0.2 s, 0.5 s, 1 s, 2 s); everything else is as on Slack.

    Pings come quickly as well: slack_sdk's socket closes only when something arrives.
    """
    server = SlackServer(ping_seconds=0.1)
    server.courier.retry_delays = (0.2, 0.5, 1.0, 2.0)
    people(server.workspace)
    with server:
        yield server
