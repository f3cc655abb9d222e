"""Samples of a seed are drawn to disk at a budget: the same at every call, counted, or refused in a sentence."""

from __future__ import annotations

import json
import resource
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from explorer.errors import UserError
from explorer.refining import Wish
from explorer.refining.file_subject import Files, drawn_files
from explorer.refining.sampled import sampled
from tests.trainables.samplers.given import archive
from tests.trainables.samplers.known_model import Known, of_ratios
from tests.trainables.samplers.scripts import Images, Judge, saved
from trainables.refinements import REFINEMENTS
from trainables.refinements.budgeted import Budgeted
from trainables.refinements.choosing import Choosing
from trainables.refinements.obrs import Obrs
from trainables.safetensors import Array
from trainables.samplers.constants import constants_of, pool_ratios
from trainables.samplers.pool import Drawable
from trainables.samplers.refining import Refining

METHODS = {name: kind() for name, kind in REFINEMENTS.loaded().items() if issubclass(kind, Budgeted)}


def draw(
    out: Path, model: Drawable, count: int, budget: float = 2.0, method: Budgeted | None = None, seed: int = 0
) -> dict[str, Any]:
    wish = Wish(budgets=(budget,), seed=seed)
    return sampled(model, method or Obrs(), wish, count, out, {"model": "known"})


def samples_in(path: Path) -> Array:
    with np.load(path) as found:
        samples: Array = found["samples"]
    return samples


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_every_method_tells_what_was_called(tmp_path: Path, method: Budgeted) -> None:
    out, model = tmp_path / "s.npz", Known()
    made = draw(out, model, 500, 4.0, method)
    ledger = made["ledger"]
    assert len(samples_in(out)) == ledger["samples"] == made["asked"] == 500
    assert (made["model"], made["method"], made["budget"], made["seed"]) == ("known", method.name, 4.0, 0)
    assert 500 <= sum(ledger[kind] for kind in ("draws", "scores", "gradients")) <= 2 * 4 * 500 * 1.25
    assert (made["tuned_on"] > 0) is isinstance(method, Choosing)
    with np.load(out) as found:
        assert json.loads(str(found["made"])) == made


def test_the_file_is_the_stream_with_constants_of_its_own_draws(tmp_path: Path) -> None:
    made = draw(tmp_path / "s.npz", Known(), 300, 3.0, seed=7)
    model, method = Known(), Obrs()
    ratios = pool_ratios(model, method, made["tuned_on"], 7)
    stream = Refining(model, method, 3.0, constants_of(model, method, 3.0, ratios, 7), 7)
    expected = torch.cat([piece.points for piece in stream.pieces(300)])
    np.testing.assert_array_equal(samples_in(tmp_path / "s.npz"), expected)
    told = {
        name: value for name, value in stream.ledger.plain().items() if name in ("draws", "scores", "samples")
    }
    assert told.items() <= made["ledger"].items()


def test_the_model_as_it_is_asks_for_no_ratio(tmp_path: Path) -> None:
    model = Known()
    made = draw(tmp_path / "s.npz", model, 100, 1.0)
    assert model.scored == 0
    assert (made["tuned_on"], made["ledger"]["draws"], made["ledger"]["scores"]) == (0, 100, 0)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_equal_seeds_give_equal_samples(tmp_path: Path, method: Budgeted) -> None:
    for name, seed in (("one", 5), ("same", 5), ("other", 6)):
        draw(tmp_path / f"{name}.npz", Known(), 200, 2.0, method, seed)
    one, same, other = (samples_in(tmp_path / f"{name}.npz") for name in ("one", "same", "other"))
    np.testing.assert_array_equal(one, same)
    assert not np.isin(one, other).any()


def test_equal_seeds_give_equal_images(tmp_path: Path) -> None:
    files = Files(saved(Images(), tmp_path / "g.pt"), saved(Judge(), tmp_path / "c.pt"))
    for name, seed in (("one", 5), ("same", 5), ("other", 6)):
        wish = Wish(budgets=(2.0,), seed=seed)
        model, method, title = drawn_files(files, wish)
        sampled(model, method, wish, 30, tmp_path / name, {"model": title})
    one, same, other = (
        [path.read_bytes() for path in sorted((tmp_path / name).glob("*.png"))]
        for name in ("one", "same", "other")
    )
    assert len(one) == 30
    assert one == same
    assert not set(one) & set(other)


def test_more_than_scored_samples_can_give_is_told(tmp_path: Path) -> None:
    wish = Wish(budgets=(4.0,))
    model, method, title = drawn_files(Files(archive(tmp_path / "scored.npz")), wish)
    made = sampled(model, method, wish, 10**6, tmp_path / "s.npz", {"model": title})
    ledger = made["ledger"]
    assert (made["asked"], made["tuned_on"], ledger["draws"]) == (10**6, 5000, 5000)
    assert ledger["samples"] == len(samples_in(tmp_path / "s.npz")) == pytest.approx(1250, abs=150)


def test_what_is_done_is_told_on_the_way(tmp_path: Path) -> None:
    heard: list[str] = []
    sampled(Known(), Obrs(), Wish(budgets=(2.0,)), 400, tmp_path / "s.npz", {}, heard.append)
    assert heard[0] == "obrs, K = 2: constants"
    assert heard[-1] == "obrs, K = 2: 400 of 400 samples"
    counts = [int(line.split(": ")[1].split(" of ")[0]) for line in heard[1:]]
    assert counts == sorted(counts)
    assert len(counts) > 2


@pytest.mark.parametrize("name", ["s.npz", "images"])
@pytest.mark.parametrize("budget", [1.0, 2.0])
def test_an_interrupted_draw_leaves_nothing(tmp_path: Path, name: str, budget: float) -> None:
    files = Files(saved(Images(), tmp_path / "g.pt"), saved(Judge(), tmp_path / "c.pt"))
    wish = Wish(budgets=(budget,))
    model, method, _ = drawn_files(files, wish)
    (tmp_path / "own").mkdir()

    def interrupt(told: str) -> None:
        if " of " in told:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sampled(model, method, wish, 5000, tmp_path / "own" / name, {}, interrupt)
    assert not list((tmp_path / "own").iterdir())


@pytest.mark.parametrize(
    ("model", "name", "budget", "sentence"),
    [
        (
            of_ratios(torch.full((50,), -torch.inf)),
            "s.npz",
            2.0,
            "known cannot be sampled: the ratio is 0 at all 50",
        ),
        (
            of_ratios(torch.full((50,), torch.nan)),
            "s.npz",
            2.0,
            "known cannot be sampled: the log ratio must be a",
        ),
        (of_ratios(torch.zeros(9)), "s.npz", 1e6, "known cannot be sampled: none of 9 draws were kept"),
        (
            Known(),
            "images",
            2.0,
            r"a folder takes grey or coloured images, and samples have the shape \(1,\)",
        ),
        (Known(), "s.txt", 2.0, r"a \.npz file or to a folder, got '.*s\.txt'"),
        (Known(), "no/s.npz", 2.0, "there is no folder"),
    ],
    ids=["zero", "NaN", "none", "points", "ending", "nowhere"],
)
def test_what_cannot_be_drawn_is_refused_and_leaves_nothing(
    tmp_path: Path, model: Drawable, name: str, budget: float, sentence: str
) -> None:
    with pytest.raises(UserError, match=sentence):
        draw(tmp_path / name, model, 10, budget)
    assert not list(tmp_path.iterdir())


def test_what_moves_draws_refuses_those_at_hand(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="known cannot be sampled: refinement 'dot' moves draws by calling"):
        draw(tmp_path / "s.npz", of_ratios(torch.zeros(50)), 10, 4.0, METHODS["dot"])


@pytest.mark.parametrize("count", [100, 20_000])
def test_a_full_disk_is_told(tmp_path: Path, count: int) -> None:
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, usual[1]))  # of one file, in bytes
    try:
        with pytest.raises(UserError, match=r"samples cannot be written to .*s\.npz: File too large"):
            draw(tmp_path / "s.npz", Known(), count)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert not list(tmp_path.iterdir())
