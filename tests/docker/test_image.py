"""The Dockerfile and the scripts beside it, by their linters; what the image promises the services."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docker.stack import DOCKER

TEXT = (DOCKER / "Dockerfile").read_text()


@pytest.mark.parametrize(
    "command",
    [["hadolint", "Dockerfile"], ["shellcheck", "slurm/sweep.sbatch"]],
    ids=lambda command: command[0],
)
def test_linters_find_nothing(command: list[str]) -> None:
    tool, file = command
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    found = shutil.which(tool, path=path)
    assert found, f"{tool} is missing: make system-test install-test"
    checked = subprocess.run([found, str(DOCKER / file)], text=True, capture_output=True)
    assert checked.returncode == 0, checked.stdout


def test_the_last_stage_is_no_root_and_carries_no_builder() -> None:
    last = TEXT.rpartition("\nFROM ")[2]
    assert re.findall(r"^USER (\S+)$", last, re.MULTILINE) == ["10001:10001"]
    assert "TRADEOFF_HOME=/data" in last
    assert "/opt/uv" not in last
    assert 'ENTRYPOINT ["tradeoff"]' in last


def test_only_what_the_image_is_made_of_is_sent_to_the_builder() -> None:
    copied = {
        word
        for line in re.findall(r"^COPY (?!--from)(.+)$", TEXT, re.MULTILINE)
        for word in line.split()[:-1]
    }
    sent = {
        line[1:] for line in (DOCKER / "Dockerfile.dockerignore").read_text().splitlines() if line[:1] == "!"
    }
    assert copied == sent


def test_no_registry_is_named() -> None:
    assert "://" not in "".join(re.sub(r"#.*", "", line) for line in TEXT.splitlines())
