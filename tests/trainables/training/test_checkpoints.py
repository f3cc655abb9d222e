"""Checkpoints are whole or absent, shared by the trials of a pack, and never executed."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.trainables.training.trials import trial
from trainables.constraints.spectral import Spectral
from trainables.training.checkpoints import CheckpointFolder, upgraded
from trainables.training.population import LAYOUT, Population, TrialState

NAMES = tuple(Population([trial()]).state(0))


def state(iteration: int, value: float = 0.0) -> TrialState:
    rows = {name: torch.full((3,), value) for name in NAMES}
    return {**rows, "iteration": torch.tensor(iteration), "layout": torch.tensor(LAYOUT)}


def test_round_trip(tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path / "not" / "yet" / "there")
    folder.save({"a": state(7, 1.5), "b": state(7, 2.5)})
    loaded = folder.load("b", 7)
    assert int(loaded["iteration"]) == 7
    torch.testing.assert_close(loaded["generator"], torch.full((3,), 2.5), rtol=0, atol=0)


def test_only_the_newest_stays(tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path)
    for iteration in (9, 10, 100):
        folder.save({"a": state(iteration)})
    assert folder.iterations("a") == [100]
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["100.pt"]


def test_stray_files_are_ignored(tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path)
    folder.save({"a": state(5)})
    (tmp_path / "a" / ".6.pt.123.partial").write_bytes(b"half a file")
    (tmp_path / "a" / "latest.pt").write_bytes(b"someone else's")
    assert folder.iterations("a") == [5]
    assert folder.newest_common(["a"]) == 5
    folder.save({"a": state(6)})
    assert folder.iterations("a") == [6]


def test_newest_common(tmp_path: Path) -> None:
    one, other = CheckpointFolder(tmp_path), CheckpointFolder(tmp_path)
    one.save({"a": state(10), "b": state(10)})
    assert one.newest_common(["a", "b"]) == 10
    other.save({"b": state(20)})
    assert one.newest_common(["a", "b"]) == 0
    assert one.newest_common(["b"]) == 20
    assert one.newest_common(["a", "never seen"]) == 0
    assert one.newest_common([]) == 0


class Unsaveable:
    def __reduce__(self) -> Any:
        raise OSError("no space left on device")


def test_a_save_that_fails_half_way_keeps_the_old_iteration_of_all(tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path)
    folder.save({name: state(10) for name in "abc"})
    broken: Any = {**state(20), "critic": Unsaveable()}
    with pytest.raises(OSError, match="no space left"):
        folder.save({"a": state(20), "b": broken, "c": state(20)})
    assert folder.newest_common(["a", "b", "c"]) == 10
    assert folder.iterations("a") == [10, 20]
    assert folder.iterations("b") == folder.iterations("c") == [10]
    assert int(folder.load("b", 10)["iteration"]) == 10
    folder.save({name: state(20) for name in "abc"})
    assert [folder.iterations(name) for name in "abc"] == [[20]] * 3


def test_an_older_state_does_not_remove_a_newer_one(tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path)
    folder.save({"a": state(30)})
    folder.save({"a": state(20)})
    assert folder.iterations("a") == [20, 30]


class Trap:
    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.marker),)


def test_code_in_a_checkpoint_is_refused(tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path)
    (tmp_path / "a").mkdir()
    marker = tmp_path / "executed"
    torch.save({**state(3), "critic": Trap(marker)}, tmp_path / "a" / "3.pt")
    with pytest.raises(pickle.UnpicklingError):
        folder.load("a", 3)
    assert not marker.exists()


def test_what_does_not_load_is_removed_and_an_older_one_serves(tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path)
    folder.save({"a": state(10), "b": state(10)})
    torch.save(state(20), tmp_path / "a" / "20.pt")
    (tmp_path / "b" / "20.pt").write_bytes(b"not a checkpoint")
    common, states = folder.load_common(["a", "b"])
    assert common == 10
    assert states is not None
    assert [int(s["iteration"]) for s in states] == [10, 10]
    assert folder.iterations("b") == [10]


@pytest.mark.parametrize(
    "missing",
    ["generator", "critic", "average", "constraint", "generator_first", "sides", "losses"],
)
def test_a_checkpoint_that_lacks_a_part_is_not_half_loaded(tmp_path: Path, missing: str) -> None:
    folder = CheckpointFolder(tmp_path)
    old = state(30)
    del old[missing]
    folder.save({"a": old})
    assert folder.load_common(["a"]) == (0, None)
    assert folder.iterations("a") == []


def layout_1(today: TrialState) -> TrialState:
    """As the first layout had it: no number, and the vectors of spectral normalisation under their own name."""
    old = {name: value for name, value in today.items() if name not in ("layout", "constraint")}
    return {**old, "spectral": today["constraint"]}


def test_a_state_of_the_first_layout_goes_on_exactly(tmp_path: Path) -> None:
    configs = [trial(constraint=Spectral(lipschitz=2.0)), trial(seed=1)]
    population = Population(configs)
    population.advance(5)
    folder = CheckpointFolder(tmp_path)
    folder.save({str(i): layout_1(population.state(i)) for i in range(2)})
    common, states = folder.load_common(["0", "1"])
    assert common == 5
    assert states is not None
    assert all(int(s["layout"]) == LAYOUT and "spectral" not in s for s in states)
    resumed = Population(configs, states)
    population.advance(5)
    resumed.advance(5)
    for name, matrix in population.matrices.items():
        assert torch.equal(resumed.matrices[name], matrix), name


def test_a_free_trial_of_the_first_layout_had_vectors_that_nobody_needs() -> None:
    old = layout_1(Population([trial()]).state(0))
    old["spectral"] = torch.ones(17)
    Population([trial()], [upgraded(old)]).advance(1)


def test_upgrading_leaves_the_state_it_was_given_alone() -> None:
    old = layout_1(state(3))
    before = set(old)
    new = upgraded(old)
    assert set(old) == before
    assert torch.equal(new["constraint"], old["spectral"])
    assert upgraded(new) == new


def test_what_is_no_state_and_what_is_of_a_later_layout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^it holds \['a', 'b'\], which is not the state of a trial$"):
        upgraded({"b": torch.zeros(1), "a": torch.zeros(1)})
    later = {**state(4), "layout": torch.tensor(LAYOUT + 1)}
    with pytest.raises(ValueError, match=r"^it is of layout 3, and this version reads layouts 1 and 2$"):
        upgraded(later)
    folder = CheckpointFolder(tmp_path)
    folder.save({"a": later})
    assert folder.load_common(["a"]) == (0, None)


def test_a_note_lies_beside_the_checkpoints(tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path)
    assert folder.note("a") is None
    folder.save({"a": state(5)})
    assert folder.note("a") is None
    folder.set_note("a", "ended early: λ = 1 plateaued")
    folder.set_note("a", "ended early: λ = 2 plateaued")
    assert CheckpointFolder(tmp_path).note("a") == "ended early: λ = 2 plateaued"
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["5.pt", "note.txt"]
    folder.save({"a": state(6)})
    assert folder.note("a") is not None
    assert folder.iterations("a") == [6]
