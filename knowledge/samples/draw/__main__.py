"""`python -m knowledge.samples.draw [FOLDER]`."""

from __future__ import annotations

import sys
from pathlib import Path

from knowledge.samples.draw import draw_all

for path in draw_all(*map(Path, sys.argv[1:2])):
    sys.stdout.write(f"{path}\n")
