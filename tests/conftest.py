"""What every test needs: no network, no proxy, few threads."""

import os

for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
    os.environ.pop(name, None)
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("OMP_NUM_THREADS", "1")

from tests.workspace.fixtures import slack_server  # noqa: E402

__all__ = ["slack_server"]
