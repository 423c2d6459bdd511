"""The parts that answer, put together from the settings, each built when it is first needed."""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import Callable
from datetime import date
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

from bot.errors import SettingsError
from bot.settings import LEAST_SECRET, Settings
from grounding.answer import Answer
from knowledge.errors import KnowledgeError, PolicyPalError
from knowledge.links import page_link, pdf_path
from knowledge.sources import Source

if TYPE_CHECKING:
    from grounding.chat import ChatModel
    from grounding.checker import Checker
    from grounding.generation import Generator
    from grounding.ranking import Ranker
    from grounding.second_check import SecondCheck
    from knowledge.embedding import Embedder
    from knowledge.index import BuildReport, Index

log = logging.getLogger(__name__)

T = TypeVar("T")

Progress = Callable[[str, int, int], None]


class Engine:
    """Answers questions and re-indexes policies. Safe to share between threads."""

    def __init__(self, settings: Settings, *, base_url: str = "") -> None:
        self.settings = settings
        self.base_url = settings.public_url or base_url
        self._lock = RLock()
        self._built: dict[str, Any] = {}

    def answer(
        self,
        question: str,
        country: str | None = None,
        day: date | None = None,
        previous: str | None = None,
        on_step: Callable[[str], None] | None = None,
    ) -> Answer:
        """See grounding.answering.answer_question; never raises for a part out of order."""
        from grounding.answering import UNAVAILABLE, answer_question, unavailable

        try:
            return answer_question(
                question,
                index=self.index(),
                ranker=self.ranker,
                checker=self.checker,
                generator=self.generator,
                country=country,
                day=day,
                previous=previous,
                on_step=on_step,
            )
        except UNAVAILABLE as error:
            return unavailable(error)

    def index(self) -> Index:
        """The index in the data folder. Raises IndexUnavailable."""
        from knowledge.index import open_index

        settings = self.settings
        return self._once(
            "index", lambda: open_index(settings.data, self.embedder, settings.chroma_url)
        )

    def has_index(self) -> bool:
        """Whether policies were ever indexed in the data folder."""
        from knowledge.generation import live_id

        return live_id(self.settings.data) is not None

    def index_ready(self) -> bool:
        """Whether the index is open; cheap, loads nothing."""
        opened: Index | None = self._built.get("index")
        try:
            return opened is not None and bool(opened.generation.versions)
        except KnowledgeError:
            return False

    def checker_ready(self) -> bool:
        """Whether the checker is loaded and passed its self-test; cheap, loads nothing."""
        return "checker" in self._built

    def warm_up(self) -> None:
        """Load all that answers, so that the first asker does not wait for it. Never raises.

        What cannot be loaded is logged; each question finds out anew whether it can by then.
        """
        for load in (self._search_once, lambda: self.checker, lambda: self.generator):
            try:
                load()
            except PolicyPalError as error:
                log.error("%s", error)
            except Exception:
                log.exception("a part that answers cannot be loaded")

    def reindex(
        self, progress: Progress | None = None, policies: Path | None = None
    ) -> BuildReport:
        """Build the index from `policies`, else from the folder that the settings name.

        Raises SettingsError when neither is given, else what knowledge.index.build_index raises.
        """
        from knowledge.index import build_index

        folder = policies or self.settings.policies
        if folder is None:
            raise SettingsError("POLICYPAL_POLICIES is not set: name the folder of policies")
        settings = self.settings
        return build_index(folder, settings.data, self.embedder, progress, settings.chroma_url)

    def move_ended(self) -> None:
        """Move the versions that have ended to the history; cheap while none has. Never raises."""
        from knowledge.index import move_ended

        try:
            if move_ended(self.settings.data, self.embedder, self.settings.chroma_url):
                log.info("versions that have ended were moved to the history")
        except KnowledgeError as error:
            log.warning("versions that have ended stay where they are for now: %s", error)
        except Exception:
            log.exception("versions that have ended stay where they are for now")

    def url_for(self, source: Source, page: int) -> str:
        """A link that opens the source's PDF at the physical page `page`."""
        return page_link(self.base_url, self.link_secret, source.sha256, page, source.source_url)

    def local_url(self, source: Source, page: int) -> str:
        """The same for whoever sits at this machine: a file, unless pages are served somewhere."""
        if self.base_url or source.source_url:
            return self.url_for(source, page)
        return f"{pdf_path(self.settings.data, source.sha256).absolute().as_uri()}#page={page}"

    @property
    def embedder(self) -> Embedder:
        """Loads its model at first use."""
        return self._once("embedder", self._new_embedder)

    @property
    def ranker(self) -> Ranker:
        """Loads its models at first use."""
        return self._once("ranker", self._new_ranker)

    @property
    def checker(self) -> Checker | SecondCheck:
        """With a second opinion where the settings name one. Raises CheckerUnavailable."""
        return self._once("checker", self._new_checker)

    @property
    def generator(self) -> Generator:
        """The model that the settings name, else the extractive one."""
        return self._once("generator", self._new_generator)

    @property
    def link_secret(self) -> str:
        """The key that signs page links: the one that is set, else one kept in the data folder."""
        if self.settings.link_secret is not None:
            return self.settings.link_secret.get_secret_value()
        return self._once("link_secret", lambda: _kept_secret(self.settings.data / "link.key"))

    def _search_once(self) -> None:
        # The models and the word index are loaded at the first search.
        from grounding.sourcing import find_sources

        find_sources(self.index(), self.ranker, "policy", limit=1)

    def _once(self, name: str, build: Callable[[], T]) -> T:
        with self._lock:
            if name not in self._built:
                self._built[name] = build()
            built: T = self._built[name]
            return built

    def _new_embedder(self) -> Embedder:
        from knowledge.embedding import Embedder

        return Embedder(self.settings.embedding_model)

    def _new_ranker(self) -> Ranker:
        from grounding.ranking import Ranker
        from grounding.relevance import Relevance

        return Ranker(self.embedder, Relevance())

    def _new_checker(self) -> Checker | SecondCheck:
        from grounding.second_check import SecondCheck

        checker = new_checker(self.settings.nli_model)
        model = self.settings.check_model
        return checker if model is None else SecondCheck(checker, self._chat(model))

    def _new_generator(self) -> Generator:
        from grounding.extractive import ExtractiveGenerator
        from grounding.generation import OpenAIGenerator

        model = self.settings.model
        if model is None:
            return ExtractiveGenerator(self.ranker)
        return OpenAIGenerator(self._chat(model))

    def _chat(self, model: str) -> ChatModel:
        from grounding.chat import ChatModel

        key = self.settings.openai_api_key
        return ChatModel(
            model,
            base_url=self.settings.openai_base_url,
            api_key=key.get_secret_value() if key else None,
        )


def new_checker(model: str | None, *, nli: bool = True, guards: bool = True) -> Checker:
    """A checker that is ready: its NLI model is loaded and tested. Raises CheckerUnavailable."""
    from grounding.checker import Checker
    from grounding.entailment import NliModel

    if not nli:
        return Checker(None, guards=guards)
    loaded = NliModel(model)
    loaded.load()
    return Checker(loaded, guards=guards)


def _kept_secret(path: Path) -> str:
    """The secret in `path`, made on first use, readable by its owner only.

    Raises SettingsError for a file that holds none: what is signed with nothing, anybody can sign.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    if not path.exists():
        descriptor = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(32))
            file.flush()
            # Or a power cut leaves an empty key under the name that it gets now.
            os.fsync(descriptor)
        try:
            os.link(made, path)
        except FileExistsError:
            pass
        finally:
            made.unlink()
    secret = path.read_text().strip()
    if len(secret) < LEAST_SECRET:
        raise SettingsError(f"{path} holds no key for page links: delete it for a new one")
    return secret
