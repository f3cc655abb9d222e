"""Files of a user's own are a model that is refined and sampled, or refused in a sentence that says what is amiss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from explorer.errors import UserError
from explorer.refining import Wish, refined
from explorer.refining.file_subject import Files, drawn_files, file_subject, is_model
from explorer.refining.subject import Subject
from tests.trainables.samplers.given import archive, folder, pictures
from tests.trainables.samplers.scripts import Constant, Critic, Generator, Images, Judge, saved
from trainables.samplers.pool import Drawable

NUMBERS = np.random.default_rng(3)
REAL = (1 + NUMBERS.standard_normal((2000, 1))).astype(np.float32)


def real_file(path: Path, samples: NDArray[Any] = REAL, **arrays: Any) -> Path:
    np.savez(path, samples=samples, **arrays)
    return path


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """Q = N(0, 1), P = N(1, 1) and log p/q, with 2,000 points of P."""
    generator, critic = saved(Generator(), tmp_path / "g.pt"), saved(Critic(), tmp_path / "c.pt")
    return Files(generator, critic, real_file(tmp_path / "real.npz"))


def subject(files: Files, **wished: Any) -> Subject:
    return file_subject(files, Wish(**{"budgets": (1.0, 2.0), **wished}))


def drawn(files: Files, **wished: Any) -> Drawable:
    return drawn_files(files, Wish(**{"budgets": (2.0,), **wished}))[0]


def known(found: Subject) -> tuple[str, str | None, bool]:
    assert found.ratio is not None
    return found.ratio.source, found.ratio.calibration, found.ratio.reliability is not None


def test_a_generator_and_its_critic_are_refined_towards_the_real_samples(files: Files) -> None:
    found = subject(files)
    assert found.title == f"generator {files.model}"
    assert known(found) == ("critic", "slope", True)
    assert (found.run, found.trial, found.sweep, found.alphas) == ("", "", "", ())
    assert (found.evaluation.samples, len(found.real.points)) == (1000, 1000)
    plain, better = refined(found).readings
    assert better.ledger.acceptance == pytest.approx(1 / 2, abs=0.03)
    assert float(plain.points.mean()) == pytest.approx(0, abs=0.15)
    assert float(better.points.mean()) > 0.5


def test_half_of_the_real_samples_measure_and_only_those(files: Files, tmp_path: Path) -> None:
    numbered = real_file(tmp_path / "n.npz", np.arange(50, dtype=np.float32)[:, None])
    found = subject(replace(files, real=numbered))
    measured = set(found.real.points.flatten().tolist())
    seen = set(found.real.source.seen.flatten().tolist())  # type: ignore[attr-defined]
    assert len(measured) == len(seen) == 25
    assert measured | seen == set(map(float, range(50)))


def test_a_classifier_takes_the_place_of_a_critic(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainables.samplers.fitted.MOST_EPOCHS", 5)
    found = subject(replace(files, critic=None), ratio="classifier")
    assert known(found) == ("classifier", "slope", True)
    pool = next(iter(found.model.pools(0)))
    assert pool.log_ratio is not None
    assert (
        float(torch.corrcoef(torch.stack((pool.points[:, 0].double(), pool.log_ratio.double())))[0, 1]) > 0.9
    )


def test_truncation_wants_a_generator_alone(files: Files) -> None:
    found = subject(replace(files, critic=None), method="hard_truncation")
    assert found.ratio is None
    assert max(map(abs, refined(found).readings[1].points.flatten().tolist())) == pytest.approx(
        0.674, abs=0.01
    )


def test_images_and_real_ones_meet_in_one_scale(tmp_path: Path) -> None:
    generator, critic = saved(Images(), tmp_path / "g.pt"), saved(Judge(), tmp_path / "c.pt")
    real = real_file(tmp_path / "real.npz", pictures(40, 1, 8))
    found = subject(Files(generator, critic, real), changes=("evaluation.features=identity",))
    assert found.model.shape == (1, 8, 8)
    points = found.real.points
    assert float(points.min()) < -0.9
    assert float(points.max()) > 0.9
    both = torch.cat((points, found.real.source.seen))  # type: ignore[attr-defined]
    expected = torch.from_numpy(pictures(40, 1, 8)).float() / 127.5 - 1
    torch.testing.assert_close(both.flatten(1).sort(0).values, expected.flatten(1).sort(0).values)


def test_scores_are_taken_as_they_are_or_calibrated_by_those_of_real_points(
    files: Files, tmp_path: Path
) -> None:
    bare = Files(archive(tmp_path / "bare.npz"), None, files.real)
    assert known(subject(bare)) == ("scores", "none", False)
    assert subject(bare).title == f"samples in {bare.model}"
    doubled = archive(tmp_path / "doubled.npz")
    with np.load(doubled) as given:
        arrays = {**given, "scores": 3 * given["scores"], "real_scores": 3 * (REAL[:, 0] - 0.5)}
    np.savez(doubled, **arrays)
    found = subject(Files(doubled, None, files.real))
    assert known(found) == ("scores", "slope", True)
    exact = next(iter(drawn(bare).pools(0))).log_ratio
    calibrated = next(iter(found.model.pools(0))).log_ratio
    assert exact is not None
    assert calibrated is not None
    slope = (calibrated.max() - calibrated.min()) / (exact.max() - exact.min())
    assert float(slope) == pytest.approx(1, abs=0.15)


def test_a_folder_of_images_with_scores(tmp_path: Path) -> None:
    scored, real = folder(tmp_path / "scored"), folder(tmp_path / "real", 60)
    rows = [f"{place:04}.png,{place / 30}" for place in range(30)]
    (scored / "scores.csv").write_text("\n".join(["name,score", *rows]))
    found = subject(Files(scored, None, real), changes=("evaluation.features=identity",))
    assert known(found) == ("scores", "none", False)
    assert found.model.shape == (3, 4, 4)
    assert found.evaluation.samples == 30
    (scored / "scores.csv").write_text("\n".join(["name,score", *rows[:-1]]))
    with pytest.raises(
        UserError, match=r"has no score of images that are in the folder, 1 of them: 0029\.png"
    ):
        subject(Files(scored, None, real))


Change = Callable[[Files, Path], Files]
CHANGES: dict[str, tuple[Change, dict[str, Any], str]] = {
    "no real": (lambda f, p: replace(f, real=None), {}, "is measured against real samples; give them with --real"),
    "no critic": (lambda f, p: replace(f, critic=None), {}, "give a critic with --critic, or real samples and"),
    "lost critic": (lambda f, p: replace(f, critic=p / "lost.pt"), {}, "there is no file .*lost.pt"),
    "lost model": (lambda f, p: replace(f, model=p / "lost.pt"), {}, "there is no file .*lost.pt"),
    "lost real": (lambda f, p: replace(f, real=p / "lost.npz"), {}, "there is no file .*lost.npz"),
    "unknown latent": (lambda f, p: replace(f, model=p / "c.pt"), {}, "does not say how many numbers a latent has"),
    "wrong latent": (
        lambda f, p: replace(f, model=saved(torch.nn.Linear(3, 1), p / "l.pt"), latent=(2,)),
        {},
        r"must take \(2,\) for each of 32 samples, but it failed: .*; give the shape of one latent",
    ),
    "density": (lambda f, p: f, {"ratio": "density"}, "the density of a model in files is not known; give its critic"),
    "wrong shape": (
        lambda f, p: replace(f, real=real_file(p / "w.npz", np.zeros((9, 2)))),
        {},
        r"must have the model's shape \(1,\), got \(2,\) in",
    ),
    "empty real": (
        lambda f, p: replace(f, real=real_file(p / "e.npz", REAL[:0])),
        {},
        r"e\.npz must have real samples, but has none",
    ),
    "one real": (lambda f, p: replace(f, real=real_file(p / "o.npz", REAL[:1])), {}, "two are the fewest"),
    "labels": (
        lambda f, p: replace(f, real=real_file(p / "l.npz", labels=np.zeros(3, int))),
        {},
        r"labels must be one whole number 0, 1, … per sample, got shape \(3,\)",
    ),
    "many": (lambda f, p: f, {"samples": 1001}, "at most the 1,000 real samples that are held out, half of all"),
    "scale": (lambda f, p: replace(f, scores="logits"), {}, "one of logit, probability, ratio, got 'logits'"),
    "set": (lambda f, p: f, {"changes": ("dataset.root=x",)}, "--set changes refinement or evaluation of a model"),
    "none": (lambda f, p: f, {"method": "none"}, "and 'none' does neither"),
    "both": (lambda f, p: replace(f, model=archive(p / "s.npz")), {}, "give one of both"),
    "bad critic": (
        lambda f, p: replace(f, critic=saved(Constant(float("nan")), p / "n.pt")),
        {},
        "scores of the critic .* must be numbers, but 32 of 32 are NaN",
    ),
}  # fmt: skip


def scored(**arrays: NDArray[Any]) -> Change:
    return lambda f, p: Files(archive(p / "s.npz", 5000, **arrays), None, f.real)


CHANGES |= {
    "NaN scores": (scored(scores=np.full(5000, np.nan)), {}, "must be numbers, but 5,000 of 5,000 are NaN"),
    "few scores": (scored(scores=np.zeros(10)), {}, r"for each of 5,000 samples, got shape \(10,\)"),
    "no scores": (scored(scores=np.array(0)), {}, "must have an array 'scores' beside 'samples', got samples"),
    "one real score": (scored(real_scores=np.zeros(1)), {}, "two halves need at least 2 points of each kind, got 1"),
    "no real scores": (scored(), {"calibration": "isotonic"}, "add an array 'real_scores', or use --ratio classifier"),
}  # fmt: skip
MEASURED = ("no real",)
"""What is amiss for measures alone."""


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_amiss_is_told_in_a_sentence(files: Files, tmp_path: Path, change: str) -> None:
    make, wished, sentence = CHANGES[change]
    given = make(files, tmp_path)
    with pytest.raises(UserError, match=sentence):
        subject(given, **wished)
    if change not in MEASURED:
        with pytest.raises(UserError, match=sentence):
            drawn(given, **wished)


def test_a_ratio_of_zero_everywhere_keeps_nothing(files: Files, tmp_path: Path) -> None:
    zero = Files(archive(tmp_path / "s.npz", scores=np.zeros(5000)), None, files.real, scores="ratio")
    with pytest.raises(UserError, match=r"the ratio is 0 at all .* draws: every budget rejects everything"):
        refined(subject(zero))


def test_what_moves_draws_refuses_scores(files: Files, tmp_path: Path) -> None:
    given = Files(archive(tmp_path / "s.npz"), None, files.real)
    with pytest.raises(
        UserError, match="only draws are at hand; use one that chooses among draws, such as obrs"
    ):
        refined(subject(given, method="dot"))


def test_a_label_is_refused(files: Files) -> None:
    with pytest.raises(UserError, match="--label is of a trial that makes samples of a class"):
        drawn(files, label=3)


def test_a_home_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "own").mkdir()
    assert Files(Path("~/own")).drawn
    assert not Files(Path("~/own.pt")).drawn


@pytest.mark.parametrize(
    ("text", "names"),
    [("g.pt", True), ("s.npz", True), ("./x", True), ("0123456789ab", False), ("ring", False)],
)
def test_files_are_known_by_their_names(text: str, names: bool) -> None:
    assert is_model(text) is names
