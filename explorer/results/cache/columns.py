"""Runs as columns of a file, and back: thousands of trials share their paths, names and most of their values.

Parameters are numbers into one list of the values that occur; metrics and α_λ are floats, row after row of the runs
that have the same keys. All else is one JSON document. Nothing is pickled. O(runs × columns) of time and memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from explorer.results.known import Known
from explorer.results.table import Trial
from explorer.store.schema import At, Scalar
from explorer.store.stop import Stop

__all__ = ["read_columns", "write_columns"]

Arrays = Mapping[str, NDArray[Any]]


def write_columns(file: IO[bytes], runs: Sequence[Known], head: Mapping[str, object]) -> None:
    """Runs, and what else is to be known of them, ``head``, in JSON's words."""
    trials = [one.trial for one in runs]
    values, codes = _values(value for trial in trials for value in trial.params.values())
    paths, path_of = _shapes(tuple(trial.params) for trial in trials)
    names, name_of = _shapes(
        tuple((at.method, at.budget, *told) for at, told in trial.readings.items()) for trial in trials
    )
    marks, mark_of = _shapes(tuple((*at, mark) for at, mark in trial.marks.items()) for trial in trials)
    told = {
        "head": dict(head),
        "run": [trial.run_id for trial in trials],
        "id": [trial.id for trial in trials],
        "status": [trial.status for trial in trials],
        "reason": [trial.reason for trial in trials],
        "stopped": [None if t.stopped is None else list(vars(t.stopped).values()) for t in trials],
        "outcome": [trial.outcome for trial in trials],
        "layout": [trial.layout for trial in trials],
        "started": [trial.started for trial in trials],
        "ended": [trial.ended for trial in trials],
        "curves": [bool(trial.alphas) for trial in trials],
        "step": [one.step for one in runs],
        "place": [one.artifact_uri for one in runs],
        "told": [one.told for one in runs],
        "faults": {row: list(one.faults) for row, one in enumerate(runs) if one.faults},
        "paths": paths,
        "path_of": path_of,
        "names": names,
        "name_of": name_of,
        "marks": marks,
        "mark_of": mark_of,
    }
    measured = chain.from_iterable(told.values() for trial in trials for told in trial.readings.values())
    curves = chain.from_iterable(trial.alphas for trial in trials)
    document = json.dumps(told | {"values": values}, separators=(",", ":"), allow_nan=False)
    np.savez(
        file,
        allow_pickle=False,
        document=np.frombuffer(document.encode("utf-8", "surrogatepass"), dtype=np.uint8),
        codes=np.array(codes, dtype=np.int32),
        measured=np.fromiter(measured, dtype=np.float64),
        curves=np.fromiter(curves, dtype=np.float64),
    )


def read_columns(file: IO[bytes]) -> tuple[list[Known], dict[str, Any]]:
    """What ``write_columns`` wrote; of anything else an error of whatever kind."""
    with np.load(file, allow_pickle=False) as arrays:
        told = json.loads(arrays["document"].tobytes().decode("utf-8", "surrogatepass"))
        codes, measured, curves = (arrays[name].tolist() for name in ("codes", "measured", "curves"))
    values = told["values"]
    params = _params(told, map(values.__getitem__, codes))
    readings = _readings(told, iter(measured))
    marks = [{At(method, budget): mark for method, budget, mark in shape} for shape in told["marks"]]
    width = len(curves) // max(1, sum(told["curves"]))
    alphas = iter(curves)
    rows = zip(
        told["run"], told["id"], told["status"], told["reason"], told["stopped"], told["outcome"], told["layout"],
        told["started"], told["ended"], told["curves"], told["step"], told["place"], told["told"], told["mark_of"],
        params, readings, strict=True,
    )  # fmt: skip
    faults = {int(row): tuple(said) for row, said in told["faults"].items()}
    runs = []
    for number, (run, identity, status, reason, stop, outcome, layout, *more) in enumerate(rows):
        started, ended, has_curve, step, place, print_, mark, config, read = more
        trial = Trial(
            id=identity,
            run_id=run,
            status=status,
            params=config,
            readings=read,
            reason=reason,
            marks=marks[mark],
            stopped=None if stop is None else Stop(*stop),
            outcome=outcome,
            layout=layout,
            alphas=tuple(islice(alphas, width)) if has_curve else (),
            started=started,
            ended=ended,
        )
        runs.append(Known(trial, step, place, print_, faults.get(number, ())))
    return runs, told["head"]


def _params(told: Mapping[str, Any], values: Iterable[Scalar]) -> Iterable[dict[str, Scalar]]:
    """Parameters of run after run, from their values one after the other."""
    shapes, values = [(tuple(paths), len(paths)) for paths in told["paths"]], iter(values)
    return (
        dict(zip(paths, islice(values, count), strict=True))
        for paths, count in map(shapes.__getitem__, told["path_of"])
    )


def _readings(told: Mapping[str, Any], values: Iterable[float]) -> Iterable[dict[At, dict[str, float]]]:
    """Readings of run after run, from their values one after the other."""
    shapes = [
        [(At(method, budget), tuple(names), len(names)) for method, budget, *names in shape]
        for shape in told["names"]
    ]
    values = iter(values)
    return (
        {at: dict(zip(names, islice(values, count), strict=True)) for at, names, count in shape}
        for shape in map(shapes.__getitem__, told["name_of"])
    )


def _shapes(keys: Iterable[tuple[Any, ...]]) -> tuple[list[tuple[Any, ...]], list[int]]:
    """The distinct ones, and which each is."""
    found: dict[tuple[Any, ...], int] = {}
    numbers = [found.setdefault(key, len(found)) for key in keys]
    return list(found), numbers


def _values(values: Iterable[Scalar]) -> tuple[list[Scalar], list[int]]:
    """The distinct ones, and which each is; Python holds ``True``, 1 and 1.0 for equal, and 0.0 and -0.0."""
    found: dict[tuple[type, Scalar], int] = {}
    told: list[Scalar] = []
    numbers = []
    for value in values:
        key = type(value), value or repr(value)
        number = found.get(key)
        if number is None:
            number = found[key] = len(told)
            told.append(value)
        numbers.append(number)
    return told, numbers
