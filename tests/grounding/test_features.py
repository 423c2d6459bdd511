"""The comparisons of words, and the guards that decide by themselves."""

import numpy as np
import pytest

from grounding.actors import other_actor
from grounding.features import FEATURES, by_name, compare
from grounding.generality import overgeneral
from grounding.polarity import turned_round
from grounding.scope import other_country
from grounding.training.weights import fit
from grounding.weighing import Weights

RULE = "Employees may work from home two days a week with the approval of the line manager."


@pytest.mark.parametrize(
    ("claim", "feature"),
    [
        ("You may work from home with the approval of the HR director.", "actors_not_in_source"),
        ("You may work from home with the approval of the HR director.", "other_last_actor"),
        ("You must work from home with the approval of the line manager.", "must_for_may"),
        ("You may not work from home.", "negation_added"),
        ("You may always work from home.", "more_general"),
        ("Only employees may work from home.", "only_added"),
        ("You may work from home with written approval.", "formality_added"),
        ("You may work from home in Lisbon.", "names_not_in_source"),
        ("You may work from home on a tropical island.", "ending_not_in_window"),
    ],
)
def test_what_speaks_against_a_claim_is_counted(claim: str, feature: str) -> None:
    assert by_name(compare(claim, RULE, RULE))[feature] > 0


def test_nothing_speaks_against_the_rule_itself() -> None:
    assert set(by_name(compare(RULE, RULE, RULE)).values()) == {0.0}


def test_the_score_falls_with_each_feature_and_rises_with_entailment() -> None:
    weights = Weights(0.5, 0.1, dict.fromkeys(FEATURES, -0.3))
    same, other = compare(RULE, RULE, RULE), compare("HR must always pay.", RULE, RULE)
    assert weights.score(0.9, same) > weights.score(0.9, other)
    assert weights.score(0.9, same) > weights.score(0.2, same)
    assert 0 < weights.score(0.0, other) < weights.score(1.0, same) < 1


def test_a_general_claim_on_a_limited_rule() -> None:
    rule = "Economy class is booked for flights of up to eight hours."
    assert overgeneral("Economy class is standard for all flights.", rule, rule) == "all"
    assert overgeneral("Economy class is standard for flights up to 8 hours.", rule, rule) is None
    free = "Economy class is booked for all flights of up to eight hours."
    assert overgeneral("Economy class is standard for all flights.", free, free) is None


def test_a_rule_turned_round_needs_the_same_words() -> None:
    assert turned_round("Alcohol is reimbursed.", "Alcohol is not reimbursed.") == "the opposite"
    assert turned_round("Alcohol is not paid.", "Alcohol is not reimbursed.") is None
    assert turned_round("Gifts are reimbursed.", "Alcohol is not reimbursed.") is None
    assert turned_round("Visitors must wear a badge.", "Visitors may wear a badge.")
    assert turned_round("Visitors may wear a badge.", "Visitors may wear a badge.") is None


def test_another_actor_needs_the_same_rule() -> None:
    source = "Leave is approved by the line manager. The HR director signs contracts."
    assert other_actor("Leave is approved by Finance.", source)
    assert not other_actor("Leave is approved by your line manager.", source)
    assert not other_actor("Contracts are signed by the HR director.", source)
    assert not other_actor("Parking is free.", "")


def test_a_country_matters_only_where_the_source_is_for_some() -> None:
    assert other_country("In Germany you get 30 days.", "You get 30 days.", ("IN",)) == "Germany"
    assert other_country("In India you get 30 days.", "You get 30 days.", ("IN",)) is None
    assert other_country("In Germany you get 30 days.", "You get 30 days.", ()) is None
    assert other_country("In Germany too.", "Staff in Germany have 30 days.", ("IN",)) is None


def test_a_fit_finds_the_weights_and_keeps_to_their_bounds() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(size=(4000, 2))
    labels = rng.random(4000) < 1 / (1 + np.exp(-(0.2 - 1.5 * values[:, 0] + 0.8 * values[:, 1])))
    free = fit(values, labels, [None, None])
    assert free[1:] == pytest.approx([-1.5, 0.8], abs=0.15)
    bound = fit(values, labels, [0.0, 0.0])
    assert bound[1] < -1
    assert bound[2] == 0
