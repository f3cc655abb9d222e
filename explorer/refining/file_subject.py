"""A model of the user's own as a subject of refinement: TorchScript files, or samples with their scores."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from explorer.errors import UserError, shown
from explorer.refining.ratio import CALIBRATING, FITTING, LEARNT, MOST_HELD
from explorer.refining.subject import Ratio, Subject
from explorer.refining.wish import Wish
from trainables.paths import LONGEST_NAME

if TYPE_CHECKING:
    from trainables.evaluation.settings import EvaluationConfig
    from trainables.refinements.budgeted import Budgeted
    from trainables.samplers.pool import Drawable
    from trainables.samplers.scored import Scored
    from trainables.samplers.scripted import Scripted
    from trainables.sources.array_source import ArraySource

__all__ = ["Files", "drawn_files", "file_subject", "is_model"]

MOST_REAL = 100_000
"""Real points that are read: half are held out for measures and calibration, half are for a classifier."""


@dataclass(frozen=True)
class Files:
    """Where a model is.

    Attributes:
        model: a TorchScript generator; or a .npz file or a folder of samples with their scores.
        critic: a TorchScript critic of that generator.
        real: real samples, a .npz file or a folder of images.
        latent: the shape of one latent, where the generator does not say it.
        scores: what scores stand for: ``logit``, ``probability`` or ``ratio``.
    """

    model: Path
    critic: Path | None = None
    real: Path | None = None
    latent: tuple[int, ...] | None = None
    scores: str = "logit"

    def read(self) -> list[Path]:
        """All of them that are read."""
        return [place for place in (self.model, self.critic, self.real) if place is not None]

    @property
    def drawn(self) -> bool:
        """Whether samples are there already."""
        return self.model.expanduser().is_dir() or self.model.suffix == ".npz"

    @property
    def title(self) -> str:
        """For people."""
        return f"samples in {self.model}" if self.drawn else f"generator {self.model}"


def is_model(text: str) -> bool:
    """Whether somebody names a file or a folder rather than a run."""
    if "/" in text or Path(text).suffix in (".pt", ".pth", ".ts", ".npz"):
        return True
    return len(os.fsencode(text)) <= LONGEST_NAME and Path(text).is_file()


def file_subject(files: Files, wish: Wish) -> Subject:
    """The model, refined as it is wished, against the real samples."""
    from trainables.evaluation.real_side import RealSide

    device = wish.torch_device()
    try:
        base = _opened(files, wish, device)
        if files.real is None:
            raise ValueError(
                "a model in files is measured against real samples; give them with --real FILE.npz or --real FOLDER"
            )
        real = _real(files.real, base)
        method, evaluation = _plan(wish, real)
        assert evaluation.features is not None
        side = RealSide(real, evaluation.features, evaluation.samples, device)
        model, ratio = _with_ratio(base, method, real, files, wish)
    except ValueError as error:
        raise UserError(f"{files.title} cannot be refined: {error}") from error
    return Subject(files.title, model, method, side, evaluation, ratio)


def drawn_files(files: Files, wish: Wish) -> tuple[Drawable, Budgeted, str]:
    """The model to draw from, its refinement, and its title; at K = 1 no ratio is asked for."""
    if wish.label is not None:
        raise UserError(
            f"--label is of a trial that makes samples of a class, and {files.title} makes them of none; save the "
            "generator inside a module that has its class fixed"
        )
    try:
        base = _opened(files, wish, wish.torch_device())
        real = None if files.real is None else _real(files.real, base)
        method, _ = _plan(wish, real)
        model: Drawable = base
        if method.asked():
            model, _ = _with_ratio(base, method, real, files, wish)
    except ValueError as error:
        raise UserError(f"{files.title} cannot be sampled: {error}") from error
    return model, method, files.title


def _opened(files: Files, wish: Wish, device: str) -> Scripted | Scored:
    import torch

    from trainables.samplers.reading_scored import read_samples, read_scored
    from trainables.samplers.scales import SCALES
    from trainables.samplers.scored import Scored
    from trainables.samplers.scripted import Scripted

    scale = next((one for one in SCALES if one == files.scores), None)
    if scale is None:
        raise ValueError(f"scores must be read as one of {', '.join(SCALES)}, got {shown(files.scores)}")
    if files.drawn:
        if files.critic is not None:
            raise ValueError(
                "samples come with their scores, a critic scores those of a generator; give one of both"
            )
        if files.latent is not None:
            raise ValueError("a latent is what a generator takes, and samples are made already; leave it out")
        if wish.ratio == "classifier":  # which scores them anew
            samples, labels = read_samples(files.model)
            return Scored(samples, torch.zeros(len(samples)), classes=labels)
        return read_scored(files.model, scale)
    return Scripted(files.model, files.critic, latent=files.latent, scores=scale, device=device)


def _real(path: Path, model: Scripted | Scored) -> ArraySource:
    """Real samples in the model's own numbers, half of them held out."""
    from trainables.samplers.reading_scored import read_samples
    from trainables.sources.array_source import ArraySource
    from trainables.spans import span_of

    samples, labels = read_samples(path)
    if tuple(samples.shape) != tuple(model.shape):
        raise ValueError(
            f"real samples must have the model's shape {tuple(model.shape)}, got {tuple(samples.shape)} in {path}"
        )
    points = next(samples.blocks(MOST_REAL), None)
    if points is None:
        raise ValueError(f"{path} must have real samples, but has none")
    span = span_of(points)
    points = points.float()
    if span is not None and model.span is not None:
        (low, high), (dark, bright) = span, model.span
        points = dark + (points - low) * ((bright - dark) / (high - low))
    return ArraySource(points, None if labels is None else labels[:MOST_REAL], held_out=0.5, span=model.span)


def _plan(wish: Wish, real: ArraySource | None) -> tuple[Budgeted, EvaluationConfig]:
    """The refinement and the evaluation that are wished, with features that fit the data."""
    from explorer.sweep.document import assign, assignment
    from explorer.sweep.members import build_plan
    from trainables.evaluation.default_features import features_for

    document: dict[str, Any] = {"refinement": wish.section(), "evaluation": {"intervals": True}}
    held = 0 if real is None else real.held_out
    if real is not None:
        document["evaluation"]["samples"] = wish.samples or min(held, MOST_HELD)
    for text in wish.changes:
        path, value = assignment(text)
        if path.partition(".")[0] not in document:
            raise UserError(f"--set changes refinement or evaluation of a model in files, got '{path}'")
        assign(document, path, value)
    plan = build_plan(document["evaluation"], document["refinement"])
    (method,) = plan.refinements
    evaluation = plan.evaluation
    if real is not None:
        if evaluation.samples > held:
            raise ValueError(
                f"samples must be at most the {held:,} real samples that are held out, half of all, got "
                f"{evaluation.samples:,}"
            )
        if evaluation.features is None:
            evaluation = replace(evaluation, features=features_for(real.shape, real.classes))
    return wish.streamed(method), evaluation


def _with_ratio(
    base: Scripted | Scored, method: Budgeted, real: ArraySource | None, files: Files, wish: Wish
) -> tuple[Drawable, Ratio | None]:
    """The model with the ratio that is wished, calibrated where real samples tell how."""
    from trainables.rejection.calibrations import calibration_named
    from trainables.samplers.calibrating import calibrated_by, calibrated_on
    from trainables.samplers.fitted import fitted
    from trainables.samplers.scored import Scored
    from trainables.samplers.with_ratio import with_ratio

    if not method.scored:
        return base, None
    kind = calibration_named(wish.calibration or "slope")
    largest = max((2.0, *method.asked()))
    if wish.ratio == "density":
        raise ValueError(
            "the density of a model in files is not known; give its critic, or use --ratio classifier"
        )
    if wish.ratio == "classifier":
        if real is None:
            raise ValueError("a classifier is fitted to real samples; give them with --real")
        model = with_ratio(base, fitted(base, real.seen[:LEARNT], wish.seed + FITTING))
        source = "classifier"
    elif isinstance(base, Scored):
        if base.real is None:
            if wish.calibration not in (None, "none"):
                raise ValueError(
                    "scores are calibrated by those of held-out real points; add an array 'real_scores', or use "
                    "--ratio classifier"
                )
            return base, Ratio("scores", "none")
        found = calibrated_by(base, kind, base.real, len(base), wish.seed + CALIBRATING, largest)
        return found.model, Ratio("scores", kind.name, found.reliability)
    else:
        if files.critic is None:
            raise ValueError(
                f"refinement '{method.name}' needs the ratio of the densities; give a critic with --critic, or real "
                "samples and --ratio classifier"
            )
        model, source = base, "critic"
        if real is None:
            return model, Ratio(source, "none")
    held = real.reference(min(real.held_out, MOST_HELD)).x
    found = calibrated_on(model, kind, held, len(held), wish.seed + CALIBRATING, largest)
    return found.model, Ratio(source, kind.name, found.reliability)
