"""A small policies folder for the index tests."""

from __future__ import annotations

from pathlib import Path

from tests.knowledge.drawing import draw_policy

LEAVE = [
    "# 1. Annual leave",
    "1.1 An employee has 25 days of annual leave in each calendar year.",
    "1.2 Up to five days may be carried over and are used by 31 March.",
]
TRAVEL = [
    "# 1. Flights",
    "1.1 Flights of more than eight hours are booked in premium economy.",
    "1.2 A taxi is paid for between 22:00 and 06:00.",
]


def draw_shelf(folder: Path) -> Path:
    """Two policies of one page each, without a catalog."""
    draw_policy(folder / "leave.pdf", LEAVE, title="Annual leave policy")
    draw_policy(folder / "travel.pdf", TRAVEL, title="Travel policy")
    return folder


def write_catalog(folder: Path, *rows: tuple[str, str, str], zone: str = "Europe/London") -> None:
    """A catalog of (policy, file, further keys of the version, one a line)."""
    lines = [f"timezone: {zone}", "policies:"]
    policies = dict.fromkeys(policy for policy, _, _ in rows)
    for policy in policies:
        lines += [f"  - id: {policy}", f"    title: {policy.title()} policy", "    versions:"]
        for own, file, keys in rows:
            if own == policy:
                lines.append(f"      - file: {file}")
                lines += [f"        {key}" for key in keys.split("; ") if key]
    (folder / "catalog.yml").write_text("\n".join(lines) + "\n", encoding="utf-8")
