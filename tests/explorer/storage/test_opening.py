"""The right kind of files for what a sweep says; the environment is heard as Amazon's tools hear it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from explorer.storage import open_files
from explorer.storage.arrow_files import ArrowFiles
from tests.object_store import ObjectStore
from trainables.training.local_files import LocalFiles


def test_paths_and_file_addresses_are_folders_of_this_machine(tmp_path: Path) -> None:
    for storage in (str(tmp_path / "a"), f"file://{tmp_path}/a"):
        files = open_files(storage)
        assert isinstance(files, LocalFiles)
        assert files.folder == tmp_path / "a"


def test_an_endpoint_of_the_environment_is_used(
    object_store: ObjectStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{object_store.gate.port}")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    files = open_files(f"s3://{object_store.bucket}/by-environment")
    assert isinstance(files, ArrowFiles)
    files.check()
    files.write("a", "5.pt", b"state")
    assert open_files(object_store.address("by-environment")).read("a", "5.pt") == b"state"


def test_a_file_is_written_by_one_request(object_store: ObjectStore) -> None:
    files = open_files(object_store.address("one-request"))
    before = object_store.requests
    files.write("a", "5.pt", bytes(1_000_000))
    assert object_store.requests - before == 1


def test_what_the_store_does_not_know_is_told_without_waiting() -> None:
    with pytest.raises(OSError, match="s3://bucket/x is no address of a store: Unexpected query parameter"):
        open_files("s3://bucket/x?region=eu-west-1&nonsense=1")


def test_folders_load_no_pyarrow() -> None:
    code = "import sys; from explorer.storage import open_files; open_files('x'); print('pyarrow' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"
