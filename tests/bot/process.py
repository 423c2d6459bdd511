"""`policypal serve` as a process of its own, on an index of three sample policies."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from bot.workspace.server import SlackServer
from tests.workspace.fixtures import COUNTRY_FIELD, HR_CHANNEL

RUN = "from bot.cli import main; main()"
START_S = 90.0
"""Loading torch and the models takes 6 s on a free core, several times that on a busy one."""


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


@dataclass
class Served:
    """One bot that can be started, killed and started again; `data` outlives it."""

    server: SlackServer
    data: Path
    env: dict[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0

    @property
    def log(self) -> str:
        return (self.data / "serve.log").read_text(encoding="utf-8")

    def start(self) -> None:
        """Returns once it is ready for questions."""
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("POLICYPAL_", "SLACK_", "OPENAI_"))
        } | {
            "SLACK_BOT_TOKEN": self.server.app.bot_token,
            "SLACK_APP_TOKEN": self.server.app.app_token,
            "SLACK_API_URL": self.server.api_url,
            "POLICYPAL_HR_CHANNEL": HR_CHANNEL,
            "POLICYPAL_COUNTRY_FIELD": COUNTRY_FIELD,
        }
        arguments = ["serve", "--data", str(self.data), "--port", str(self.port)]
        self.started_at = time.monotonic()
        with (self.data / "serve.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", RUN, *arguments],
                env={name: value for name, value in (environment | self.env).items() if value},
                stderr=log,
                stdout=log,
                cwd=self.data,
            )
        self._wait_until_ready()

    def kill(self) -> None:
        """SIGKILL, and wait for the end."""
        assert self.process
        self.process.kill()
        self.process.wait(10)

    def terminate(self, within: float = 20.0) -> int:
        """SIGTERM; the exit code. Raises subprocess.TimeoutExpired."""
        assert self.process
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(within)

    def outcome(self, ts: str) -> str | None:
        """What the bot keeps about the question with that ts."""
        with sqlite3.connect(self.data / "policypal.db", timeout=10) as database:
            row = database.execute("SELECT outcome FROM question WHERE ts = ?", (ts,)).fetchone()
        return row[0] if row else None

    def _wait_until_ready(self) -> None:
        assert self.process
        until = time.monotonic() + START_S
        while time.monotonic() < until:
            if self.process.poll() is not None:
                raise AssertionError(f"it ended with {self.process.returncode}:\n{self.log}")
            try:
                if httpx.get(f"http://127.0.0.1:{self.port}/readyz", timeout=5).is_success:
                    return
            except httpx.HTTPError:
                pass
            time.sleep(0.1)
        raise AssertionError(f"it is not ready after {START_S} s:\n{self.log}")
