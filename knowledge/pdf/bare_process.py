"""Processes that start from nothing: they import no part of the program that starts them."""

from __future__ import annotations

import sys
from multiprocessing.context import SpawnContext, SpawnProcess
from threading import Lock
from types import ModuleType
from typing import Any

_STARTING = Lock()


class _BareProcess(SpawnProcess):
    """A spawned process that does not run the parent's main module again.

    Python would import that module in the child: a whole bot for one PDF, and a script that has no
    guard around its last lines would run twice.
    """

    @staticmethod
    def _Popen(process_obj: Any) -> Any:
        with _STARTING:
            main = sys.modules["__main__"]
            sys.modules["__main__"] = ModuleType("__main__")
            try:
                return SpawnProcess._Popen(process_obj)
            finally:
                sys.modules["__main__"] = main


class BareContext(SpawnContext):
    """A multiprocessing context of such processes."""

    Process = _BareProcess
