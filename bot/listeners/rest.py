"""Whatever nobody else listens to: acked, or Slack would deliver it again and again."""

from __future__ import annotations

import re

from slack_bolt import Ack, App

ANYTHING = re.compile(".*", re.DOTALL)


def register(app: App) -> None:
    def on_event() -> None:
        pass

    def on_interaction(ack: Ack) -> None:
        ack()

    app.event(ANYTHING)(on_event)
    for surface in (app.action, app.command, app.view, app.shortcut, app.options):
        surface(ANYTHING)(on_interaction)
