"""Samples against samples, and laws against laws."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile, ZipInfo

from explorer.api.arguments import (
    file_path,
    is_a,
    is_path,
    number,
    numbers,
    plain_tensor,
    text,
    whole_number,
)
from explorer.errors import UserError, brief, shown

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray

    from explorer.measure import Measurement
    from explorer.theory import Comparison

__all__ = ["compare", "device_name", "extractor_name", "kept_path", "measure", "metric_list"]

LONGEST_NAME = 200
"""Characters of an array's name; an archive holds names of up to 65,535 bytes."""


def measure(
    real: Any,
    fake: Any,
    metrics: str | Sequence[str] | None = None,
    features: str | os.PathLike[str] | None = None,
    k: int = 5,
    seed: int = 0,
    device: str | torch.device = "auto",
    stage: Callable[[str], None] = lambda text: None,
    classifier: str = "ensemble",
) -> Measurement:
    """Precision, recall, FID and their kin of ``fake`` against ``real``, each with its interval.

    Both are paths (.npy, .npz, .pt, a folder of images) or arrays: features (N, d) or images (N, c, h, w). A tensor
    may have gradients, which are left behind, and may be bfloat16, which is read as float32. A mapping of arrays is
    what a .npz file holds, ``{"features": x, "labels": y}``. ``metrics`` are names such as ``precision``, by default
    all; ``features`` is the extractor of images; ``k`` counts neighbours; ``classifier`` tells real from fake where
    a curve is made of one: ``ensemble``, ``logistic``, ``mlp`` or ``knn``; ``stage`` hears what is done now.
    Units, formulas and costs of all metrics are in docs/measures.md.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> wide, narrow = rng.normal(size=(400, 2)), rng.normal(size=(400, 2)) / 2
    >>> scores = te.measure(wide, narrow, ["precision", "recall"]).to_pandas()
    >>> list(scores.columns), scores["value"].idxmax()
    (['value', 'low', 'high', 'interval'], 'precision')
    """
    from explorer.folders import data_folder
    from explorer.measure import MeasureSettings, all_metrics, measure_paths, parse_metrics, with_classifier

    settings = MeasureSettings(
        words=parse_metrics(metric_list(metrics)),
        metrics=with_classifier(all_metrics(), text(classifier, "the classifier")),
        k=whole_number(k, "k", 1),
        seed=whole_number(seed, "the seed", 0),
        device=device_name(device),
    )
    extractor = None if features is None else extractor_name(features)
    if not callable(stage):
        raise UserError(f"stage must be a function that takes a text, got {shown(stage)}")
    cache = data_folder() / "measure"
    with TemporaryDirectory(prefix="tradeoff-") as scratch:
        given = {
            name: kept_path(samples, Path(scratch) / f"{name}.npz")
            for name, samples in (("real", real), ("fake", fake))
        }
        found = measure_paths(given["real"], given["fake"], extractor, settings, cache, stage)
        for name, path in given.items():
            if path.parent == Path(scratch):
                found.values["settings"][name]["path"] = "an array"
        return found


def metric_list(metrics: Any) -> str | None:
    """Names of metrics with commas between them."""
    if metrics is None or isinstance(metrics, str):
        return metrics
    several = isinstance(metrics, Iterable) and getattr(metrics, "ndim", 1) == 1
    names = list(metrics) if several else [metrics]
    if not all(isinstance(name, str) for name in names):
        raise UserError(
            f"metrics must be names such as precision, one or a list of them, got {shown(metrics)}"
        )
    return ",".join(names)


def device_name(device: Any) -> str:
    """The name of a device, also of one of torch; there is one CPU, whatever its number."""
    if is_a(device, "torch", "device"):
        return "cpu" if device.type == "cpu" else str(device)
    return text(device, "the device")


def extractor_name(features: Any) -> str:
    """The name of an extractor, or the file that is one."""
    if not is_path(features):
        raise UserError(
            f"features must be the name of an extractor or a TorchScript file, got {shown(features)}; "
            "give arrays of features as real and fake"
        )
    return text(os.fspath(features), "features")


def kept_path(samples: Any, scratch: Path) -> Path:
    """Where samples lie. Arrays are put into a file, so that they pass the checks of files and are remembered alike."""
    if isinstance(samples, str | os.PathLike):
        return file_path(samples, f"the {scratch.stem} samples")
    import numpy as np

    named = samples if isinstance(samples, Mapping) else {"features": samples}
    try:
        arrays = {_name(key, scratch.stem): _array(value) for key, value in named.items()}
        with ZipFile(scratch, "w") as archive:
            for key, array in arrays.items():
                # No time of day: equal arrays are equal files, by which what is known of the real side is found again.
                with archive.open(ZipInfo(f"{key}.npy"), "w", force_zip64=True) as file:
                    np.lib.format.write_array(file, array, allow_pickle=False)
    except (RuntimeError, TypeError, ValueError) as error:  # torch has the first for what is no plain array
        raise UserError(
            f"the {scratch.stem} samples must be arrays of numbers or a path, but {brief(str(error), 120)}"
        ) from None
    except OSError as error:
        raise UserError(
            f"the {scratch.stem} samples do not fit into {scratch.parent}: {error.strerror}"
        ) from error
    return scratch


def _name(key: object, side: str) -> str:
    """The name of an array inside an archive."""
    name = text(key, f"every name of the {side} samples")
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise UserError(
            f"the names of the {side} samples must be printable and of at most {LONGEST_NAME} characters, "
            f"got {shown(name)}; use features, images and labels"
        )
    return name


def _array(value: Any) -> NDArray[Any]:
    """An array of NumPy, from whatever is one; refuses what would be lost on the way."""
    import numpy as np

    if isinstance(value, list | tuple):
        return np.asarray([_array(one) if _is_array(one) else one for one in value])
    if np.ma.isMaskedArray(value) and np.ma.is_masked(value):
        hidden = int(np.ma.getmaskarray(value).sum())
        raise ValueError(f"{hidden} of their entries are masked; drop those samples, or fill them")
    return np.asarray(plain_tensor(value) if is_a(value, "torch", "Tensor") else value)


def _is_array(value: object) -> bool:
    return is_a(value, "torch", "Tensor") or is_a(value, "numpy.ma", "MaskedArray")


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

    chosen = None if lambdas is None else numbers(lambdas, "lambdas")
    return compare_laws(numbers(real, "real"), numbers(model, "model"), chosen, number(budget, "budget K"))
