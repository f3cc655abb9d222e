"""Follow-up sweeps load through the real loader, and lie where they should."""

from dataclasses import replace
from itertools import pairwise

import pytest
import yaml

from explorer.errors import UserError
from explorer.followup import fill, filling, follow_up_name, gap_to_fill
from explorer.goals import parse_goals
from explorer.results.columns import Columns
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN
from explorer.sweep.document import load_sweep
from explorer.sweep.loading import parse_yaml

GOALS = parse_goals({"precision": "max", "recall": "max"})


def stored(sweep):
    """The sweep file as a launch keeps it."""
    return yaml.safe_dump(dict(sweep.document), sort_keys=False, allow_unicode=True)


def measured(sweep, recall_of):
    """A table of the sweep's grid, with a recall per trial and a precision that makes all of them a front."""
    trials = []
    for point in sweep.space.grid():
        for config in sweep.repeats(point):
            recall = recall_of(point) + 0.001 * config.seed
            metrics = {"recall": recall, "precision": 1 - recall}
            identity = config.identity()
            trials.append(Trial(identity, identity, "finished", config.params(), {PLAIN: metrics}))
    return TrialTable(sweep.name, GOALS, tuple(trials))


RECALLS = {0.2: 0.9, 0.5: 0.8, 1.5: 0.7, 5: 0.3, 20: 0.2}


@pytest.fixture(scope="module")
def demo():
    return load_sweep("demo")


@pytest.fixture(scope="module")
def table(demo):
    return measured(demo, lambda point: RECALLS.get(point.get("objective.lam"), 0.05))


def loaded(text, folder):
    file = folder / "fill.yaml"
    file.write_text(text, encoding="utf-8")
    return load_sweep(file)


def test_the_widest_gap_is_filled_by_lambdas_between(table, demo, tmp_path):
    sweep = loaded(fill(Columns(table), stored(demo), points=6), tmp_path)
    assert sweep.name == "demo-fill"
    points = list(sweep.space.grid())
    assert len(points) == 6
    assert all(point["objective.name"] == "pr" for point in points)
    lambdas = [point["objective.lam"] for point in points]
    assert all(1.5 < lam < 5 for lam in lambdas)
    # Even steps of recall, from 0.3 at λ = 5 to 0.7 at λ = 1.5, are even steps of log λ here.
    ratios = [a / b for a, b in pairwise(lambdas)]
    assert max(ratios) - min(ratios) < 0.01


def test_where_words_alone_differ_in_the_widest_gap_the_next_is_filled(demo, tmp_path):
    recalls = {0.2: 0.3, 0.5: 0.16, 1.5: 0.14, 5: 0.12, 20: 0.1}
    words = {"gan": 0.9, "hinge": 0.95}
    table = measured(
        demo, lambda point: recalls.get(point.get("objective.lam"), words.get(point["objective.name"]))
    )
    columns = Columns(table)
    low, high = gap_to_fill(columns, stored(demo), "recall")
    assert (low, high) == pytest.approx((0.16, 0.3), abs=0.01)
    sweep = loaded(fill(columns, stored(demo), points=3), tmp_path)
    lambdas = [point["objective.lam"] for point in sweep.space.grid()]
    assert len(lambdas) == 3
    assert all(0.2 < lam < 0.5 for lam in lambdas)


def test_all_but_the_space_is_that_of_the_first_sweep(table, demo, tmp_path):
    sweep = loaded(fill(table, stored(demo)), tmp_path)
    assert sweep.seeds == demo.seeds
    assert sweep.plan == demo.plan
    first, second = (next(iter(s.space.grid())) for s in (demo, sweep))
    before, after = demo.trial(first, 0).params(), sweep.trial(second, 0).params()
    assert {k: v for k, v in after.items() if k != "objective.lam"} == {
        k: v for k, v in before.items() if k != "objective.lam"
    }
    assert dict(sweep.search.objectives) == {"precision": "max", "recall": "max"}


def test_a_stretch_that_is_asked_for(table, demo, tmp_path):
    sweep = loaded(fill(table, stored(demo), 0.72, 0.78, points=3), tmp_path)
    assert all(0.5 < point["objective.lam"] < 1.5 for point in sweep.space.grid())


def test_what_was_tried_and_lies_behind_is_not_tried_again(demo, tmp_path):
    """λ = 1.5 is dominated here, and even steps would lead through it."""

    def measures(point):
        return {0.5: 0.9, 1.5: 0.6, 4.5: 0.3}.get(point.get("objective.lam"), 0.1)

    first = load_sweep("demo", {"space": {"objective.lam": [0.5, 1.5, 4.5]}}, seeds=1)
    table = measured(first, measures)
    behind = [
        replace(t, readings={PLAIN: {"recall": 0.1, "precision": 0.05}})
        if t.params["objective.lam"] == 1.5
        else t
        for t in table
    ]
    found = yaml.safe_load(fill(replace(table, trials=tuple(behind)), stored(first), 0.3, 0.9, points=1 + 2))
    assert 1.5 not in found["space"]["objective.lam"]
    assert len(found["space"]["objective.lam"]) == 2


def test_words_beside_the_stretch_are_kept_each_with_its_own_numbers(tmp_path):
    first = load_sweep("gaussians-8-lipschitz")
    lips = {1: 0.1, 5: 0.0, 25: -0.1}

    def recall_of(point):
        return 0.5 - 0.02 * point["objective.lam"] + lips.get(point.get("constraint.lipschitz"), 0.3)

    text = fill(measured(first, recall_of), stored(first), 0.45, 0.6, points=6)
    points = list(loaded(text, tmp_path).space.grid())
    assert {point.get("constraint.name", "none") for point in points} <= {"spectral", "none"}
    assert len({tuple(sorted(point.items())) for point in points}) == len(points)


def test_numbers_that_go_together_stay_together(tmp_path):
    first = load_sweep(
        {
            "name": "pair",
            "dataset": {"name": "gaussians8"},
            "model": {"name": "mlp_gan", "size": "small"},
            "objective": {"name": "pr"},
            "space": [
                {"objective.lam": [0.1], "training.generator_lr": [0.001]},
                {"objective.lam": [10], "training.generator_lr": [0.002]},
            ],
        }
    )
    table = measured(first, lambda point: 0.9 if point["objective.lam"] < 1 else 0.3)
    points = list(loaded(fill(table, stored(first), points=3), tmp_path).space.grid())
    assert len(points) == 3
    for point in points:
        share = (point["training.generator_lr"] - 0.001) / 0.001
        assert point["objective.lam"] == pytest.approx(0.1 * 100**share, rel=1e-3)


def test_a_section_that_was_varied_whole_is_written_whole(tmp_path):
    first = load_sweep(
        {
            "name": "whole",
            "dataset": {"name": "gaussians8"},
            "model": {"name": "mlp_gan", "size": "small"},
            "space": {
                "objective": [{"name": "pr", "lam": lam, "cover": 0.4, "form": "step"} for lam in (0.5, 5.0)]
            },
        }
    )
    table = measured(first, lambda point: 0.9 if point["objective"]["lam"] < 1 else 0.3)
    sweep = loaded(fill(table, stored(first), points=2), tmp_path)
    for point in sweep.space.grid():
        trial = sweep.trial(point, 0)
        assert (trial.objective.cover, trial.objective.form) == (0.4, "step")
        assert 0.5 < trial.objective.lam < 5


def test_words_alone_leave_nothing_between(tmp_path):
    first = load_sweep(
        {
            "name": "words",
            "dataset": {"name": "gaussians8"},
            "model": {"name": "mlp_gan", "size": "small"},
            "space": {"objective.name": ["gan", "hinge"]},
        }
    )
    table = measured(first, lambda point: 0.9 if point["objective.name"] == "gan" else 0.3)
    with pytest.raises(UserError, match="differ in words alone"):
        fill(table, stored(first))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"along": "nothing"}, "got 'nothing'"),
        ({"low": 0.8, "high": 0.2}, "from a smaller to a larger recall"),
        ({"points": 0}, "from 1 to 200 points, got 0"),
    ],
)
def test_refusals_say_what_is_wanted(table, demo, changes, told):
    with pytest.raises(UserError, match=told):
        fill(table, stored(demo), **changes)


@pytest.mark.parametrize("document", [None, "", "[", "- a", "3: 4", "[" * 3000])
def test_a_sweep_without_its_file_cannot_be_followed(table, document):
    with pytest.raises(UserError, match="stored sweep file"):
        fill(table, document)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("demo", "demo-fill"),
        ("demo-fill", "demo-fill-2"),
        ("demo-fill-2", "demo-fill-3"),
        ("a b/<c>", "a-b-c--fill"),
        ("", "sweep-fill"),
        ("x" * 200, "x" * 90 + "-fill"),
    ],
)
def test_names(name, told):
    assert follow_up_name(name) == told


@pytest.mark.parametrize(
    "more",
    [
        "training: &x [*x]\n",
        "a: &a [0,0,0,0,0,0,0,0]\n"
        + "".join(
            f"{b}: &{b} [*{a},*{a},*{a},*{a},*{a},*{a},*{a},*{a}]\n" for a, b in pairwise("abcdefghijkl")
        ),
    ],
)
def test_a_file_that_names_itself_again_and_again_stays_as_small_as_it_is(table, more):
    found = fill(table, f"name: demo\nspace: {{objective.lam: [1]}}\n{more}")
    assert len(found) < 3000


@pytest.mark.parametrize(
    "word", ["1e-3", "1E5", ".5", "1_000", "0x10", "yes", "null", "pr", "2020-01-01", "-.inf", "nan"]
)
def test_words_are_read_as_words(word):
    text = yaml.dump({"choice": [word, "other"], word: 1.5}, Dumper=filling._Dumper)
    assert parse_yaml(text, "test") == {"choice": [word, "other"], word: 1.5}
