"""A sample of mangled inputs through the whole command: exit code 2, one sentence, nothing executed.

``benchmarks/mangled_measures.py`` has as many of them as one likes, with their seconds and memory.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from explorer.cli import main
from explorer.errors import LONGEST_SENTENCE
from tests.explorer.measure.mangled import EXECUTED, mangled_measures

CASES = 60


def test_mangled_inputs_are_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    wrong, refused = [], 0
    for case in mangled_measures(8, CASES, tmp_path):
        monkeypatch.chdir(case.folder)
        monkeypatch.setattr(sys, "argv", ["tradeoff", *case.arguments])
        try:
            main()
            code: object = 0
        except SystemExit as ended:
            code = ended.code
        told = capfd.readouterr().err
        refused += code == 2
        if (case.folder / EXECUTED).exists():
            wrong.append((case.name, "executed"))
        if code not in (0, 2):
            wrong.append((case.name, code, told))
        if code == 2 and not (
            told.count("\n") == 1 and told.strip().isprintable() and len(told) <= LONGEST_SENTENCE + 20
        ):
            wrong.append((case.name, told))
        monkeypatch.chdir(tmp_path)
    assert not wrong
    assert refused > CASES * 0.8
