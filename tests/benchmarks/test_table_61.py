"""Table 6.1 over files, in small."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.table_61 import main, rates

FILE = Path(__file__).parents[2] / "trainables" / "studies" / "models" / "gaussians25-gan-half.safetensors"


@pytest.mark.slow
def test_a_row_of_every_refinement_over_two_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(FILE), str(FILE), "--sets", "1", "--moved", "1", "--json", str(tmp_path / "t.json")])
    table = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    told = json.loads((tmp_path / "t.json").read_text())[FILE.name]
    assert len(table) == 2 + len(told)
    cells = {row.split("|")[1].strip(): [cell.strip() for cell in row.split("|")[2:-1]] for row in table[2:]}
    assert cells["OBRS"][0] == f"{100 * told['OBRS']['precision']['mean']:.2f} ± 0.00"  # the same file twice
    assert cells["baseline"][-1] == "2 of 2"
    assert cells["OBRS"][-1] == ""


def test_rates_are_tried_at_the_cost_of_the_table() -> None:
    assert {row.budget for row in rates()} == {6262 / 2500}
    assert len({row.title for row in rates()}) == len(list(rates()))


def test_without_files_there_is_nothing_to_measure(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([])
    assert "give files of samplers, or --rates" in capsys.readouterr().err
