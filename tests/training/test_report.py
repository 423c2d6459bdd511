from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from grounding.training import pairs, report
from grounding.training.pairs import Passage, Row, Sentence, Text


@dataclass
class WordMatch:
    """Stands for the model: entailed is what the premise holds word for word."""

    config: Any = field(
        default_factory=lambda: SimpleNamespace(
            label2id={"entailment": 0, "neutral": 1, "contradiction": 2}
        )
    )

    def predict(self, read: list[tuple[str, str]], **options: object) -> np.ndarray[Any, Any]:
        return np.array(
            [[0.9, 0.1, 0.0] if claim in premise else [0.2, 0.8, 0.0] for premise, claim in read]
        )


ROWS = [
    Row("Staff get 25 days.", "Staff get 25 days.", True, "partial"),
    Row("Staff get 25 days.", "You get 25 days.", True, "paraphrase"),
    Row("Staff get 25 days.", "Staff get 28 days.", False, "number"),
]


def test_scores_are_read_by_the_label_s_name() -> None:
    assert report.score(WordMatch(), ROWS, report.Reads()).tolist() == [0.9, 0.2, 0.2]


def test_a_header_is_part_of_what_is_read() -> None:
    row = Row(
        "Staff get 25 days.", "Applies to: India.", True, "header", "Leave. Applies to: India."
    )
    assert report.score(WordMatch(), [row], report.Reads()).tolist() == [0.9]


def test_figures_count_flags_and_misses_by_kind() -> None:
    found = report.figures(ROWS, np.array([0.9, 0.2, 0.6]), threshold=0.5)
    assert (found.rows, found.false_flag, found.miss) == (3, 0.5, 1.0)
    assert found.balanced_accuracy == pytest.approx(0.25)
    assert found.auc == pytest.approx(0.5)
    assert found.miss_by_kind == {"number": (1, 1.0)}
    assert found.false_flag_by_kind == {"paraphrase": (1, 1.0), "partial": (1, 0.0)}


def test_the_threshold_parts_the_labels() -> None:
    scores = np.array([0.1, 0.2, 0.3, 0.7, 0.8, 0.9])
    supported = np.array([False, False, False, True, True, True])
    assert 0.3 < report.best_threshold(scores, supported) <= 0.7


def test_order_counts_sentences_whose_label_differs_between_texts() -> None:
    sentences = (Sentence("s0", "Staff get 25 days.", "partial"), Sentence("u0", "X.", "added"))
    own = Text("Staff get 25 days.", frozenset({"s0"}), frozenset())
    twin = Text("Staff get 28 days.", frozenset(), frozenset())
    passage = Passage("x", "leave", sentences, (own, twin))
    rows = pairs.rows([passage])
    right = report.score(WordMatch(), rows, report.Reads())
    assert report.order_right([passage], rows, right) == 1.0
    assert report.order_right([passage], rows, 1 - right) == 0.0


def test_words_that_give_labels_away_show_in_the_baseline() -> None:
    told = [Row("p", f"Rule {n} holds always.", False, "scope") for n in range(20)]
    told += [Row("p", f"Rule {n} holds here.", True, "partial") for n in range(20)]
    assert report.sentence_only_auc(told, told) == pytest.approx(1.0)
