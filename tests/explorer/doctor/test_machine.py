"""Cores and memory, within the limits of a control group."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.doctor import machine
from explorer.doctor.finding import Subject
from explorer.doctor.machine import check_machine


def test_a_limit_below_the_cores_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_GROUP", tmp_path)
    cores, _ = check_machine(Subject("sqlite:///x"))
    assert cores.state == "ok", "no limit is told"
    (tmp_path / "cpu.max").write_text("50000 100000\n")
    cores, _ = check_machine(Subject("sqlite:///x"))
    assert cores.state == "note"
    assert cores.sentence.endswith("of which a limit leaves 0.5")
    (tmp_path / "cpu.max").write_text("max 100000\n")
    cores, _ = check_machine(Subject("sqlite:///x"))
    assert cores.state == "ok"


def test_little_memory_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "available", lambda: 10**9)
    _, memory = check_machine(Subject("sqlite:///x"))
    assert (memory.state, memory.sentence.partition(";")[0]) == ("note", "1 GB free")
