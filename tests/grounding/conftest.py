"""The shipped NLI model, loaded once for all tests of this room."""

import pytest

from grounding.checker import Checker
from grounding.entailment import NliModel


@pytest.fixture(scope="session")
def nli() -> NliModel:
    model = NliModel()
    model.load()
    return model


@pytest.fixture(scope="session")
def checker(nli: NliModel) -> Checker:
    return Checker(nli)
