"""What can go wrong with policies. Each message is one line: what is wrong, where, what to do.

PolicyPalError
├── KnowledgeError
│   ├── CatalogError        catalog.yml says something that cannot be used
│   ├── PdfError            one file cannot be read; the others can
│   ├── UnknownCountry      not an ISO 3166 country
│   └── IndexUnavailable    no index, or one that cannot be opened; build it again
│       └── IndexBusy       another build is running
└── (grounding.errors and bot.errors add theirs)
"""

from __future__ import annotations


class PolicyPalError(Exception):
    """Root of the project's errors; `str(error)` is fit to show to an operator."""


class KnowledgeError(PolicyPalError):
    """Root of the errors about policies and their index."""


class CatalogError(KnowledgeError):
    """A row of `catalog.yml` cannot be used.

    `line` is 1-based, None where the file as a whole is at fault.
    """

    def __init__(self, file: str, line: int | None, problem: str) -> None:
        where = file if line is None else f"{file}, line {line}"
        super().__init__(f"{where}: {problem}")
        self.file, self.line, self.problem = file, line, problem


class PdfError(KnowledgeError):
    """A PDF cannot be read. `problem` says why and what to do, without the file's name."""

    def __init__(self, file: str, problem: str) -> None:
        super().__init__(f"{file}: {problem}")
        self.file, self.problem = file, problem


class UnknownCountry(KnowledgeError):
    """Not a country by ISO 3166 code or name."""

    def __init__(self, given: str) -> None:
        super().__init__(
            f"unknown country {given!r}: use an ISO 3166 code of two letters, such as IN, GB or DE"
        )
        self.given = given


class IndexUnavailable(KnowledgeError):
    """There is no index to read, or it cannot be opened. Run `policypal index` again."""


class IndexBusy(IndexUnavailable):
    """Another build of the index is running; wait for it and try again."""
