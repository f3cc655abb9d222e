"""What can be a place of checkpoints is told from its text."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.storage import check_storage, local_folder, shown_storage


@pytest.mark.parametrize(
    "text",
    [
        "checkpoints",
        "~/checkpoints",
        "/data/checkpoints",
        "file:///data/check%20points",
        "s3://bucket",
        "s3://bucket/pre/fix?endpoint_override=127.0.0.1:9000&scheme=http&region=eu-west-1",
        "gs://bucket/x",
        "gs://anonymous@bucket/x",
        "abfs://container@account.dfs.core.windows.net/x",
        "hdfs://namenode:8020/x",
    ],
)
def test_folders_and_stores_pass(text: str) -> None:
    check_storage("resources.storage", text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "ftp://host/x",
            "must be a folder, file:///FOLDER, s3://BUCKET/PREFIX or an address of gs, abfs or hdfs",
        ),
        ("http://host/bucket", "must be a folder, file:///FOLDER"),
        ("file://host/x", "must be a folder, or file:///FOLDER, got 'file://host/x'"),
        ("file:///dev/null", "must be a folder, but /dev/null is none"),
        ("s3:///prefix", "must name a bucket, got 's3:///prefix'"),
        ("s3://bucket/a b", "must be a folder, file:///FOLDER"),
        ("s3://bucket/a#b", "must be a folder, file:///FOLDER"),
        ("s3://[half/x", "must be a folder, file:///FOLDER"),
        (f"s3://bucket/{'a' * 1000}", "must be a folder, file:///FOLDER"),
        ("s3://KEY:hush@bucket/x", "must hold no credentials, since sweep files are stored with the runs"),
        ("s3://KEY@bucket/x", "must hold no credentials"),
        ("abfs://:hush@account.dfs.core.windows.net/x", "must hold no credentials"),
        ("abfs://c@a.dfs.core.windows.net/x?client_secret=hush", "must hold no credentials"),
        ("s3://bucket/x?secret_key=hush", "must hold no credentials"),
    ],
)
def test_others_are_refused_and_no_secret_is_repeated(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=r"^resources\.storage must ") as raised:
        check_storage("resources.storage", text)
    assert told in str(raised.value)
    assert "hush" not in str(raised.value)


def test_a_folder_is_found_behind_a_path_and_behind_an_address(tmp_path: Path) -> None:
    assert local_folder(str(tmp_path / "a b")) == tmp_path / "a b"
    assert local_folder(f"file://{tmp_path}/a%20b") == tmp_path / "a b"
    assert local_folder("~/x") == Path.home() / "x"
    assert local_folder("s3://bucket/x") is None


def test_a_place_is_shown_without_options_and_credentials() -> None:
    assert shown_storage("s3://bucket/x/?endpoint_override=host:1") == "s3://bucket/x"
    assert shown_storage("s3://KEY:hush@bucket/x") == "s3://…@bucket/x"
    assert shown_storage("abfs://c@a.dfs.core.windows.net/x") == "abfs://c@a.dfs.core.windows.net/x"
