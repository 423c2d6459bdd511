from __future__ import annotations

import stat
import threading
from datetime import date
from pathlib import Path

import pytest

from bot.engine import Engine
from bot.errors import SettingsError
from bot.settings import Settings
from grounding.answer import Reason, Status
from grounding.extractive import ExtractiveGenerator
from grounding.generation import OpenAIGenerator
from grounding.second_check import SecondCheck
from knowledge.errors import IndexBusy
from knowledge.links import read_link
from knowledge.sources import Source

DAY = date(2026, 6, 1)


@pytest.fixture(scope="module")
def ready(indexed: Path) -> Engine:
    return Engine(Settings(data=indexed))


def test_a_question_is_answered_from_the_policies(ready: Engine) -> None:
    answer = ready.answer("How many days of annual leave do I get?", "IN", DAY)
    assert answer.status is Status.ANSWERED
    assert all(sentence.supported and sentence.evidence for sentence in answer.sentences)
    assert {answer.sources[n - 1].file for s in answer.sentences for n in s.citations} == {
        "annual-leave-in.pdf"
    }


def test_silence_goes_to_hr(ready: Engine) -> None:
    answer = ready.answer("Is there a dress code?", None, DAY)
    assert answer.status is Status.NEEDS_HUMAN
    assert answer.reason is Reason.NO_SOURCE


def test_without_an_index_the_reason_says_so(tmp_path: Path) -> None:
    engine = Engine(Settings(data=tmp_path))
    assert not engine.has_index()
    assert engine.answer("How many days?").reason is Reason.INDEX_UNAVAILABLE


def test_an_nli_model_that_cannot_be_loaded_is_a_reason(indexed: Path) -> None:
    engine = Engine(Settings(data=indexed, nli_model="./nowhere"))
    assert engine.answer("How many days?").reason is Reason.CHECKER_UNAVAILABLE


def test_without_a_model_the_policies_speak_for_themselves(indexed: Path) -> None:
    assert isinstance(Engine(Settings(data=indexed)).generator, ExtractiveGenerator)


def test_a_named_model_drafts_and_a_named_check_model_checks_again(indexed: Path) -> None:
    engine = Engine(
        Settings(data=indexed, model="m", check_model="c", openai_base_url="http://127.0.0.1:9/v1")
    )
    assert isinstance(engine.generator, OpenAIGenerator)
    assert isinstance(engine.checker, SecondCheck)


def test_a_model_that_is_not_there_is_a_reason(indexed: Path) -> None:
    engine = Engine(Settings(data=indexed, model="m", openai_base_url="http://127.0.0.1:9/v1"))
    answer = engine.answer("How many days of annual leave do I get?", "IN", DAY)
    assert answer.reason is Reason.MODEL_UNAVAILABLE
    assert answer.sources


def test_a_part_is_built_once_however_many_ask(tmp_path: Path) -> None:
    engine = Engine(Settings(data=tmp_path))
    seen: list[object] = []
    threads = [threading.Thread(target=lambda: seen.append(engine.embedder)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(part) for part in seen}) == 1


def test_the_link_secret_is_kept_and_for_its_owner_alone(tmp_path: Path) -> None:
    first = Engine(Settings(data=tmp_path)).link_secret
    assert len(first) >= 32
    assert Engine(Settings(data=tmp_path)).link_secret == first
    assert stat.S_IMODE((tmp_path / "link.key").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["link.key"]


@pytest.mark.parametrize("kept", ["", "\n", "short"])
def test_nothing_is_signed_with_an_empty_key(tmp_path: Path, kept: str) -> None:
    (tmp_path / "link.key").write_text(kept)
    with pytest.raises(SettingsError, match=r"link\.key holds no key for page links: delete it"):
        Engine(Settings(data=tmp_path)).url_for(Source(1, "x", sha256="a" * 64), 7)


def test_a_secret_that_is_set_is_not_kept(tmp_path: Path) -> None:
    engine = Engine(Settings(data=tmp_path, link_secret="x" * 32))  # type: ignore[arg-type]
    assert engine.link_secret == "x" * 32
    assert list(tmp_path.iterdir()) == []


def test_a_link_opens_the_page_of_the_evidence(tmp_path: Path) -> None:
    engine = Engine(Settings(data=tmp_path), base_url="http://127.0.0.1:8080")
    url = engine.url_for(Source(1, "x", sha256="a" * 64), 7)
    assert url.startswith("http://127.0.0.1:8080/policies/")
    assert url.endswith("#page=7")
    token = url.removeprefix("http://127.0.0.1:8080/policies/").partition("#")[0]
    target = read_link(engine.link_secret, token)
    assert (target.sha256, target.page) == ("a" * 64, 7)


def test_on_ones_own_machine_a_link_is_the_file(tmp_path: Path) -> None:
    url = Engine(Settings(data=tmp_path)).local_url(Source(1, "x", sha256="a" * 64), 7)
    assert url == f"file://{tmp_path}/files/{'a' * 64}.pdf#page=7"


def test_a_public_address_stands_above_the_own_one(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path, public_url="https://policies.example.com/")
    engine = Engine(settings, base_url="http://127.0.0.1:8080")
    source = Source(1, "x", sha256="a" * 64)
    assert engine.url_for(source, 1).startswith("https://policies.example.com/policies/")
    assert engine.local_url(source, 1).startswith("https://policies.example.com/policies/")


def test_indexing_needs_a_folder(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="POLICYPAL_POLICIES"):
        Engine(Settings(data=tmp_path)).reindex()


@pytest.mark.parametrize("error", [IndexBusy("a build is running"), RuntimeError("disk")])
def test_versions_that_cannot_be_moved_yet_end_nothing(
    error: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_args: object) -> bool:
        raise error

    monkeypatch.setattr("knowledge.index.move_ended", refuse)
    engine = Engine(Settings())
    monkeypatch.setattr(Engine, "embedder", None)
    engine.move_ended()
    assert "stay where they are for now" in caplog.text
