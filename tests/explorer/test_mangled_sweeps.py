"""A sample of mangled sweep files and options: each is planned or refused in one sentence, none ends in a traceback.

``benchmarks/mangled_sweeps.py`` runs a thousand, with their seconds and megabytes.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

from explorer.cli import main
from explorer.errors import LONGEST_SENTENCE
from tests.explorer.mangled_sweeps import KINDS, Case, mangled_sweeps

SAMPLE = list(mangled_sweeps(seed=8, count=6 * len(KINDS)))


@pytest.mark.parametrize("case", SAMPLE, ids=lambda case: case.name.partition(":")[0])
def test_a_mangled_sweep_is_planned_or_refused_in_one_sentence(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    monkeypatch.chdir(tmp_path)
    Path("mangled.yaml").write_bytes(case.file)
    monkeypatch.setattr(sys, "argv", ["tradeoff", "sweep", "mangled.yaml", "--dry-run", *case.options])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr().err
    assert ended.value.code in (0, 2)
    if ended.value.code == 2:
        assert told.startswith("tradeoff: ")
        assert told.count("\n") == 1
        assert len(told) <= LONGEST_SENTENCE + 20
        assert told.strip().isprintable()
    else:
        assert told.startswith("sweep ")


def test_equal_seeds_mangle_equally_and_others_otherwise() -> None:
    again = list(mangled_sweeps(seed=8, count=len(SAMPLE)))
    assert again == SAMPLE
    assert [case.file for case in mangled_sweeps(9, len(SAMPLE))] != [case.file for case in SAMPLE]


def test_the_sample_mangles_in_every_way() -> None:
    kinds = Counter(case.name.partition(":")[0].split(" ", 1)[1] for case in SAMPLE)
    assert len(kinds) == len(set(KINDS))
    assert min(kinds.values()) >= 6
