"""Which versions hold for a reader on a day."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from knowledge.catalog import Version
from knowledge.sources import GLOBAL

CHANGE_OVER = timedelta(days=30)
"""So long before a version starts, it is shown beside the one that it follows."""


@dataclass(frozen=True, slots=True)
class Applicable:
    """A policy's versions for one reader: those of the reader's country, and the global ones.

    Each holds the version in force, if any, and the one that follows it within CHANGE_OVER. `own`
    stands above `common`; its version in force replaces `common` where both speak of the same.
    """

    policy: str
    own: tuple[Version, ...]
    common: tuple[Version, ...]


def applicable(versions: Iterable[Version], day: date, country: str | None) -> Iterator[Applicable]:
    """The versions that hold for a reader in `country` (ISO code; None where unknown) on `day`."""
    policies: dict[str, list[Version]] = {}
    for version in versions:
        policies.setdefault(version.policy, []).append(version)
    for policy, candidates in policies.items():
        own = [v for v in candidates if country is not None and country in v.scope]
        common = [v for v in candidates if v.scope == GLOBAL]
        in_force = [v for v in (*own, *common) if v.in_force(day)]
        if in_force:
            yield Applicable(policy, _now_and_next(own, day), _now_and_next(common, day))


def countries_with_own(versions: Iterable[Version], day: date) -> dict[str, set[str]]:
    """For each policy the countries that have a version of their own in force on `day`."""
    countries: dict[str, set[str]] = {}
    for version in versions:
        if version.scope != GLOBAL and version.in_force(day):
            countries.setdefault(version.policy, set()).update(version.scope)
    return countries


def _now_and_next(versions: list[Version], day: date) -> tuple[Version, ...]:
    # Where a catalog leaves the end of an older version open, the newer one has replaced it.
    in_force = sorted((v for v in versions if v.in_force(day)), key=_precedence)[-1:]
    coming = sorted(
        (
            v
            for v in versions
            if v.effective_from is not None and day < v.effective_from <= day + CHANGE_OVER
        ),
        key=_precedence,
    )[:1]
    return (*in_force, *coming)


def _precedence(version: Version) -> tuple[date, int]:
    return (version.effective_from or date.min, -len(version.scope))
