"""Versions that end while the index serves, and the index on a Chroma server."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import chromadb
import pytest
from chromadb.config import Settings
from freezegun import freeze_time

from knowledge.embedding import Embedder
from knowledge.errors import IndexUnavailable
from knowledge.generation import HISTORY, LIVE
from knowledge.index import Index, build_index, move_ended, open_index
from knowledge.retrieval import retrieve
from tests.knowledge.drawing import draw_policy
from tests.knowledge.shelf import LEAVE, draw_shelf, write_catalog

QUESTION = "how many days of leave?"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def policies(tmp_path: Path) -> Path:
    folder = draw_shelf(tmp_path / "policies")
    write_catalog(
        folder,
        ("leave", "leave.pdf", "effective_from: 2025-01-01; effective_to: 2025-12-31"),
        ("travel", "travel.pdf", "effective_from: 2025-01-01"),
    )
    return folder


def held(index: Index) -> dict[str, str]:
    return {v.version.file: v.collection for v in index.generation.versions}


def test_a_version_that_ends_leaves_the_live_collection_that_day(
    policies: Path, data: Path, embedder: Embedder
) -> None:
    with freeze_time("2025-12-31 12:00:00"):
        build_index(policies, data, embedder)
        index = open_index(data, embedder)
        assert held(index) == {"leave.pdf": LIVE, "travel.pdf": LIVE}
        assert not move_ended(data, embedder)
    with freeze_time("2026-01-01 00:00:01"):
        files = {s.file for s in retrieve(index, QUESTION, country=None).sources}
        assert files == {"travel.pdf"}
        assert move_ended(data, embedder)
        assert held(index) == {"leave.pdf": HISTORY, "travel.pdf": LIVE}
        assert not move_ended(data, embedder)
        found = retrieve(index, QUESTION, country=None, day=date(2025, 12, 31))
        assert found.sources[0].file == "leave.pdf"


def test_the_move_needs_neither_the_folder_nor_the_model(
    policies: Path, data: Path, embedder: Embedder
) -> None:
    with freeze_time("2025-12-31 12:00:00"):
        build_index(policies, data, embedder)
    policies.rename(policies.with_name("elsewhere"))
    with freeze_time("2026-03-01 12:00:00"):
        assert move_ended(data, Embedder())
    index = open_index(data, embedder)
    assert index.generation.policies == str(policies)
    assert len(list((data / "files").iterdir())) == 2


def test_there_is_nothing_to_move_without_an_index(data: Path, embedder: Embedder) -> None:
    with pytest.raises(IndexUnavailable):
        move_ended(data, embedder)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    chroma = Path(sys.executable).with_name("chroma")
    command = [str(chroma), "run", "--path", str(tmp_path / "server"), "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


def collections(server: str) -> set[str]:
    settings = Settings(anonymized_telemetry=False)
    client = chromadb.HttpClient(port=int(server.rpartition(":")[2]), settings=settings)
    return {collection.name for collection in client.list_collections()}


def test_the_index_can_lie_on_a_chroma_server(
    policies: Path, data: Path, embedder: Embedder, server: str
) -> None:
    report = build_index(policies, data, embedder, server=server)
    assert (report.indexed, report.chunks) == (2, 2)
    index = open_index(data, embedder, server)
    found = retrieve(index, QUESTION, country=None, day=date(2025, 6, 1))
    assert found.sources[0].file == "leave.pdf"
    for days in ("26", "27"):
        draw_policy(policies / "leave.pdf", [line.replace("25", days) for line in LEAVE])
        report = build_index(policies, data, embedder, server=server)
        assert (report.indexed, report.unchanged) == (1, 1)
    found = retrieve(index, QUESTION, country=None, day=date(2025, 6, 1))
    assert "27 days" in found.sources[0].text
    kept = {path.name for path in (data / "index").iterdir() if path.is_dir()}
    assert collections(server) == {f"{id}-{name}" for id in kept for name in (LIVE, HISTORY)}
    assert len(kept) == 2


@pytest.mark.parametrize("address", ["http://127.0.0.1:9", "chroma:8000", "ftp://x"])
def test_a_server_that_does_not_answer_is_one_clear_line(
    policies: Path, data: Path, embedder: Embedder, address: str
) -> None:
    with pytest.raises(IndexUnavailable, match="Chroma server") as caught:
        build_index(policies, data, embedder, server=address)
    assert "\n" not in str(caught.value)
