"""A small bot in a process of its own: answers each mention once, by a look in the thread first."""

import os
import threading

from slack_bolt import App
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_sdk import WebClient

client = WebClient(token=os.environ["SLACK_BOT_TOKEN"], base_url=os.environ["SLACK_API_URL"])
app = App(client=client)


@app.event("app_mention")
def answer(event: dict[str, str]) -> None:
    channel, ts = event["channel"], event["ts"]
    thread = client.conversations_replies(channel=channel, ts=ts, include_all_metadata=True)
    if not any(m.get("metadata", {}).get("event_type") == "answer" for m in thread["messages"]):
        metadata = {"event_type": "answer", "event_payload": {"question": ts}}
        client.chat_postMessage(channel=channel, thread_ts=ts, text="25 days", metadata=metadata)


app.event("message")(lambda: None)

SocketModeHandler(app, os.environ["SLACK_APP_TOKEN"]).connect()  # type: ignore[no-untyped-call]
threading.Event().wait()
