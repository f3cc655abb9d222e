"""Figures 5.7 and 5.8 of the thesis: models trained for three trade-offs, read from a stored sweep."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import plotly.graph_objects as go

from explorer.errors import UserError
from explorer.figures import Samples, read_curve, samples_figure
from explorer.reproduce.drawing import Array, lines, pr_curves
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Compared, Panel, Reproduction
from explorer.reproduce.side_by_side import side_by_side
from explorer.results.audit import lambda_of
from explorer.store.schema import CURVE_FILE, SAMPLES_FILE

if TYPE_CHECKING:
    from explorer.api import Results
    from explorer.results.table import Trial

__all__ = ["FIGURES", "PRINTED", "trained_curves", "trained_samples"]

_PRESET = "gaussians-8-small"
"""The weak RealNVP of the thesis."""

PRINTED = (0.1, 1.0, 10.0)
"""The trade-offs of the thesis; of a sweep those are shown that are nearest to them."""

Curve: TypeAlias = tuple[Array, Array, Array]
"""λ rising, α_λ and β_λ, each (L,)."""

Trials: TypeAlias = "Sequence[tuple[Trial, Curve]]"
"""The trials of one λ with their curves, a seed each."""


def trained_samples(found: Results) -> Sequence[Panel]:
    """Figure 5.7: samples of the middle seed of every trade-off over the data."""
    parts, held = {}, {}
    for lam, trials in _groups(found).items():
        trial, curve = _middle(lam, trials)
        samples = Samples.from_artifact(found.store.artifact_json(trial.run_id, SAMPLES_FILE))
        if samples is None or samples.dimension != 2:
            raise UserError(
                f"figure 5.7 shows points of the plane, and trial {trial.id} of sweep '{found.table.sweep}' kept none; "
                f"name a sweep on data of the plane with --sweep, or run `tradeoff sweep {_PRESET}`"
            )
        reached = float(_at(curve, lam)) / min(1.0, lam)
        parts[f"λ = {lam:g}: {reached:.0%} of the best α<sub>{lam:g}</sub>"] = samples_figure(samples)
        held[lam] = trial.metrics.get("modes_held", math.nan)
    caption = (
        "Data grey, model blue, the middle seed of each λ; above it how much of the greatest α at its own λ the model "
        "reaches. In the thesis λ = 0.1 covers all modes and λ = 10 sits on one. A mode counts as held here where a "
        "fifth of its mass is. "
    )
    numbers = [
        Compared(f"modes held at λ = {printed_lam:g}, here {lam:g}", printed, f"{held[lam]:.0%}")
        for printed_lam, lam, printed in (
            (PRINTED[0], min(held), "all 8"),
            (PRINTED[-1], max(held), "1 of 8"),
        )
        if math.isfinite(held[lam])
    ]
    figure = side_by_side(parts, columns=3, height=320, spacing=0.03)
    # There are no ticks to make room for, and points of a legend should be as large as one can see.
    figure.update_layout(margin={"b": 30, "l": 24}, legend={"y": 0, "itemsizing": "constant"})
    return [Panel(figure, caption + _note(found), numbers)]


def trained_curves(found: Results) -> Sequence[Panel]:
    """Figure 5.8: their PR curves, and which of them is outermost at which λ."""
    groups = _groups(found)
    middle = {lam: _middle(lam, trials)[1] for lam, trials in groups.items()}
    drawn = pr_curves({f"λ = {lam:g}": (alpha, beta) for lam, (_, alpha, beta) in middle.items()})
    for trace, (lam, curve) in zip(list(drawn.data), middle.items(), strict=True):
        alpha = float(_at(curve, lam))
        drawn.add_scatter(
            x=[round(alpha, 5)],
            y=[round(alpha / lam, 5)],
            mode="markers",
            showlegend=False,
            marker={"size": 11, "color": trace.line.color},
            hovertemplate=f"trained for λ = {lam:g}<br>precision %{{x:.3f}}<br>recall %{{y:.3f}}<extra></extra>",
        )
    won = _outermost({lam: {trial.seed: curve for trial, curve in trials} for lam, trials in groups.items()})
    told = ", ".join(f"{sum(one)} of {len(one)} seeds at λ = {lam:g}" for lam, one in won.items())
    every, right = sum(len(one) for one in won.values()), sum(sum(one) for one in won.values())
    return [
        Panel(
            drawn,
            "The PR curve of the middle seed of every trade-off, a dot where its own λ is. Perfect training would make "
            "each the outermost along the ray β = α/λ through its dot; how often it is stands below. "
            + _note(found),
            [
                Compared(
                    "a curve is outermost at the λ it was trained for", "all three", f"{right} of {every}"
                )
            ],
        ),
        Panel(
            _reached(groups),
            "α_λ as a share of the greatest possible, min(1, λ), over λ, the mean of all seeds; a dot marks the λ a "
            "model was trained for. Among models of equal seed the one trained for λ reaches the largest α_λ in "
            f"{told}.",
        ),
    ]


def _groups(found: Results) -> Mapping[float, Trials]:
    """Finished trials that have a curve by λ: of those of the sweep the ones nearest to the thesis'."""
    by_lam: dict[float, list[tuple[Trial, Curve]]] = {}
    for trial in found.table.finished():
        lam = lambda_of(trial)
        if lam is not None and lam > 0 and (curve := _curve(found, trial)) is not None:
            by_lam.setdefault(lam, []).append((trial, curve))
    near = {min(by_lam, key=lambda lam: abs(np.log(lam / wanted))) for wanted in PRINTED if by_lam}
    if len(near) < 2:
        raise UserError(
            f"figures 5.7 and 5.8 compare models trained for several λ, and sweep '{found.table.sweep}' has finished "
            f"trials with a curve for {len(by_lam)}; run `tradeoff sweep {_PRESET}`, or name another sweep with --sweep"
        )
    return {lam: by_lam[lam] for lam in sorted(near)}


def _curve(found: Results, trial: Trial) -> Curve | None:
    rows = read_curve(found.store.artifact_json(trial.run_id, CURVE_FILE))
    if not rows:
        return None
    beta, alpha, lam = np.asarray(sorted(rows, key=lambda row: row[2])).T
    return lam, alpha, beta


def _at(curve: Curve, lam: float | Array) -> Array:
    """α at some λ: α is concave in λ, so that chords between the points of the curve never flatter a model."""
    return np.asarray(np.interp(lam, curve[0], curve[1]))


def _middle(lam: float, trials: Trials) -> tuple[Trial, Curve]:
    """The trial whose precision at its own λ is in the middle of its seeds; the better of two."""
    ordered = sorted(trials, key=lambda one: float(_at(one[1], lam)))
    return ordered[len(ordered) // 2]


def _outermost(curves: Mapping[float, Mapping[int | None, Curve]]) -> dict[float, list[bool]]:
    """For every λ and seed that all have: is the model trained for λ the one with the largest α_λ?"""
    shared = set.intersection(*({*by_seed} for by_seed in curves.values()))
    return {
        lam: [
            all(_at(curves[lam][seed], lam) >= _at(other[seed], lam) for other in curves.values())
            for seed in sorted(shared, key=str)
        ]
        for lam in curves
    }


def _reached(groups: Mapping[float, Trials]) -> go.Figure:
    """Mean over seeds of α_λ/min(1, λ), a line per trained λ and a dot at it."""
    axis = np.logspace(-1.5, 1.5, 91)

    def share(lam: float, at: Array) -> Array:
        mean = np.mean([_at(curve, at) for _, curve in groups[lam]], axis=0)
        return np.asarray(mean / np.minimum(1.0, at))

    figure = lines(
        axis, {f"λ = {lam:g}": share(lam, axis) for lam in groups}, "λ", "share reached", (0.0, 1.04)
    )
    for trace, lam in zip(list(figure.data), groups, strict=True):
        figure.add_scatter(
            x=[lam],
            y=share(lam, np.array([lam])).round(6),
            mode="markers",
            showlegend=False,
            marker={"size": 11, "color": trace.line.color},
            hovertemplate=f"trained for λ = {lam:g}<br>%{{y:.1%}} reached<extra></extra>",
        )
    ticks = [0.03, 0.1, 0.3, 1, 3, 10, 30]
    figure.update_xaxes(type="log", tickvals=ticks, ticktext=[f"{tick:g}" for tick in ticks])
    figure.update_yaxes(tickformat=".0%")
    return figure


def _note(found: Results) -> str:
    models = sorted({str(trial.params.get("model.name")) for trial in found})
    return (
        f"Trained here: sweep '{found.table.sweep}', model {', '.join(models)}; the thesis trains a RealNVP of 3 "
        "coupling layers for λ = 0.1, 1 and 10. Of the sweep's λ those nearest to these are shown."
    )


FIGURES = (
    Reproduction(
        "thesis-5.7",
        THESIS,
        "Figure 5.7, page 87",
        "Eight Gaussians, three trade-offs: samples",
        trained_samples,
        _PRESET,
    ),
    Reproduction(
        "thesis-5.8",
        THESIS,
        "Figure 5.8, page 88",
        "Eight Gaussians, three trade-offs: curves",
        trained_curves,
        _PRESET,
    ),
)
