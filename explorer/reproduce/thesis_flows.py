"""Figures 5.11 and 5.12 of the thesis: a flow by likelihood, KL, reverse KL and for three λ, from a stored sweep."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from explorer.errors import UserError
from explorer.figures.theme import CATEGORIES, LIGHT, template
from explorer.html.picture import is_picture, picture_size, picture_source
from explorer.reproduce.grids import Grid, translucent
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Compared, Panel, Reproduction
from explorer.results.audit import lambda_of
from explorer.store.schema import PICTURE_FILE

if TYPE_CHECKING:
    from explorer.api import Results
    from explorer.results.table import Trial

__all__ = ["FIGURES", "losses_compared", "samples_compared"]

_PRESET = "fashion-glow-small"

_NAMES = {"mle": "likelihood", "kl": "KL", "reverse_kl": "reverse KL"}
"""Losses without λ, in the order of the figure."""

_WIDTH, _TITLE = 510, 36
"""Pixels: a sheet of samples on the page, of which two stand side by side, and what is above it."""

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
    caption = (
        "Bars are means over seeds, dots single seeds. In the thesis KL ends where likelihood does, being the same "
        "divergence; reverse KL has more precision and less recall than both; along λ precision rises and recall "
        "falls. "
    )
    return [Panel(grid.figure, caption + _trained(found), list(_numbers(groups)))]


def samples_compared(found: Results) -> Sequence[Panel]:
    """Figure 5.12: what the flows of likelihood and of every λ generate, of the first seed that all have."""
    groups = {loss: trials for loss, trials in _groups(found).items() if loss not in ("KL", "reverse KL")}
    if not groups:
        raise _unfit(found, "figure 5.12 shows samples of likelihood and of λ", "no finished trial of either")
    common = set.intersection(*({trial.seed for trial in trials} for trials in groups.values()))
    seed = min((one for one in common if one is not None), default=None)
    sheets = {}
    for loss, trials in groups.items():
        trial = next((one for one in trials if one.seed == seed), trials[0])
        content = found.store.artifact_bytes(trial.run_id, PICTURE_FILE)
        if content is None or not is_picture(content):
            raise _unfit(found, "figure 5.12 shows samples", f"no {PICTURE_FILE} of trial {trial.id}")
        sheets[f"{loss}, seed {trial.seed}"] = content
    caption = (
        "In the thesis likelihood and λ = 0.1 give various samples of poor quality; λ = 10 gives better ones, of few "
        "classes. Each sheet also shows real images and, where the sweep has budgets, what rejection keeps. "
    )
    return [Panel(_sheets(sheets), caption + _trained(found))]


def _sheets(pictures: Mapping[str, bytes]) -> go.Figure:
    """Pictures by title, two in a row, in their own proportions."""
    tallest = max(height / width for width, height in map(picture_size, pictures.values()))
    rows = -(-len(pictures) // 2)
    height = round((_TITLE + tallest * _WIDTH) * rows)
    figure = make_subplots(
        rows, 2, subplot_titles=list(pictures), horizontal_spacing=0.02, vertical_spacing=_TITLE / height
    )
    for index, content in enumerate(pictures.values()):
        at = {"row": index // 2 + 1, "col": index % 2 + 1}
        width, tall = picture_size(content)
        place = {"x": 0, "y": 0, "sizex": 1, "sizey": tall / width, "sizing": "contain"}
        figure.add_layout_image({"source": picture_source(content), "layer": "above"} | place, **at)
        figure.update_xaxes(range=[0, 1], visible=False, **at)
        figure.update_yaxes(range=[tallest, 0], visible=False, **at)
    figure.update_annotations(font={"size": 13})
    return figure.update_layout(
        template=template(LIGHT), height=height, margin={"t": _TITLE, "l": 0, "r": 0, "b": 8}
    )


def _unfit(found: Results, shown: str, lacks: str) -> UserError:
    """A sweep that cannot be shown: what the figure needs and what there is."""
    return UserError(
        f"{shown}, and sweep '{found.table.sweep}' has {lacks}; run `tradeoff sweep {_PRESET}`, or name another sweep "
        "with --sweep"
    )


def _trained(found: Results) -> str:
    models = sorted({str(trial.params.get("model.name")) for trial in found})
    data = sorted({str(trial.params.get("dataset.name")) for trial in found})
    return (
        f"Trained here: sweep '{found.table.sweep}', model {', '.join(models)} on {', '.join(data)}. "
        "The thesis trains a GLOW of 3 levels of 16 blocks for 250 epochs first."
    )


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
        found_of = f"finished trials of {len(by_loss)} of likelihood, KL, reverse KL and λ"
        raise _unfit(found, "figures 5.11 and 5.12 compare losses", found_of)
    return by_loss


def _loss(trial: Trial) -> str | None:
    name, lam = str(trial.params.get("objective.name")), lambda_of(trial)
    if name == "pr":
        return None if lam is None else f"λ = {lam:g}"
    return _NAMES.get(name)


def _place(trial: Trial) -> tuple[int, float, int]:
    """Losses without λ first, then by λ, then by seed."""
    name = trial.params.get("objective.name")
    order = list(_NAMES).index(str(name)) if name in _NAMES else len(_NAMES)
    return order, lambda_of(trial) or 0.0, trial.seed or 0


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
    Reproduction(
        "thesis-5.12",
        THESIS,
        "Figure 5.12, in pages 88 to 91",
        "GLOW on Fashion-MNIST: samples by loss",
        samples_compared,
        _PRESET,
    ),
)
