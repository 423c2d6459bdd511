"""What can go wrong between a question and a checked answer.

PolicyPalError
└── GroundingError
    ├── ModelUnavailable     the answer model cannot be reached or refuses
    └── CheckerUnavailable   the NLI model cannot be loaded or cannot be trusted
"""

from __future__ import annotations

from knowledge.errors import PolicyPalError


class GroundingError(PolicyPalError):
    """Root of the errors about drafting and checking."""


class ModelUnavailable(GroundingError):
    """The answer model gave no draft after its retries. The question goes to HR."""


class CheckerUnavailable(GroundingError):
    """No NLI model that can be trusted. Nothing may be posted unchecked: questions go to HR."""
