"""Links into MLflow's own pages: a sweep's trials beside each other, with charts that say something at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any
from urllib.parse import quote, urlencode

from explorer.goals import Goal
from explorer.results.catalogue import LAMBDA
from explorer.results.store import ResultStore, SweepInfo
from explorer.results.table import Trial, varying
from explorer.store.schema import KIND, PLAIN, SWEEP, At, metric_key
from explorer.tracking.shared_view import LONGEST, share_view

__all__ = ["comparison", "comparison_view", "run_page", "shared_comparison"]

MOST_COLUMNS = 8
"""Parameters in the list of runs."""
MOST_AXES = 4
"""Parameters in the chart of parallel coordinates."""
LONGEST_KEY = 100
"""Characters of the key of a view."""
FEW = 100
"""Trials that tell which parameters vary and which readings there are."""
_FACE = "workflowType=machine_learning"
"""MLflow's pages have two faces, of which the other one is for language models."""


def comparison(store: ResultStore, info: SweepInfo) -> str:
    """The part of a link behind the server's address: the charts of a sweep's trials.

    The charts are kept in the store, as a view that MLflow shares by such links; where that cannot be written, the link
    opens on MLflow's own choice of charts.
    """
    goals, trials = store.glimpse(info, FEW)
    return shared_comparison(store.uri, info.experiment_id, info.name, goals, trials)


def shared_comparison(
    uri: str, experiment_id: str, sweep: str, goals: Sequence[Goal], trials: Sequence[Trial]
) -> str:
    """The same where the sweep was read already; a few of its trials tell what there is to draw."""
    view = comparison_view(sweep, goals, trials[:FEW])
    key = _key(sweep)
    if share_view(uri, experiment_id, key, view):
        return _page(experiment_id, {"viewStateShareKey": key})
    return _plain_comparison(experiment_id, sweep, goals)


def _key(sweep: str) -> str:
    """Under which the view of a sweep is kept; of a long name its beginning, and what tells it from others."""
    key = f"tradeoff-{quote(sweep, safe='')}"
    if len(key) <= LONGEST_KEY:
        return key
    digest = blake2b(sweep.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return f"{key[: LONGEST_KEY - 13]}-{digest}"


def _plain_comparison(experiment_id: str, sweep: str, goals: Sequence[Goal]) -> str:
    """The same without a view of ours."""
    facets = _facets(sweep, goals)
    return _page(experiment_id, {key: str(facets[key]) for key in ("searchFilter", "orderByKey")})


def run_page(experiment_id: str, run_id: str) -> str:
    """The part of a link to a run that is behind the server's address."""
    return f"#/experiments/{quote(experiment_id, safe='')}/runs/{quote(run_id, safe='')}?{_FACE}"


def _page(experiment_id: str, more: dict[str, str]) -> str:
    asked = urlencode({**more, "compareRunsMode": "CHART"}, quote_via=quote)
    return f"#/experiments/{quote(experiment_id, safe='')}/runs?{asked}&{_FACE}"


def _facets(sweep: str, goals: Sequence[Goal]) -> dict[str, Any]:
    """Which runs, in which order. Ordered by their time MLflow folds children into their parent, and shows that."""
    mark = '"' if "'" in sweep else "'"
    first = goals[0]
    return {
        "searchFilter": f"tags.`{SWEEP}` = {mark}{sweep}{mark} and tags.`{KIND}` = 'trial'",
        "orderByKey": f"metrics.`{first.metric}`",
        "orderByAsc": first.direction == "min",
        "startTime": "ALL",
        "lifecycleFilter": "Active",
        "datasetsFilter": [],
        "modelVersionFilter": "All Runs",
    }


def comparison_view(sweep: str, goals: Sequence[Goal], trials: Sequence[Trial]) -> dict[str, Any]:
    """A view as MLflow's pages keep it: runs, columns, and charts in sections.

    The front comes first, objectives against each other and against what varies, then how they came about in training,
    then those of the refined readings, the largest budget first.
    """
    paths = varying([trial.params for trial in trials])
    metrics = [goal.metric for goal in goals]
    budgets = sorted({at for trial in trials for at in trial.readings} - {PLAIN}, key=_by_budget)
    # MLflow leaves runs out of parallel coordinates that lack one of the axes.
    shared = [path for path in paths if all(path in trial.params for trial in trials)]
    axes = sorted(shared, key=lambda path: path == "seed")
    front = _front(metrics, axes)
    if LAMBDA in paths and LAMBDA not in shared:  # they have their own chart, beside which others keep theirs
        front.charts.append(_parallel([LAMBDA], metrics))
    sections = [front, _Section("While training", [_line(key) for key in metrics])]
    sections += [_Section(at.words(True), [_bar(metric_key(at, key)) for key in metrics]) for at in budgets]
    view = {
        **_facets(sweep, goals),
        "selectedColumns": [
            *(f"metrics.`{key}`" for key in metrics),
            *(f"params.`{path}`" for path in paths[:MOST_COLUMNS]),
        ],
        "runsHiddenMode": "SHOW_ALL",
        "isAccordionReordered": True,
    }
    # What a tag has no room for is left out from the end.
    while len(str(_laid(view, sections))) > LONGEST - 200 and len(sections) > 1:
        sections.pop()
    return _laid(view, sections)


@dataclass(frozen=True)
class _Section:
    """Charts below a heading."""

    name: str
    charts: list[dict[str, Any]]


def _front(metrics: Sequence[str], paths: Sequence[str]) -> _Section:
    pairs = [(x, y) for number, y in enumerate(metrics) for x in metrics[number + 1 :]][:3]
    charts = [_scatter(x, y) for x, y in pairs]
    if paths:
        charts.append(_parallel(paths[:MOST_AXES], metrics))
    return _Section("Front", charts)


def _parallel(paths: Sequence[str], metrics: Sequence[str]) -> dict[str, Any]:
    return {
        "type": "PARALLEL",
        "selectedParams": list(paths),
        "selectedMetrics": list(metrics[:3]),
        "showAllRuns": True,
    }


def _laid(view: dict[str, Any], sections: Sequence[_Section]) -> dict[str, Any]:
    """The view with its charts, each told in which section it stands."""
    charts = [
        {"uuid": f"c{row}-{column}", "metricSectionId": f"s{row}", "runsCountToCompare": 100, **chart}
        for row, section in enumerate(sections)
        for column, chart in enumerate(section.charts)
    ]
    headings = [
        {"uuid": f"s{row}", "name": section.name, "display": True, "isReordered": True}
        for row, section in enumerate(sections)
    ]
    return {**view, "compareRunCharts": charts, "compareRunSections": headings}


def _scatter(x: str, y: str) -> dict[str, Any]:
    return {"type": "SCATTER", "xaxis": {"key": x, "type": "METRIC"}, "yaxis": {"key": y, "type": "METRIC"}}


def _line(key: str) -> dict[str, Any]:
    return {
        "type": "LINE",
        "metricKey": key,
        "selectedMetricKeys": [key],
        "xAxisKey": "step",
        "xAxisScaleType": "linear",
        "scaleType": "linear",
        "range": {},
        "yAxisKey": "metric",
        "yAxisExpressions": [],
        "useGlobalXaxisKey": True,
        "useGlobalLineSmoothing": True,
    }


def _bar(key: str) -> dict[str, Any]:
    return {"type": "BAR", "metricKey": key, "displayName": key}


def _by_budget(at: At) -> tuple[float, str]:
    return -at.budget, at.method
