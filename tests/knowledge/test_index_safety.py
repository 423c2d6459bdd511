"""The index under kills, other processes, damage and upgrades."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from knowledge.chunks import Chunk
from knowledge.embedding import Embedder
from knowledge.errors import IndexBusy, IndexUnavailable
from knowledge.generation import index_folder, live_id, set_live
from knowledge.index import build_index, open_index
from knowledge.retrieval import retrieve
from knowledge.sources import PageStart
from knowledge.vectors import ChunkStore, StoredChunk, segment_sums
from tests.knowledge.drawing import draw_policy
from tests.knowledge.shelf import LEAVE, draw_shelf

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def policies(tmp_path: Path) -> Path:
    return draw_shelf(tmp_path / "policies")


@pytest.fixture
def indexed(policies: Path, data: Path, embedder: Embedder) -> Path:
    build_index(policies, data, embedder)
    return data


BUILD = """
import sys
from pathlib import Path
from knowledge.embedding import Embedder
from knowledge.index import build_index
if __name__ == "__main__":
    tell = lambda what, done, total: print(what, flush=True)
    build_index(Path(sys.argv[1]), Path(sys.argv[2]), Embedder(), tell)
    print("built", flush=True)
"""


def start_build(policies: Path, data: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", BUILD, str(policies), str(data)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )


@pytest.mark.parametrize("step", ["leave.pdf", "chunks"])
def test_a_build_that_is_killed_leaves_the_old_index_serving(
    indexed: Path, policies: Path, embedder: Embedder, step: str
) -> None:
    before = live_id(indexed)
    draw_policy(policies / "leave.pdf", [line.replace("25", "31") for line in LEAVE])
    build = start_build(policies, indexed)
    assert build.stdout is not None
    for line in build.stdout:
        if line.strip() == step:
            os.killpg(build.pid, signal.SIGKILL)
            break
    assert build.wait(60) == -signal.SIGKILL
    build.stdout.close()
    assert live_id(indexed) == before
    index = open_index(indexed, embedder)
    assert "25 days" in retrieve(index, "how many days of leave?", country=None).sources[0].text
    build_index(policies, indexed, embedder)
    assert "31 days" in retrieve(index, "how many days of leave?", country=None).sources[0].text


def test_a_second_builder_is_refused_while_one_is_at_work(
    indexed: Path, policies: Path, embedder: Embedder
) -> None:
    draw_policy(policies / "leave.pdf", [*LEAVE, "1.3 Ask early."])
    started, go_on = threading.Event(), threading.Event()

    def hold(what: str, done: int, total: int) -> None:
        started.set()
        go_on.wait(60)

    builder = threading.Thread(target=build_index, args=(policies, indexed, embedder, hold))
    builder.start()
    try:
        assert started.wait(60)
        with pytest.raises(IndexBusy, match="another build"):
            build_index(policies, indexed, embedder)
        code = BUILD.replace('print("built"', 'print("built too"')
        second = subprocess.run(
            [sys.executable, "-c", code, str(policies), str(indexed)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert "IndexBusy" in second.stderr
    finally:
        go_on.set()
        builder.join(60)


def test_another_process_takes_up_the_new_generation_at_its_next_question(
    indexed: Path, policies: Path, embedder: Embedder
) -> None:
    index = open_index(indexed, embedder)
    assert "25 days" in retrieve(index, "days of leave", country=None).sources[0].text
    draw_policy(policies / "leave.pdf", [line.replace("25", "28") for line in LEAVE])
    (policies / "travel.pdf").unlink()
    build = start_build(policies, indexed)
    out, _ = build.communicate(timeout=120)
    assert "built" in out
    found = retrieve(index, "days of leave", country=None)
    assert "28 days" in found.sources[0].text
    assert {source.file for source in found.sources} == {"leave.pdf"}


def test_questions_are_answered_while_the_index_is_built_again_and_again(
    indexed: Path, policies: Path, embedder: Embedder
) -> None:
    index = open_index(indexed, embedder)
    failures: list[BaseException] = []
    done = threading.Event()

    def ask() -> None:
        while not done.is_set():
            try:
                assert retrieve(index, "days of leave", country=None).sources
            except BaseException as error:  # noqa: BLE001 - the test reports what it saw
                failures.append(error)
                return

    askers = [threading.Thread(target=ask) for _ in range(3)]
    for asker in askers:
        asker.start()
    for _ in range(5):
        build_index(policies, indexed, embedder)
    done.set()
    for asker in askers:
        asker.join(60)
    assert failures == []


def record_path(data: Path) -> Path:
    live = live_id(data)
    assert live is not None
    return index_folder(data) / live / "record.json"


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("chromadb", "0.6.3", "made with chromadb 0.6.3"),
        ("embedding_model", "other-model", "made with the embedding model 'other-model'"),
        ("space", "l2", "measures distance as 'l2'"),
        ("format", 0, "another release"),
    ],
)
def test_an_index_made_another_way_is_refused_and_built_again_whole(
    indexed: Path, policies: Path, embedder: Embedder, key: str, value: object, says: str
) -> None:
    path = record_path(indexed)
    path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))
    with pytest.raises(IndexUnavailable, match=says) as caught:
        open_index(indexed, embedder)
    assert "run `policypal index` again" in str(caught.value)
    build_index(policies, indexed, embedder)
    assert retrieve(open_index(indexed, embedder), "leave", country=None).sources


def no_record(data: Path) -> None:
    record_path(data).unlink()


def half_a_record(data: Path) -> None:
    record_path(data).write_text(record_path(data).read_text()[:200])


def no_chroma(data: Path) -> None:
    shutil.rmtree(record_path(data).parent / "chroma")


def half_a_database(data: Path) -> None:
    path = record_path(data).parent / "chroma" / "chroma.sqlite3"
    os.truncate(path, path.stat().st_size // 2)


def lost_rows(data: Path) -> None:
    store = ChunkStore(record_path(data).parent)
    store._collection("live").delete(ids=[store.chunks("live")[0].id])
    store.close()


@pytest.mark.parametrize(
    "damage", [no_record, half_a_record, no_chroma, half_a_database, lost_rows]
)
def test_a_damaged_index_is_unavailable_and_can_be_built_again(
    indexed: Path, policies: Path, embedder: Embedder, damage: object
) -> None:
    damage(indexed)  # type: ignore[operator]
    with pytest.raises(IndexUnavailable, match="run `policypal index` again"):
        open_index(indexed, embedder)
    report = build_index(policies, indexed, embedder)
    assert report.indexed + report.unchanged == 2
    assert retrieve(open_index(indexed, embedder), "leave", country=None).sources


def test_a_pointer_to_nothing_is_unavailable(indexed: Path, embedder: Embedder) -> None:
    set_live(indexed, "20200101T000000-000000")
    with pytest.raises(IndexUnavailable, match="damaged"):
        open_index(indexed, embedder)


def test_an_index_that_breaks_while_it_serves_is_unavailable_not_empty(
    indexed: Path, embedder: Embedder
) -> None:
    index = open_index(indexed, embedder)
    set_live(indexed, "20200101T000000-000000")
    with pytest.raises(IndexUnavailable):
        retrieve(index, "leave", country=None)


def many_rows(folder: Path) -> None:
    """Over Chroma's threshold, so that it writes its graph to files."""
    rng = np.random.default_rng(7)
    vectors = rng.normal(size=(1500, 32)).astype(np.float32)
    rows = [
        StoredChunk(f"c{n}", "v", "a" * 64, Chunk(f"text {n}", (), (PageStart(0, 1),), 0, 6))
        for n in range(len(vectors))
    ]
    store = ChunkStore(folder)
    store.create()
    store.add("live", rows, vectors)
    store.close()


def test_a_damaged_vector_graph_is_noticed_before_chroma_reads_it(tmp_path: Path) -> None:
    many_rows(tmp_path)
    sums = segment_sums(tmp_path)
    assert any(name.endswith("data_level0.bin") for name in sums)
    store = ChunkStore(tmp_path)
    store.nearest("live", np.ones(32, dtype=np.float32), ["v"], 3)
    store.close()
    assert segment_sums(tmp_path) == sums
    graph = tmp_path / next(name for name in sums if name.endswith("data_level0.bin"))
    os.truncate(graph, graph.stat().st_size // 2)
    assert segment_sums(tmp_path) != sums


def test_a_filtered_query_over_many_rows_finds_what_is_there(tmp_path: Path) -> None:
    many_rows(tmp_path)
    store = ChunkStore(tmp_path)
    vectors = store.vectors("live")
    misses = [
        id for id in list(vectors)[::50] if store.nearest("live", vectors[id], ["v"], 1)[0][0] != id
    ]
    store.close()
    assert misses == []


def test_the_pointer_is_never_half_written(tmp_path: Path) -> None:
    index_folder(tmp_path).mkdir()
    names = [f"{n:06d}" * 40 for n in range(2)]
    set_live(tmp_path, names[0])

    def swap() -> None:
        for number in range(300):
            set_live(tmp_path, names[number % 2])

    writer = threading.Thread(target=swap)
    writer.start()
    seen = set()
    while writer.is_alive():
        seen.add(live_id(tmp_path))
        time.sleep(0)
    writer.join()
    assert seen <= set(names)
