"""The sample company's policies, so that a first question works with nothing set up."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def samples_folder() -> Path:
    """The folder of the policies that ship with the package."""
    return Path(str(files("knowledge.samples")))
