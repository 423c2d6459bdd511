from slack_bolt import App

from bot.workspace.server import SlackServer
from tests.workspace.bolt import client_of, connected
from tests.workspace.fixtures import ASKER, GENERAL


def test_bolt_hears_a_mention_and_answers_in_its_thread(slack_server: SlackServer) -> None:
    app = App(client=client_of(slack_server))
    app.event("app_mention")(lambda event, say: say("Here I am", thread_ts=event["ts"]))
    with connected(slack_server, app):
        question = slack_server.post_as(ASKER, GENERAL, f"<@{slack_server.app.bot_user}> hello?")
        reply = slack_server.wait_for(lambda: slack_server.bot_replies(question))[0]
        assert (reply.text, reply.thread_ts) == ("Here I am", question.ts)
