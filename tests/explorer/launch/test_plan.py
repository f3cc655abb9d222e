"""A plan says what a launch would do, and starts nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from explorer.errors import UserError
from explorer.launch.earlier import Earlier, earlier_trials
from explorer.launch.ledger import Ledger
from explorer.launch.outcomes import Settled
from explorer.launch.places import memo_of
from explorer.launch.plan import _duration, make_plan
from explorer.launch.slots import Slots
from explorer.sweep.sweep import Sweep
from tests.explorer.launch.small import configs, finish, small_sweep, tracker
from trainables.models import MODELS
from trainables.models.mlp_gan import MlpGan

TWO = Slots(2, gpu=False)


def checkpoint(folder: Path, trial: str, iteration: int) -> None:
    place = folder / "checkpoints" / trial
    place.mkdir(parents=True)
    (place / f"{iteration}.pt").touch()


def test_a_new_sweep_is_all_to_do(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, seeds=3)
    plan = make_plan(sweep, Earlier(), TWO)
    assert (plan.trials, plan.done, plan.diverged, plan.resumed, plan.read) == (6, 0, 0, 0, 0)
    assert [len(pack.trials) for pack in plan.packs] == [3, 3]
    assert plan.iterations == 6 * 8
    assert plan.seconds is not None
    assert plan.seconds > 0
    assert list(tmp_path.iterdir()) == []
    assert make_plan(sweep, Earlier(), Slots(2, gpu=True)).seconds is None, "on a card it would be a guess"


def test_a_constraint_that_a_network_cannot_have_is_refused_before_anything_is_trained(
    tmp_path: Path,
) -> None:
    sweep = small_sweep(tmp_path, model={"name": "realnvp"}, generator_constraint={"name": "spectral"})
    with pytest.raises(
        UserError, match=r"^constraint 'spectral' needs .* the generator of model 'realnvp' has others"
    ):
        make_plan(sweep, Earlier(), TWO)


def test_what_is_over_is_not_done_again(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, seeds=2)
    done, diverged, *_ = configs(sweep)
    settled = {
        done: Settled({"fid": 1.0}),
        diverged: Settled({}, "diverged: …"),
        "elsewhere": Settled({"fid": 2.0}),
    }
    known = Earlier(settled, present=frozenset(settled))
    plan = make_plan(sweep, known, TWO)
    assert (plan.trials, plan.done, plan.diverged, plan.outside) == (4, 1, 1, 1)
    assert plan.iterations == 2 * 8


def test_checkpoints_are_gone_on_from_and_full_ones_only_read(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, seeds=2)
    half, full, *_ = configs(sweep)
    checkpoint(tmp_path, half, 4)
    checkpoint(tmp_path, full, 8)
    plan = make_plan(sweep, Earlier(), TWO)
    assert (plan.resumed, plan.read, plan.iterations) == (1, 1, 2 * 8 + 4)


def test_a_wish_for_another_budget_costs_no_iteration(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    for trial in configs(sweep):
        finish(tracker(sweep), sweep, trial)
        checkpoint(tmp_path, trial, 8)
    assert make_plan(sweep, earlier_trials(sweep), TWO).done == 2
    wider = small_sweep(tmp_path, refinement={"budgets": [1, 2, 4]})
    plan = make_plan(wider, earlier_trials(wider), TWO)
    assert (plan.trials, plan.done, plan.read, plan.iterations) == (2, 0, 2, 0)
    assert plan.seconds is not None
    assert plan.seconds > 0, "reading takes its time"
    assert {t.remaining for pack in plan.packs for t in pack.trials} == {0}


def test_a_trial_stopped_early_is_read_where_it_stopped(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    first, _ = configs(sweep)
    checkpoint(tmp_path, first, 4)
    plan = make_plan(sweep, Earlier(stops={first: 4}), TWO)
    assert (plan.read, plan.iterations) == (1, 8)


def test_runs_of_an_older_layout_keep_their_checkpoints(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    first, _ = configs(sweep)
    checkpoint(tmp_path, "old", 8)
    plan = make_plan(sweep, Earlier(renamed={first: "old"}, lost=("x", "y"), present=frozenset({first})), TWO)
    assert (plan.read, plan.renamed, plan.lost, plan.outside) == (1, 1, 2, 0)


LEARNING = {"name": "nsga2", "trials": 12, "population": 4, "batch": 3}
RANGE = {"objective.lam": {"log_range": [0.1, 10]}}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path))


@pytest.mark.usefixtures("home")
def test_of_a_search_that_learns_a_plan_says_how_it_goes_about_it(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, search={"name": "tpe", "trials": 5}, space=RANGE)
    plan = make_plan(sweep, Earlier(), TWO)
    assert (plan.trials, plan.packs, plan.iterations) == (5, (), 5 * 8)
    assert plan.remarks == (
        "8 points at a time, the first 17 drawn at random: with 5 points the search learns nothing; use more "
        "search.trials, a smaller search.batch, or the search sobol",
    )
    assert plan.sentences()[1] == plan.remarks[0]
    assert list(tmp_path.iterdir()) == [], "nothing is written"


def outcome(trial: str) -> Settled:
    return Settled({"precision": int(trial, 16) % 97 / 97, "recall": int(trial, 16) % 89 / 89, "fid": 1.0})


def launched(sweep: Sweep, known: dict[str, Settled], until: int = 10**9) -> dict[str, Settled]:
    """What the books of a launch have after it settled so many trials, killed then; none is trained."""
    ledger = Ledger(sweep, sweep.source(memo_of(sweep)), Earlier(known), lambda trial: 0)
    settled = dict(known)
    while not ledger.exhausted:
        ledger.refill(ledger.points, 2)
        for pack in ledger.drain():
            for trial in reversed(pack.trials):
                if len(settled) - len(known) >= until:
                    return settled
                settled[trial.id] = outcome(trial.id)
                ledger.settle(trial.id, settled[trial.id])
    return settled


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    "search", [LEARNING, {"name": "tpe", "trials": 16, "batch": 3}], ids=["nsga2", "tpe"]
)
def test_a_search_killed_and_resumed_ends_as_an_undisturbed_one_and_plans_are_true(
    tmp_path: Path, search: dict[str, object]
) -> None:
    sweep = small_sweep(tmp_path, search=search, space=RANGE, seeds=2)
    trials = int(str(search["trials"]))
    whole = launched(small_sweep(tmp_path, name="whole", search=search, space=RANGE, seeds=2), {})
    assert len(whole) == trials
    known: dict[str, Settled] = {}
    for killed in (1, 3, 2, 4):
        known = launched(sweep, known, killed)
        plan = make_plan(sweep, Earlier(known, present=frozenset(known)), TWO)
        assert (plan.trials, plan.done, plan.left, plan.outside) == (
            trials,
            len(known),
            trials - len(known),
            0,
        )
    assert len(known) == 10
    known = launched(sweep, known)
    assert known == whole
    over = make_plan(sweep, Earlier(known, present=frozenset(known)), TWO)
    assert (over.trials, over.done, over.left, over.outside) == (trials, trials, 0, 0)


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("name", ["nsga2", "nsga3", "tpe", "random", "sobol"])
def test_an_extended_search_reuses_all_that_is_done(tmp_path: Path, name: str) -> None:
    known: dict[str, Settled] = {}
    for trials in (6, 12, 18):
        sweep = small_sweep(tmp_path, search={"name": name, "trials": trials}, space=RANGE)
        plan = make_plan(sweep, Earlier(known, present=frozenset(known)), TWO)
        assert (plan.trials, plan.done, plan.outside) == (trials, len(known), 0)
        known = launched(sweep, known)
        assert len(known) == trials
    wider = {"objective.lam": {"log_range": [0.01, 100]}}
    for seeds, trials, extra in ((1, 18, 0), (2, 36, 18), (2, 40, 4)):
        search = {"name": name, "trials": trials}
        sweep = small_sweep(tmp_path, search=search, space=wider, seeds=seeds)
        plan = make_plan(sweep, Earlier(known, present=frozenset(known)), TWO)
        assert (plan.trials, plan.done, plan.left, plan.outside) == (trials, len(known), extra, 0)
        known = launched(sweep, known)
        assert len(known) == trials


@pytest.mark.usefixtures("home")
def test_a_search_that_runs_out_of_points_says_so(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, search={"name": "tpe", "trials": 9}, space={"objective.lam": [1, 2, 1.0]})
    plan = make_plan(sweep, Earlier(), TWO)
    assert plan.trials == 2
    assert plan.sentences()[-1].startswith("the search is over after 2 of 9 points: ")


STAGED = {
    "base": {"objective": {"name": "gan"}, "training": {"iterations": 20, "batch_size": 8}},
    "start": {"from": "base"},
}


def test_bases_come_first_and_are_not_counted_among_the_trials(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, seeds=3, **STAGED)
    starts = {c.start.base for c in configs(sweep).values() if c.start is not None}
    plan = make_plan(sweep, Earlier(), TWO)
    assert (plan.trials, plan.bases, plan.bases_left, plan.left) == (6, 3, 3, 9)
    assert len(set(plan.bases_to_train)) == 3
    assert plan.iterations == 3 * 20 + 6 * 8
    assert [len(pack.trials) for pack in plan.packs] == [2, 1, 3, 3]
    assert {t.id for pack in plan.packs[:2] for t in pack.trials} == starts
    assert plan.sentences()[0].startswith(
        "sweep small: 3 bases, then 6 trials, 4 packs of 1 to 3, 108 iterations"
    )
    for base in starts:
        checkpoint(tmp_path, base, 20)
    trained = make_plan(sweep, Earlier(), TWO)
    assert (trained.bases_left, trained.read, trained.iterations) == (3, 3, 6 * 8)
    assert trained.bases_to_train == ()
    known = Earlier({base: Settled({"fid": 1.0}) for base in starts}, present=frozenset(starts))
    over = make_plan(sweep, known, TWO)
    assert (over.bases_left, over.left, over.outside) == (0, 6, 0)
    assert over.sentences()[0].startswith("sweep small: 6 trials from 3 bases, 2 packs of 3")


def test_trials_of_a_base_that_diverged_are_not_trained(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path, seeds=2, **STAGED)
    first, _ = dict.fromkeys(c.start.base for c in configs(sweep).values() if c.start is not None)
    plan = make_plan(sweep, Earlier({first: Settled({}, "diverged: …")}), TWO)
    assert (plan.trials, plan.doomed, plan.diverged, plan.left) == (4, 2, 0, 3)
    assert "2 whose base diverged before" in plan.sentences()[0]


def test_the_document_is_plain(tmp_path: Path) -> None:
    sweep = small_sweep(tmp_path)
    plan = make_plan(sweep, Earlier(), Slots(1, gpu=False))
    document = json.loads(json.dumps(plan.document()))
    assert document["packs"] == [list(configs(sweep))]
    assert (document["sweep"], document["trials"]) == ("small", 2)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.01, "1 s"), (89, "89 s"), (90, "2 min"), (5399, "90 min"), (7200, "2.0 h")]
)
def test_times_are_rough(seconds: float, words: str) -> None:
    assert _duration(seconds) == words


def test_what_it_shows_of_itself_fits_a_line(tmp_path: Path) -> None:
    plan = make_plan(small_sweep(tmp_path), Earlier(), TWO)
    assert plan.sentences()[0].startswith("sweep small: 2 trials, 2 packs of 1, 16 iterations in all, about ")
    assert "packs" not in repr(plan), "hundreds of configs"


@dataclass(frozen=True)
class Large(MlpGan):
    """Fills a card by itself, as it says."""

    name: ClassVar[str] = "large"
    stacks: ClassVar[bool] = False


@pytest.fixture
def large() -> None:
    MODELS.add(Large)


@pytest.mark.usefixtures("large")
def test_models_that_do_not_stack_run_one_by_one_and_the_plan_says_so(tmp_path: Path) -> None:
    model = {"name": "large", "generator": [4], "critic": [4]}
    alone = make_plan(small_sweep(tmp_path, model=model, seeds=3), Earlier(), TWO)
    assert alone.sentences()[0].startswith(
        "sweep small: 6 trials, 6 trials one by one (large does not stack), 48 iterations"
    )
    assert (alone.document()["one_by_one"], alone.document()["cuda_graphs"]) == ({"large": 6}, False)
    mixed = small_sweep(tmp_path, model=model, space={"model.name": ["large", "mlp_gan"]}, seeds=2)
    both = make_plan(mixed, Earlier(), Slots(2, gpu=True))
    assert both.sentences()[0].startswith(
        "sweep small: 4 trials, 1 pack of 2, 2 trials one by one (large does not stack), as CUDA graphs, 32 iterations"
    )
    assert both.document()["cuda_graphs"]
