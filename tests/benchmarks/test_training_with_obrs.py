"""Training with OBRS beside training without, in small: arms are what they say, and tables what was measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from benchmarks import refined_images
from benchmarks.training_with_obrs import (
    ARMS,
    main,
    table,
)
from trainables.objectives.obrs import Obrs
from trainables.studies.equal_budgets import paired, summary


def test_an_arm_at_budget_one_is_the_arm_beside_it() -> None:
    logits = torch.randn(3, 64, generator=torch.Generator().manual_seed(0))
    for arm in ARMS.values():
        if not isinstance(arm.objective, Obrs):
            assert arm.beside is None
            continue
        assert arm.beside is not None
        columns = {name: torch.full((3,), value) for name, value in (("progress", 1.0), ("budget", 1.0))}
        columns |= {"delay": torch.zeros(3), "memory": torch.full((3, 1), torch.inf)}
        found, beside = (
            one.generator_loss(logits, columns) for one in (arm.objective, ARMS[arm.beside].objective)
        )
        torch.testing.assert_close(found, beside)
        tuned = arm.tuned()
        assert isinstance(tuned, Obrs)
        assert (tuned.delay, tuned.budget) == (0.0, arm.objective.budget)


def test_a_table_has_means_and_differences_by_seed() -> None:
    rows = [
        {"case": "c", "start": "scratch", "arm": arm, "seed": seed, "budget": 2.0, "x": value}
        for arm, values in (("gan", (1.0, 3.0)), ("obrs-2", (2.0, 5.0)))
        for seed, value in enumerate(values)
    ]
    rows.append(
        {"case": "c", "start": "scratch", "arm": "obrs-2", "seed": 9, "budget": 2.0, "failed": "0 kept"}
    )
    lines = table(rows, ["x"])
    assert lines[2:] == [
        f"| c | scratch | 2 | gan | 2 | {summary([1.0, 3.0]).text()} |",
        f"| c | scratch | 2 | obrs-2 | 2 | {summary([2.0, 5.0]).text()} |",
        f"| c | scratch | 2 | obrs-2 - gan | 2 | {paired({0: 2.0, 1: 5.0}, {0: 1.0, 1: 3.0}).text(sign=True)} |",
    ]


@pytest.mark.slow
def test_the_quick_study_measures_every_arm_at_every_budget(tmp_path: Path) -> None:
    arms = ["gan", "obrs-2"]
    main([str(tmp_path), "--quick", "--device", "cpu", "--arms", *arms])
    for part, columns in (("plane", ("js", "spread")), ("images", ("fid", "recall"))):
        rows = json.loads((tmp_path / f"{part}.json").read_text())["rows"]
        assert len(rows) == 2 * 3 * len(arms) * 2  # starts, budgets, arms, seeds
        assert all(column in row for row in rows for column in columns)
        for budget in (2, 4):
            kept = [row["kept"] for row in rows if row["budget"] == budget]
            assert all(share == pytest.approx(1 / budget, abs=0.1) for share in kept)
        assert len((tmp_path / f"{part}.md").read_text().splitlines()) == 2 + 2 * 3 * (len(arms) + 1)


@pytest.mark.slow
def test_arms_begin_at_the_networks_of_stored_bases(tmp_path: Path) -> None:
    quick = ["--quick", "--device", "cpu", "--seeds", "100"]
    refined_images.main([str(tmp_path / "bases"), *quick, "--lams", "0.5"])
    main(
        [
            str(tmp_path / "on"),
            *quick,
            "--part",
            "images",
            "--arms",
            "gan",
            "--bases",
            str(tmp_path / "bases" / "kept"),
        ]
    )
    rows = json.loads((tmp_path / "on" / "images.json").read_text())["rows"]
    assert [(row["start"], row["arm"], row["budget"]) for row in rows] == [
        ("tuned", "gan", k) for k in (1, 2, 4)
    ]
    with pytest.raises(FileNotFoundError, match=r"base-100\.safetensors"):
        main([str(tmp_path), *quick, "--part", "images", "--bases", str(tmp_path)])


@pytest.mark.parametrize("others", [[], ["--part", "plane"], ["--part", "images", "--no-tune"]])
def test_bases_that_would_have_no_effect_are_refused(
    others: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path), "--quick", "--device", "cpu", "--bases", str(tmp_path), *others])
    assert "give --part images, and no --no-tune" in capsys.readouterr().err
