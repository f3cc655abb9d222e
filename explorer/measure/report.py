"""Every metric of two feature arrays, each number with its interval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from explorer.errors import UserError
from explorer.measure.extraction import Reference, Stage
from explorer.measure.settings import METRICS, NEIGHBOURS, MeasureSettings

if TYPE_CHECKING:
    import numpy as np
    from torch import Tensor

    from trainables.measures import BallCounts, Estimate
    from trainables.measures.prd import CurveScores
    from trainables.precision_recall import PRCurve

__all__ = ["Measurement", "measure_features"]


@dataclass
class Measurement:
    """Numbers ready for JSON, and what is behind them: curves for drawing, counts for scores by class.

    ``left_out`` has the reason for every metric that is null.
    """

    values: dict[str, Any] = field(default_factory=dict)
    curves: dict[str, PRCurve] = field(default_factory=dict)
    counts: BallCounts | None = None
    left_out: dict[str, str] = field(default_factory=dict)


def measure_features(
    real: Tensor,
    fake: Tensor,
    logits: Tensor | None,
    settings: MeasureSettings,
    reference: Reference,
    stage: Stage,
) -> Measurement:
    """The metrics of ``fake`` (M, d) against ``real`` (N, d); ``logits`` are those of the fakes, for IS.

    Without logits the Inception Score is None among "all metrics"; asked for by name, it is an error.
    """
    from trainables.measures.arrays import as_features, check_pair

    real, fake = check_pair(as_features(real, "REAL"), as_features(fake, "FAKE"))
    work = _Work(real, fake, logits, settings, reference, stage)
    steps: list[tuple[tuple[str, ...], Callable[[Measurement], None]]] = [
        ((*NEIGHBOURS, "pr_cover"), work.neighbours),
        (("fid",), work.frechet),
        (("kid",), work.kernel),
        (("prd",), work.prd),
        (("classifier",), work.classifier),
        (("inception_score",), work.inception),
    ]
    found = Measurement()
    for names, step in steps:
        if set(names) & set(settings.metrics):
            step(found)
    return found


@dataclass(frozen=True, eq=False)
class _Work:
    real: Tensor
    fake: Tensor
    logits: Tensor | None
    settings: MeasureSettings
    reference: Reference
    stage: Stage

    def _rng(self, name: str) -> np.random.Generator:
        """Its own stream for every number: an interval does not depend on what else was asked for."""
        import numpy as np

        return np.random.default_rng([self.settings.seed, *name.encode()])

    def _number(self, value: float, draws: np.ndarray) -> dict[str, Any]:
        from trainables.measures import estimate

        return _plain(estimate(value, draws, self.settings.level))

    def _mean(self, name: str, values: Tensor) -> dict[str, Any]:
        from trainables.measures import mean_draws

        array = values.double().cpu().numpy()
        return self._number(float(array.mean()), mean_draws(array, self.settings.draws, self._rng(name)))

    def neighbours(self, found: Measurement) -> None:
        from trainables.measures import ball_counts_of, radii_of

        wanted = [name for name in NEIGHBOURS if name in self.settings.metrics]
        ks = [self.settings.k] if wanted else []
        if "pr_cover" in self.settings.metrics:
            ks.append(self.settings.k_prime)
        smaller = min(len(self.real), len(self.fake))
        if max(ks) >= smaller:
            raise UserError(
                f"k={self.settings.k} needs more than {max(ks)} samples on both sides"
                f"{' (PR cover looks at 3k neighbours)' if 'pr_cover' in self.settings.metrics else ''}, "
                f"got {len(self.real)} real and {len(self.fake)} fake; use more samples or a smaller --k"
            )
        self.stage(f"balls of the {len(self.real)} real samples")
        name = "radii-" + "-".join(map(str, ks))
        radii = self.reference.get(name, lambda: {"radii": radii_of(self.real, ks)})["radii"]
        self.stage(f"distances of {len(self.real)} × {len(self.fake)} samples")
        counts = ball_counts_of(self.real, self.fake, ks, radii.to(self.real.device))
        found.counts = counts[0] if wanted else None
        per_sample = counts[0].per_sample()
        for metric in wanted:
            found.values[metric] = self._mean(metric, per_sample[metric])
        if "pr_cover" in self.settings.metrics:
            by_fake, by_real = counts[-1].covered(self.settings.k)
            found.values["pr_cover"] = {
                "precision": self._mean("pr_cover.precision", by_fake),
                "recall": self._mean("pr_cover.recall", by_real),
            }

    def frechet(self, found: Measurement) -> None:
        import numpy as np

        from trainables.measures import frechet_distance, frechet_influence, gaussian_statistics, mean_draws

        self.stage("Fréchet distance")

        def statistics() -> dict[str, Tensor]:
            mean, covariance = gaussian_statistics(self.real)
            return {"mean": mean, "covariance": covariance}

        stored = self.reference.get("gaussian", statistics)
        own = (stored["mean"].to(self.real.device), stored["covariance"].to(self.real.device))
        other = gaussian_statistics(self.fake)
        value = frechet_distance(*own, *other)
        self.stage("Fréchet distance: interval")
        draws, rng = np.full(self.settings.draws, value), self._rng("fid")
        for features, mine, its in ((self.real, own, other), (self.fake, other, own)):
            influence = frechet_influence(features, mine, its).cpu().numpy()
            draws = draws + mean_draws(influence, self.settings.draws, rng)
        found.values["fid"] = self._number(value, np.maximum(draws, 0.0))

    def kernel(self, found: Measurement) -> None:
        from trainables.measures import kernel_distance_blocks, mean_draws

        values = kernel_distance_blocks(
            self.real,
            self.fake,
            self.settings.kid_block,
            self.settings.seed,
            progress=lambda done, total: self.stage(f"kernel distance: block {done} of {total}"),
        )
        draws = mean_draws(values, self.settings.draws, self._rng("kid"))
        found.values["kid"] = self._number(float(values.mean()), draws)

    def prd(self, found: Measurement) -> None:
        from trainables.measures import quantise

        self.stage(f"k-means, {self.settings.runs} runs of {self.settings.clusters} clusters")
        sets = quantise(self.real, self.fake, self.settings.clusters, self.settings.runs, self.settings.seed)
        self._curve(found, "prd", sets.curve(), sets.draws(self.settings.draws, self._rng("prd")))

    def classifier(self, found: Measurement) -> None:
        from trainables.measures import classifier_scores

        self.stage("classifier of real against fake")
        scores = classifier_scores(self.real, self.fake, seed=self.settings.seed)
        draws = scores.draws(self.settings.draws, self._rng("classifier"))
        self._curve(found, "classifier", scores.curve(), draws)

    def _curve(self, found: Measurement, name: str, curve: PRCurve, draws: PRCurve) -> None:
        from trainables.measures import score_curve

        scores: CurveScores = score_curve(curve, draws, self.settings.level)
        found.curves[name] = curve
        found.values[name] = {"f8": _plain(scores.f8), "f1_8": _plain(scores.f1_8), "auc": _plain(scores.auc)}

    def inception(self, found: Measurement) -> None:
        from trainables.measures import inception_score, inception_score_draws

        if self.logits is None:
            reason = "the Inception Score needs class logits, which these features do not have"
            if self.settings.metrics != METRICS:
                raise UserError(
                    f"{reason}; use images with --features inception and weights given as a state dict"
                )
            found.values["inception_score"] = None
            found.left_out["inception_score"] = reason
            return
        self.stage("Inception Score")
        rng, splits = self._rng("inception_score"), min(self.settings.splits, len(self.logits))
        # Files are often sorted by class; consecutive splits would then hold a class each and score near 1.
        logits = self.logits[rng.permutation(len(self.logits))]
        value, _ = inception_score(logits, splits)
        draws = inception_score_draws(logits, splits, self.settings.draws, rng)
        found.values["inception_score"] = self._number(value, draws)


def _plain(number: Estimate) -> dict[str, Any]:
    return {"value": number.value, "ci": [number.low, number.high]}
