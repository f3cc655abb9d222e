"""A sample of mangled options of ``tradeoff theory``: numbers or one sentence, never a traceback, never NaN."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from explorer.cli import main
from explorer.errors import LONGEST_SENTENCE
from tests.explorer.mangled_theory import mangled_theory

SAMPLE = list(mangled_theory(seed=8, count=60))


@pytest.mark.parametrize("options", SAMPLE, ids=range(len(SAMPLE)))
def test_mangled_options_give_numbers_or_one_sentence(
    options: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["tradeoff", "theory", *options])
    with pytest.raises(SystemExit) as ended:
        main()
    printed, told = capsys.readouterr()
    assert ended.value.code in (0, 2)
    if ended.value.code == 2:
        assert printed == ""
        assert told.startswith("tradeoff: ")
        assert told.count("\n") == 1
        assert len(told) <= LONGEST_SENTENCE + 20
        assert told.strip().isprintable()
    elif "--json" in options:
        assert json.loads(printed)["refined"]["acceptance"] <= 1


def test_the_sample_holds_both_endings() -> None:
    assert list(mangled_theory(seed=8, count=60)) == SAMPLE
    assert len({options[:4] for options in SAMPLE}) > 30
