"""Archives that anybody may have made: each fault is a sentence, told before anything of it is used."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from explorer.errors import UserError
from explorer.transfer import archive_reading
from explorer.transfer.archive import MANIFEST, RUNS
from explorer.transfer.archive_reading import is_archive, opened_archive
from explorer.transfer.arrival import import_archive
from explorer.transfer.entrance import import_address

Members = dict[str, bytes]


def rewritten(archive: Path, change: Callable[[Members], None], **manifest: Any) -> Path:
    """The archive with other members, its manifest telling of them as they are."""
    with zipfile.ZipFile(archive) as opened:
        members = {name: opened.read(name) for name in opened.namelist()}
    change(members)
    told = json.loads(members[MANIFEST])
    told["sha256"] = hashlib.sha256(members.get(RUNS, b"")).hexdigest()
    members[MANIFEST] = json.dumps({**told, **manifest}).encode()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in members.items():
            opened.writestr(name, content)
    return archive


def lines(change: Callable[[list[dict[str, Any]]], None]) -> Callable[[Members], None]:
    def changed(members: Members) -> None:
        runs = [json.loads(line) for line in members[RUNS].splitlines()]
        change(runs)
        members[RUNS] = b"".join(json.dumps(run).encode() + b"\n" for run in runs)

    return changed


def first_file(runs: list[dict[str, Any]]) -> dict[str, Any]:
    files: dict[str, Any] = runs[0]["files"]
    return files


def spoilt_file(members: Members) -> None:
    name = next(name for name in members if name.endswith("thumb.png"))
    members[name] = b"other"


FAULTS: dict[str, tuple[Callable[[Members], None], str]] = {
    "leaving its folder": (lambda m: m.update({"artifacts/../../evil": b"x"}), "is no part of one"),
    "absolute": (lambda m: m.update({"/etc/evil": b"x"}), "is no part of one"),
    "of Windows": (lambda m: m.update({"artifacts/C:\\evil": b"x"}), "is no part of one"),
    "strange": (lambda m: m.update({"evil.py": b"x"}), "'evil.py' is no part of one"),
    "bomb": (lambda m: m.update({"artifacts/0/x": bytes(3_000_000)}), "grows from"),
    "without runs": (lambda m: m.pop(RUNS) and None, "no item named 'runs.jsonl'"),
    "other file": (spoilt_file, "is not what its run tells of"),
    "no JSON": (lambda m: m.update({RUNS: b"{\n"}), "run 0 is no JSON object"),
    "deep": (lambda m: m.update({RUNS: b"[" * 100_000}), "run 0 is no JSON object"),
    "path of a file": (lines(lambda r: first_file(r).update({"../x": {}})), "leads elsewhere"),
    "file in a file": (
        lines(lambda r: first_file(r).update({"sweep.yaml/x": first_file(r)["sweep.yaml"]})),
        "a file inside a file",
    ),
    "member": (
        lines(lambda r: first_file(r)["sweep.yaml"].update(member="artifacts/none")),
        "no item named 'artifacts/none'",
    ),
    "twice": (lines(lambda r: r.append(r[1])), "is in it twice"),
    "no sweep": (lines(lambda r: r.pop(0) and None), "run 0 is not the sweep"),
    "status": (lines(lambda r: r[1].update(status="fine")), "run 1 has no status"),
    "time": (lines(lambda r: r[1].update(started=1.5)), "tells started that is no whole number"),
    "value": (lines(lambda r: r[1]["metrics"].update(x=[[1, 2, "much"]])), "a value that is no number"),
    "truth": (lines(lambda r: r[1]["metrics"].update(x=[[1, 2, True]])), "a value that is no number"),
    "step": (lines(lambda r: r[1]["metrics"].update(x=[[2**70, 2, 1]])), "tells a step"),
    "early": (
        lines(lambda r: r[1]["metrics"].update(x=[[1, -2, 1]])),
        "tells a time of -2, before all times",
    ),
    "no name": (lines(lambda r: r[1].update(trial="")), "tells trial that is no text of 1 to 8,000"),
    "half in a tag": (
        lines(lambda r: r[1]["tags"].update(x="\ud800")),
        "tells tags with half of a character",
    ),
    "half in a parameter": (lines(lambda r: r[1]["params"].update(x="a\udfffb")), "tells params with half"),
    "half in a name": (lines(lambda r: r[1].update(name="\ud83d")), "tells name with half of a character"),
    "half in a trial": (lines(lambda r: r[1].update(trial="\ud83d")), "tells trial with half of a character"),
    "metric a=b": (
        lines(lambda r: r[2]["metrics"].update({"a=b": [[1, 2, 1]]})),
        "the name 'a=b', which MLflow",
    ),
    "metric ..": (
        lines(lambda r: r[2]["metrics"].update({"..": [[1, 2, 1]]})),
        "the name '..', which MLflow",
    ),
    "param ../x": (lines(lambda r: r[2]["params"].update({"../x": "1"})), "the name '../x', which MLflow"),
    "param /abs": (lines(lambda r: r[2]["params"].update({"/abs": "1"})), "the name '/abs', which MLflow"),
    "param of lines": (lines(lambda r: r[2]["params"].update({"a\nb": "1"})), "which MLflow does not take"),
    "tag a$b": (lines(lambda r: r[2]["tags"].update({"a$b": "1"})), "the name 'a$b', which MLflow"),
    "long tag": (lines(lambda r: r[1]["tags"].update(x="y" * 9000)), "no text of 0 to 8,000"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_one_sentence_and_makes_no_store(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setattr(archive_reading, "LARGE", 1 << 20)
    change, sentence = FAULTS[fault]
    rewritten(
        archive, change, **({"runs": 8} if fault == "twice" else {"runs": 6} if fault == "no sweep" else {})
    )
    with pytest.raises(UserError) as refused:
        import_archive(archive, f"sqlite:///{tmp_path / 'new' / 'mlflow.db'}")
    assert "must be a whole archive of `tradeoff export`, and is not" in str(refused.value)
    assert sentence in str(refused.value)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("manifest", "sentence"),
    [
        ({"version": 2}, "its version is 2, and this one reads 1"),
        ({"format": "other"}, "tells of another format"),
        ({"runs": 3}, "its runs are not those that its manifest tells of"),
        ({"runs": True}, "tells of no runs"),
        ({"sweep": 5}, "names no sweep"),
        ({"experiment": "a\nb"}, "names no experiment"),
        ({"sha256": "0" * 64}, "its runs are not those"),
    ],
)
def test_what_the_manifest_tells_must_be_so(archive: Path, manifest: dict[str, Any], sentence: str) -> None:
    rewritten(archive, lambda members: None, **manifest)
    with pytest.raises(UserError, match=sentence), opened_archive(archive):
        pass


@pytest.mark.parametrize("end", [0, 3, 100, 1000, -1, -30])
def test_a_torn_archive_is_refused(archive: Path, end: int) -> None:
    content = archive.read_bytes()
    archive.write_bytes(content[:end])
    with pytest.raises(UserError, match="must be a whole archive"), opened_archive(archive):
        pass


def test_bytes_that_were_changed_are_found(archive: Path) -> None:
    content = bytearray(archive.read_bytes())
    content[len(content) // 3] ^= 0xFF
    archive.write_bytes(content)
    with pytest.raises(UserError, match="must be a whole archive"), opened_archive(archive):
        pass


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_is_there_twice_is_refused(archive: Path) -> None:
    with zipfile.ZipFile(archive, "a") as opened:
        opened.writestr(RUNS, "other")
    with pytest.raises(UserError, match=r"'runs\.jsonl' is in it twice"), opened_archive(archive):
        pass


def test_what_is_told_of_a_sweep_that_has_a_hostile_name_is_refused(archive: Path, tmp_path: Path) -> None:
    rewritten(archive, lambda members: None, sweep="../x")
    with pytest.raises(UserError, match="a sweep's name is letters"):
        import_archive(archive, f"sqlite:///{tmp_path / 'new.db'}")
    assert not (tmp_path / "new.db").exists()


def test_an_archive_is_known_by_its_first_bytes_or_its_name(archive: Path, tmp_path: Path) -> None:
    assert is_archive(archive.rename(tmp_path / "called.anything"))
    (tmp_path / "no.zip").write_text("text")
    assert is_archive(tmp_path / "no.zip")
    assert not is_archive(tmp_path)
    with pytest.raises(UserError, match="File is not a zip file"):
        import_address(str(tmp_path / "no.zip"), f"sqlite:///{tmp_path / 'new.db'}")
