"""Figure 5.11 of the thesis: a flow trained by likelihood, KL, reverse KL and for three λ, read from a stored sweep."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from explorer.errors import UserError
from explorer.figures.theme import CATEGORIES
from explorer.reproduce.grids import Grid, translucent
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Compared, Panel, Reproduction

if TYPE_CHECKING:
    from explorer.api import Results
    from explorer.results.table import Trial

__all__ = ["FIGURES", "losses_compared"]

_PRESET = "fashion-glow-small"

_NAMES = {"mle": "likelihood", "kl": "KL", "reverse_kl": "reverse KL"}
"""Losses without λ, in the order of the figure."""

_METRICS = {"fid": "FID, less is better", "precision": "precision", "recall": "recall"}


def losses_compared(found: Results) -> Sequence[Panel]:
    """Figure 5.11: FID, precision and recall by loss, a dot a seed and a bar at their mean."""
    groups = _groups(found)
    grid = Grid(list(_METRICS.values()), height=400, legend=False)
    for index, metric in enumerate(_METRICS):
        cell = grid.cell(index)
        for i, (loss, trials) in enumerate(groups.items()):
            values, seeds = _values(trials, metric), [trial.seed for trial in trials]
            colour = CATEGORIES[i % len(CATEGORIES)]
            hover = f"{loss}<br>{metric} %{{y:.4g}}"
            cell.add(
                go.Bar(
                    x=[i],
                    y=[fmean(values)],
                    name=loss,
                    marker={"color": translucent(colour, 0.45)},
                    hovertemplate=f"{hover}, mean<extra></extra>",
                )
            )
            cell.add(
                go.Scatter(
                    x=[i] * len(values),
                    y=values,
                    name=loss,
                    mode="markers",
                    marker={"color": colour, "size": 8},
                    customdata=seeds,
                    hovertemplate=f"{hover}, seed %{{customdata}}<extra></extra>",
                )
            )
    grid.figure.update_xaxes(tickvals=list(range(len(groups))), ticktext=list(groups), tickangle=-40)
    grid.figure.update_yaxes(rangemode="tozero")
    grid.figure.update_layout(margin={"b": 84})
    models = sorted({str(trial.params.get("model.name")) for trial in found})
    data = sorted({str(trial.params.get("dataset.name")) for trial in found})
    caption = (
        "Bars are means over seeds, dots single seeds. In the thesis KL ends where likelihood does, being the same "
        "divergence; reverse KL has more precision and less recall than both; along λ precision rises and recall "
        f"falls. Trained here: sweep '{found.table.sweep}', model {', '.join(models)} on {', '.join(data)}. "
        "The thesis trains a GLOW of 3 levels of 16 blocks for 250 epochs first."
    )
    return [Panel(grid.figure, caption, list(_numbers(groups)))]


def _groups(found: Results) -> Mapping[str, Sequence[Trial]]:
    """Finished trials that have all three numbers, by loss; of a sweep with bases, those that begin at one."""
    trials = [
        trial
        for trial in found.table.finished()
        if all(math.isfinite(trial.metrics.get(metric, math.nan)) for metric in _METRICS)
    ]
    begun = [trial for trial in trials if "start.from" in trial.params]
    by_loss: dict[str, list[Trial]] = {}
    for trial in sorted(begun or trials, key=_place):
        if (loss := _loss(trial)) is not None:
            by_loss.setdefault(loss, []).append(trial)
    if len(by_loss) < 2:
        raise UserError(
            f"figure 5.11 compares losses, and sweep '{found.table.sweep}' has finished trials of {len(by_loss)} of "
            f"likelihood, KL, reverse KL and λ; run `tradeoff sweep {_PRESET}`, or name another sweep with --sweep"
        )
    return by_loss


def _loss(trial: Trial) -> str | None:
    name, lam = str(trial.params.get("objective.name")), trial.params.get("objective.lam")
    if name == "pr":
        return f"λ = {lam:g}" if isinstance(lam, int | float) else None
    return _NAMES.get(name)


def _place(trial: Trial) -> tuple[int, float, int]:
    """Losses without λ first, then by λ, then by seed."""
    name, lam = trial.params.get("objective.name"), trial.params.get("objective.lam")
    order = list(_NAMES).index(str(name)) if name in _NAMES else len(_NAMES)
    return order, float(lam) if isinstance(lam, int | float) else 0.0, trial.seed or 0


def _values(trials: Sequence[Trial], metric: str) -> list[float]:
    return [round(float(trial.metrics[metric]), 5) for trial in trials]


def _numbers(groups: Mapping[str, Sequence[Trial]]) -> Sequence[Compared]:
    """What the thesis says of the figure, as far as the sweep has the losses for it."""
    mean = {
        loss: {metric: fmean(_values(trials, metric)) for metric in _METRICS}
        for loss, trials in groups.items()
    }

    def apart(loss: str, other: str) -> str:
        return ", ".join(f"{m} {mean[loss][m] - mean[other][m]:+.3f}" for m in ("precision", "recall"))

    said = [
        ("KL against likelihood", "similar", "KL", "likelihood"),
        ("reverse KL against likelihood", "more precision, less recall", "reverse KL", "likelihood"),
        ("reverse KL against KL", "more precision, less recall", "reverse KL", "KL"),
    ]
    found = [
        Compared(what, printed, apart(one, other))
        for what, printed, one, other in said
        if one in mean and other in mean
    ]
    lams = [loss for loss in mean if loss.startswith("λ")]
    if len(lams) > 1:
        for metric, printed in (("precision", "rising"), ("recall", "falling")):
            told = ", ".join(f"{mean[lam][metric]:.3f}" for lam in lams)
            found.append(Compared(f"{metric} at {', '.join(lams)}", printed, told))
    return found


FIGURES = (
    Reproduction(
        "thesis-5.11",
        THESIS,
        "Figure 5.11, page 90",
        "GLOW on Fashion-MNIST: FID, precision and recall by loss",
        losses_compared,
        _PRESET,
    ),
)
