"""What readers leave beside the states of trials that are over."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from explorer.launch.pack_work import PackWork
from explorer.launch.sampler_files import SamplerFiles
from tests.explorer.launch.packs import order, said
from tests.explorer.launch.small import configs, small_sweep
from tests.trainables.samplers.trained import sampler, trained
from trainables.faults import Fault
from trainables.training.local_files import LocalFiles
from trainables.training.state_files import SAMPLER


def test_a_pack_leaves_one_of_every_trial_and_tells_nobody_its_ratios(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    told, heard = said(PackWork({**order(sweep), "largest_model": 10**8}))
    files = LocalFiles(sweep.resources.storage or "")
    for trial in configs(sweep):
        drawn = sampler(files.read(trial, SAMPLER)).draw(10, 2.0, seed=1)
        assert drawn.samples.shape == (10, 2)
    assert heard == []
    assert all(one.ratios is None for _, some in told for one, _ in some.values())


def test_one_that_is_not_wanted_or_too_large_is_not_left(tmp_path: Path) -> None:
    population, evaluation, file = trained("points")
    files, heard = LocalFiles(tmp_path), list[str]()
    SamplerFiles(files, 0, heard.append).keep(population, ["aa"], [evaluation])
    assert (files.names("aa"), heard) == ([], [])
    files.write("aa", SAMPLER, file)
    SamplerFiles(files, 100, heard.append).keep(population, ["aa"], [evaluation])
    assert SAMPLER not in files.names("aa")
    assert "models of trial aa are left out: each has 0.00" in heard[0]
    assert "tracking.largest = 0.0001; raise it" in heard[0]


def test_a_place_that_cannot_be_written_and_a_trial_at_fault_cost_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    population, evaluation, _ = trained("points")
    files, heard = LocalFiles(tmp_path), list[str]()
    keeper = SamplerFiles(files, 10**8, heard.append)
    keeper.keep(population, ["aa"], [replace(evaluation, fault=Fault("it fell"))])
    assert (files.names("aa"), heard) == ([], [])

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "write", full)
    keeper.keep(population, ["aa"], [evaluation])
    assert "models of trial aa are left out: they cannot be kept (OSError" in heard[0]
