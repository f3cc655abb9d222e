"""What the peers say of the cases in an .npz; run by conformance.py with a Python that has the peers installed.

Prints one JSON object: case → metric → peer → number, or the first line of what went wrong.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import warnings
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np
import torch

K = 5
PEERS = ("prdc", "piq", "torch-fidelity", "torchmetrics", "pytorch-fid")


def _attempt(action: Callable[[], Any]) -> Any:
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            return action()
        except Exception as error:
            return f"{type(error).__name__}: {str(error).splitlines()[0][:60]}"


def neighbour_scores(real: np.ndarray, fake: np.ndarray) -> dict[str, dict[str, Any]]:
    import piq
    import prdc
    from torch_fidelity.metric_prc import calculate_precision_recall_full

    first = _attempt(lambda: prdc.compute_prdc(real, fake, K))
    x, y = torch.from_numpy(real), torch.from_numpy(fake)
    second = _attempt(lambda: [float(v) for v in piq.PR(nearest_k=K)(x, y)])
    third = _attempt(lambda: calculate_precision_recall_full(y, x, K))  # generated first, as its callers do
    found: dict[str, dict[str, Any]] = {}
    for at, name in enumerate(("precision", "recall")):
        found[name] = {
            "prdc": float(first[name]) if isinstance(first, dict) else first,
            "piq": second[at] if isinstance(second, list) else second,
            "torch-fidelity": float(third[at]) if isinstance(third, tuple) else third,
        }
    for name in ("density", "coverage"):
        found[name] = {"prdc": float(first[name]) if isinstance(first, dict) else first}
    return found


def frechet(real: np.ndarray, fake: np.ndarray) -> dict[str, Any]:
    import piq
    from pytorch_fid.fid_score import calculate_frechet_distance
    from torch_fidelity.metric_fid import fid_features_to_statistics, fid_statistics_to_metric
    from torchmetrics.image.fid import _compute_fid

    x, y = torch.from_numpy(real), torch.from_numpy(fake)
    stats = [(a.mean(0), np.cov(a, rowvar=False)) for a in (real, fake)]
    tensors = [torch.from_numpy(np.asarray(v)) for pair in stats for v in pair]
    key = "frechet_inception_distance"
    return {
        "pytorch-fid": _attempt(lambda: float(calculate_frechet_distance(*stats[0], *stats[1]))),
        "torch-fidelity": _attempt(
            lambda: float(
                fid_statistics_to_metric(*(fid_features_to_statistics(t) for t in (x, y)), False)[key]
            )
        ),
        "torchmetrics": _attempt(lambda: float(_compute_fid(*tensors))),
        "piq": _attempt(lambda: float(piq.FID()(x, y))),
    }


def kernel(real: np.ndarray, fake: np.ndarray) -> dict[str, Any]:
    import piq
    from torch_fidelity.metric_kid import mmd2
    from torchmetrics.image.kid import poly_mmd

    n = min(len(real), len(fake))
    x, y = torch.from_numpy(real[:n]), torch.from_numpy(fake[:n])

    def kernel_matrix(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return (a @ b.T / a.shape[1] + 1) ** 3

    a, b = real[:n], fake[:n]
    return {
        "torch-fidelity": _attempt(
            lambda: float(mmd2(kernel_matrix(a, a), kernel_matrix(a, b), kernel_matrix(b, b)))
        ),
        "torchmetrics": _attempt(lambda: float(poly_mmd(x, y))),
        "piq": _attempt(lambda: float(piq.KID()(x, y))),
    }


def inception_scores(logits: np.ndarray) -> dict[str, Any]:
    from torch_fidelity.metric_isc import isc_features_to_metric

    found = _attempt(lambda: isc_features_to_metric(torch.from_numpy(logits), splits=10, shuffle=False))
    return {"torch-fidelity": found["inception_score_mean"] if isinstance(found, dict) else found}


def main() -> None:
    cases = np.load(sys.argv[1])
    found: dict[str, Any] = {"versions": {peer: version(peer) for peer in PEERS}}
    for name in sorted({key.split("/")[0] for key in cases.files}):
        if f"{name}/logits" in cases.files:
            found[name] = {"inception_score": inception_scores(cases[f"{name}/logits"])}
            continue
        real, fake = cases[f"{name}/real"], cases[f"{name}/fake"]
        found[name] = neighbour_scores(real, fake) | {"fid": frechet(real, fake), "kid": kernel(real, fake)}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
