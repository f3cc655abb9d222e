"""Checkpoints are whole or absent, shared by the trials of a pack, and never executed."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.trainables.training.trials import trial
from trainables.constraints.spectral import Spectral
from trainables.training.checkpoints import CheckpointFolder, Unreadable, upgraded
from trainables.training.population import Population
from trainables.training.rows import LAYOUT, TrialState
from trainables.training.state_files import Unreachable

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
    folder.save({"a": state(6)})
    assert folder.iterations("a") == [6]


def iterations(folder: CheckpointFolder, *trials: str) -> dict[str, int]:
    return {trial: int(state["iteration"]) for trial, state in folder.newest_states(trials).items()}


def test_trials_go_on_together_where_they_can_and_from_their_own_newest_where_not(tmp_path: Path) -> None:
    one, other = CheckpointFolder(tmp_path), CheckpointFolder(tmp_path)
    one.save({"a": state(10), "b": state(10)})
    assert iterations(one, "a", "b") == {"a": 10, "b": 10}
    torch.save(state(20), tmp_path / "a" / "20.pt")  # a driver that died while it saved
    assert iterations(one, "a", "b") == {"a": 10, "b": 10}
    assert iterations(one, "a") == {"a": 20}
    other.save({"b": state(30)})
    assert iterations(one, "a", "b") == {"a": 20, "b": 30}
    assert iterations(one, "b", "never seen") == {"b": 30}
    assert iterations(one) == {}


def test_an_older_state_that_all_have_and_none_needs_is_not_gone_back_to(tmp_path: Path) -> None:
    left_by_others = CheckpointFolder(tmp_path)
    left_by_others.save({"a": state(10), "b": state(10)})
    CheckpointFolder(tmp_path).save({"a": state(1000)})
    CheckpointFolder(tmp_path).save({"b": state(980)})
    assert iterations(CheckpointFolder(tmp_path), "a", "b") == {"a": 1000, "b": 980}


class Unsaveable:
    def __reduce__(self) -> Any:
        raise OSError("no space left on device")


def test_a_save_that_fails_half_way_keeps_the_old_iteration_of_all(tmp_path: Path) -> None:
    folder = CheckpointFolder(tmp_path)
    folder.save({name: state(10) for name in "abc"})
    broken: Any = {**state(20), "critic": Unsaveable()}
    with pytest.raises(OSError, match="no space left"):
        folder.save({"a": state(20), "b": broken, "c": state(20)})
    assert iterations(folder, "a", "b", "c") == {"a": 10, "b": 10, "c": 10}
    assert not list(tmp_path.rglob("*.partial")), "half a file is not left on a full disk"
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
    with pytest.raises(ValueError, match="it does not load \\(UnpicklingError\\)"):
        folder.load("a", 3)
    assert not marker.exists()


def test_what_does_not_load_is_set_aside_and_an_older_one_serves(tmp_path: Path) -> None:
    said: list[str] = []
    folder = CheckpointFolder(tmp_path, said.append)
    folder.save({"a": state(10), "b": state(10)})
    torch.save(state(20), tmp_path / "a" / "20.pt")
    (tmp_path / "b" / "20.pt").write_bytes(b"not a checkpoint")
    assert iterations(folder, "a", "b") == {"a": 10, "b": 10}
    assert folder.iterations("b") == [10]
    assert (tmp_path / "b" / "20.pt.aside-1").read_bytes() == b"not a checkpoint"
    assert said == [
        f"checkpoint {tmp_path}/b/20.pt is of no use, it does not load (UnpicklingError); "
        "it was set aside as 20.pt.aside-1"
    ]


@pytest.mark.parametrize(
    "missing",
    ["generator", "critic", "average", "constraint", "generator_first", "sides", "losses"],
)
def test_a_checkpoint_that_lacks_a_part_is_not_half_loaded(tmp_path: Path, missing: str) -> None:
    folder = CheckpointFolder(tmp_path)
    old = state(30)
    del old[missing]
    folder.save({"a": old})
    assert folder.newest_states(["a"]) == {}
    assert folder.iterations("a") == []
    assert (tmp_path / "a" / "30.pt.aside-1").exists()


@pytest.mark.parametrize(
    "content",
    [
        [1, 2],
        {"iteration": 5},
        {**state(5), "layout": torch.tensor([2, 2])},
        {**state(5), "iteration": torch.tensor([5, 5])},
        state(6),
    ],
)
def test_a_file_that_is_no_state_of_its_name_is_set_aside(tmp_path: Path, content: object) -> None:
    folder = CheckpointFolder(tmp_path)
    (tmp_path / "a").mkdir()
    torch.save(content, tmp_path / "a" / "5.pt")
    assert folder.newest_states(["a"]) == {}
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["5.pt.aside-1"]


def test_an_error_of_reading_is_retried_and_then_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trainables.training.checkpoints._PAUSE", 0.2)
    said: list[str] = []
    folder = CheckpointFolder(tmp_path, said.append)
    folder.save({"a": state(5)})
    good = tmp_path / "a" / "5.pt"
    good.rename(tmp_path / "kept")
    good.mkdir()
    with pytest.raises(Unreadable, match=r"checkpoint .*/a/5.pt cannot be read: Is a directory") as raised:
        folder.newest_states(["a"])
    assert raised.value.trial == "a"

    def heal() -> None:
        good.rmdir()
        (tmp_path / "kept").rename(good)

    healing = threading.Timer(0.1, heal)  # while the first pause lasts
    healing.start()
    assert iterations(folder, "a") == {"a": 5}
    healing.join()
    assert said == []


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
    states = list(folder.newest_states(["0", "1"]).values())
    assert [int(s["iteration"]) for s in states] == [5, 5]
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


def test_a_state_from_before_generators_were_constrained_goes_on_exactly() -> None:
    population = Population([trial(constraint=Spectral())])
    population.advance(3)
    old = {name: value for name, value in population.state(0).items() if name != "generator_constraint"}
    resumed = Population(population.configs, [upgraded(old)])
    for one in (population, resumed):
        one.advance(3)
    for name, matrix in population.matrices.items():
        assert torch.equal(resumed.matrices[name], matrix), name


def test_upgrading_leaves_the_state_it_was_given_alone() -> None:
    old = layout_1(state(3))
    before = set(old)
    new = upgraded(old)
    assert set(old) == before
    assert torch.equal(new["constraint"], old["spectral"])
    assert upgraded(new) == new


def test_what_is_no_state_and_what_is_of_a_later_layout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^it is not the state of a trial$"):
        upgraded({"b": torch.zeros(1), "a": torch.zeros(1)})
    later = {**state(4), "layout": torch.tensor(LAYOUT + 1)}
    with pytest.raises(ValueError, match=r"^it is of layout 3, and this version reads 1 and 2$"):
        upgraded(later)


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


STEPS = st.lists(
    st.tuples(st.sampled_from(["save", "resume"]), st.integers(0, 1), st.integers(1, 3)),
    min_size=1,
    max_size=12,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
@example(steps=[("save", 0, 1), ("save", 1, 2), ("save", 0, 3)])
@example(steps=[("save", 0, 2), ("resume", 1, 1), ("save", 1, 2), ("resume", 0, 1), ("save", 0, 1)])
def test_of_two_who_train_one_trial_each_drops_only_what_it_wrote_or_began_from(
    steps: list[tuple[str, int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whose a file is: of who wrote it or began from it. Everyone saves and is killed and begins anew as it likes."""
    place = tmp_path_factory.mktemp("shared")
    writers = [CheckpointFolder(place), CheckpointFolder(place)]
    reached = [0, 0]
    owners: dict[int, set[int]] = {}
    for kind, writer, stride in steps:
        if kind == "resume":
            writers[writer] = CheckpointFolder(place)
            for whose in owners.values():
                whose.discard(writer)
            found = iterations(writers[writer], "a")
            assert found == ({"a": max(owners)} if owners else {})
            reached[writer] = found.get("a", 0)
        else:
            reached[writer] += stride
            writers[writer].save({"a": state(reached[writer], value=float(reached[writer]))})
            for older in [i for i, whose in owners.items() if i < reached[writer] and writer in whose]:
                del owners[older]
        if reached[writer]:
            owners.setdefault(reached[writer], set()).add(writer)
        assert writers[writer].iterations("a") == sorted(owners)
    for iteration in owners:
        assert float(writers[0].load("a", iteration)["generator"][0]) == iteration


class Interrupted(CheckpointFolder):
    """Another writer goes on after this one has looked at the names, and before it reads."""

    def __init__(self, folder: Path, other: CheckpointFolder, times: int) -> None:
        super().__init__(folder)
        self.other, self.times = other, times

    def iterations(self, trial: str) -> list[int]:
        found = super().iterations(trial)
        if self.times:
            self.times -= 1
            self.other.save({name: state(found[-1] + 10) for name in ("a", "b")})
        return found


@pytest.mark.parametrize("times", [1, 2, 7])
def test_a_state_that_vanishes_under_a_reader_is_looked_for_again(tmp_path: Path, times: int) -> None:
    other = CheckpointFolder(tmp_path)
    other.save({"a": state(10), "b": state(10)})
    reader = Interrupted(tmp_path, other, times)
    assert iterations(reader, "a", "b") == dict.fromkeys("ab", 10 + 10 * times)


def test_a_state_that_is_listed_for_ever_and_never_there_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CheckpointFolder, "iterations", lambda self, trial: [5])
    with pytest.raises(Unreadable, match=r"checkpoint .*/a/5.pt cannot be read: No such file"):
        CheckpointFolder(tmp_path).newest_states(["a"])


def test_a_file_that_was_replaced_while_it_was_read_is_not_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    folder = CheckpointFolder(tmp_path, said.append)
    folder.save({"a": state(5)})
    whole = folder.files.read("a", "5.pt")
    reads = [whole[:100], whole]
    monkeypatch.setattr(folder.files, "read", lambda trial, name: reads.pop(0))
    assert iterations(folder, "a") == {"a": 5}
    assert (said, reads) == ([], [])


def test_a_place_that_does_not_answer_is_the_fault_of_no_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = CheckpointFolder(tmp_path)
    folder.save({"a": state(5)})

    def away(trial: str, name: str) -> bytes:
        raise Unreachable(f"{trial}/{name} could not be reached")

    monkeypatch.setattr(folder.files, "read", away)
    for ask in (
        lambda: folder.newest_states(["a"]),
        lambda: folder.state("a", 5),
        lambda: folder.notes(["a"]),
    ):
        with pytest.raises(Unreachable):
            ask()
    assert folder.iterations("a") == [5]
