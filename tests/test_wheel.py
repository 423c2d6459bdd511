"""The wheel holds all that `policypal` needs: it runs from it alone, in any folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

RUN = "import sys; from bot.cli import main; sys.exit(main())"
"""What the console script does, from the unpacked wheel instead of the checkout."""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    [wheel] = folder.glob("policypal-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def policypal(site: Path, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("POLICYPAL_", "SLACK_", "OPENAI_"))
    }
    environment |= {"PYTHONPATH": str(site), "HF_HUB_OFFLINE": "1"}
    return subprocess.run(
        [sys.executable, "-c", RUN, *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


def test_the_wheel_alone_answers_a_question_from_the_samples_in_an_empty_folder(
    unpacked: Path, tmp_path: Path
) -> None:
    question = "How many days of annual leave do I get?"

    ran = policypal(unpacked, tmp_path, "ask", question, "--country", "IN", "--json")

    assert ran.returncode == 0, ran.stderr
    answer = json.loads(ran.stdout)
    assert answer["status"] == "answered"
    cited = {n for sentence in answer["sentences"] for n in sentence["citations"]}
    files = {source["file"] for source in answer["sources"] if source["n"] in cited}
    assert files == {"annual-leave-in.pdf"}
    assert (tmp_path / ".policypal").is_dir()


def test_the_wheel_leaves_out_what_only_a_checkout_needs(unpacked: Path) -> None:
    held = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*")}

    assert "grounding/model/model.safetensors" in held
    assert "knowledge/samples/catalog.yml" in held
    assert not any(name.startswith(("tests/", "grounding/training/")) for name in held)
    assert not any(name.endswith(".md") and "samples/sources" in name for name in held)
