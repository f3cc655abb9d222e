"""Samples against samples, and laws against laws."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile, ZipInfo

from explorer.errors import UserError, brief

if TYPE_CHECKING:
    from explorer.measure import Measurement
    from explorer.theory import Comparison

__all__ = ["compare", "measure"]


def measure(
    real: Any,
    fake: Any,
    metrics: str | Sequence[str] | None = None,
    features: str | None = None,
    k: int = 5,
    seed: int = 0,
    device: str = "auto",
    stage: Callable[[str], None] = lambda text: None,
) -> Measurement:
    """Precision, recall, FID and their kin of ``fake`` against ``real``, each with its bootstrap interval.

    Both are paths (.npy, .npz, .pt, a folder of images) or arrays: features (N, d) or images (N, c, h, w); a mapping
    of arrays is what a .npz file holds, ``{"features": x, "labels": y}``. ``metrics`` are names such as ``precision``,
    by default all; ``features`` is the extractor of images; ``k`` counts neighbours; ``stage`` hears what is done now.
    Units, formulas and costs of all metrics are in docs/measures.md.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> wide, narrow = rng.normal(size=(400, 2)), rng.normal(size=(400, 2)) / 2
    >>> scores = te.measure(wide, narrow, ["precision", "recall"]).to_pandas()
    >>> list(scores.columns), scores["value"].idxmax()
    (['value', 'low', 'high'], 'precision')
    """
    from explorer.folders import data_folder
    from explorer.measure import MeasureSettings, measure_paths, parse_metrics

    asked = metrics if metrics is None or isinstance(metrics, str) else ",".join(metrics)
    settings = MeasureSettings(words=parse_metrics(asked), k=k, seed=seed, device=device)
    cache = data_folder() / "measure"
    with TemporaryDirectory(prefix="tradeoff-") as scratch:
        given = {
            name: _path(samples, Path(scratch) / f"{name}.npz")
            for name, samples in (("real", real), ("fake", fake))
        }
        found = measure_paths(given["real"], given["fake"], features, settings, cache, stage)
        for name, path in given.items():
            if path.parent == Path(scratch):
                found.values["settings"][name]["path"] = "an array"
        return found


def _path(samples: Any, scratch: Path) -> Path:
    """Where samples lie. Arrays are put into a file, so that they pass the checks of files and are remembered alike."""
    if isinstance(samples, str | os.PathLike):
        return Path(samples)
    import numpy as np

    named = samples if isinstance(samples, Mapping) else {"features": samples}
    try:
        arrays = {str(key): np.asarray(value) for key, value in named.items()}
        with ZipFile(scratch, "w") as archive:
            for key, array in arrays.items():
                # No time of day: equal arrays are equal files, by which what is known of the real side is found again.
                with archive.open(ZipInfo(f"{key}.npy"), "w", force_zip64=True) as file:
                    np.lib.format.write_array(file, array, allow_pickle=False)
    except (TypeError, ValueError) as error:
        raise UserError(
            f"the {scratch.stem} samples must be arrays of numbers or a path, but {brief(str(error), 120)}"
        ) from None
    except OSError as error:
        raise UserError(
            f"the {scratch.stem} samples do not fit into {scratch.parent}: {error.strerror}"
        ) from error
    return scratch


def compare(
    real: Iterable[float], model: Iterable[float], lambdas: Iterable[float] | None = None, budget: float = 2
) -> Comparison:
    """Everything the theory says about two known discrete laws: divergences, PR curve, frontiers, what rejection buys.

    ``real`` and ``model`` are probabilities of the same outcomes, ``lambdas`` trade-offs of the curve, by default
    a grid, ``budget`` the K ≥ 1 of optimal rejection. ``document()`` has it all as plain values.

    >>> laws = te.compare([0.5, 0.3, 0.2], [0.2, 0.2, 0.6], lambdas=[1])
    >>> round(laws.curve[0].precision, 6), round(laws.refined.acceptance, 6)
    (0.6, 0.5)
    """
    from explorer.theory import compare as compare_laws

    chosen = None if lambdas is None else [float(lam) for lam in lambdas]
    return compare_laws([float(p) for p in real], [float(q) for q in model], chosen, budget)
