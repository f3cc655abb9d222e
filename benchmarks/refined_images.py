"""What a budget buys on Fashion-MNIST beside what λ buys: the generators of ``fashion-gan``, ready to be refined.

    python benchmarks/refined_images.py OUT --root FOLDER [--seeds 100 101] [--lams 0.1 1 10]
    python benchmarks/refined_images.py OUT --root FOLDER --on FILE …   # reads those files, and trains nothing
    python benchmarks/refined_images.py OUT --seeds 100 --width 24 --base 10000 --tuned 5000 --own 2000   # two cores
    python benchmarks/refined_images.py OUT --again FILE … --own-lipschitz 8     # the same generators, other critics
    python benchmarks/refined_images.py OUT --quick           # handwritten digits, small networks, seconds on a CPU

A base is trained for each seed, and from it a trial for each λ, as the preset ``fashion-gan`` has it. Then all stand
still, and for each of them a critic is trained alone by logistic regression, and calibrated on images that training
has not seen (Vérine 2024, 6.2.3): critics that follow a generator lag behind it, and those of different λ would not
know the ratio equally well. Once it is the critic that a generator was trained with, which goes on under the Lipschitz
constant it had (``kept``), and once a new one (``fresh``).

OUT/kept and OUT/fresh get a file for every generator with its critic (base-100.safetensors, lam-0.1-100.safetensors),
as ``trainables.samplers`` reads them. ``--on`` reads such files through every refinement at K = 1, 2, 4 and 8, in the
features of a classifier of the data, and writes images.json after every model: metrics, calls, acceptance and seconds
of every reading, and what the reliability of the critic's ratio says; beside it a picture of what OBRS accepts and
refuses of each model. ``refined_images_page.py`` draws them.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trainables.config import TrainingConfig, TrialConfig
from trainables.constraints.spectral import Spectral
from trainables.datasets import Dataset
from trainables.datasets.digits import Digits
from trainables.datasets.fashion_mnist import FashionMnist
from trainables.evaluation.default_features import default_features
from trainables.evaluation.real_side import RealSide
from trainables.evaluation.refined import RefinedReading, refined_readings
from trainables.evaluation.settings import EvaluationConfig
from trainables.evaluation.shown import Shown, shown
from trainables.models.dcgan import Dcgan
from trainables.objectives.fgan import Gan
from trainables.objectives.pr import PR
from trainables.refinements.budgeted import Budgeted
from trainables.refinements.dgflow import DGFlow
from trainables.refinements.dot import Dot
from trainables.refinements.drs import Drs
from trainables.refinements.hard_truncation import HardTruncation
from trainables.refinements.mh import MetropolisHastings
from trainables.refinements.obrs import Obrs
from trainables.refinements.rejection import Rejection
from trainables.refinements.soft_truncation import SoftTruncation
from trainables.rejection.calibrations.affine import Slope
from trainables.safetensors import read_tensors
from trainables.samplers.calibrating import calibrated_on
from trainables.samplers.keeping import CARD, kept_samplers
from trainables.samplers.sampler import Sampler
from trainables.samplers.trained import Trained
from trainables.sources.source import Source
from trainables.start import CRITICS, Start
from trainables.studies.own_critic import frozen, own_ratios
from trainables.studies.states import state_of, trained
from trainables.training.rows import TrialState

__all__ = ["METHODS", "Settings", "again", "main", "read", "study"]

BUDGETS = (2.0, 4.0, 8.0)
METHODS: tuple[Budgeted, ...] = (
    Obrs(BUDGETS), Drs(BUDGETS), MetropolisHastings(BUDGETS), Rejection(BUDGETS), Dot(BUDGETS), DGFlow(BUDGETS),
    SoftTruncation(BUDGETS), HardTruncation(BUDGETS),
)  # fmt: skip
APART = 1 << 61
"""What is added to a seed whose draws calibrate."""


@dataclass(frozen=True)
class Settings:
    """What is trained: bases, trials that begin there, and critics alone."""

    dataset: Dataset
    model: Dcgan
    base: TrainingConfig
    tuned: TrainingConfig
    lams: tuple[float, ...]
    seeds: tuple[int, ...]
    own: int
    own_rate: float
    own_lipschitz: float
    own_critics: tuple[str, ...]
    unseen: int

    def at_base(self, seed: int) -> TrialConfig:
        """The base of a seed."""
        held = Spectral(lipschitz=8)
        return TrialConfig(self.dataset, self.model, Gan(), held, training=self.base, seed=seed)

    def at_lam(self, lam: float, seed: int) -> TrialConfig:
        """The trial of a λ that begins there."""
        return replace(
            self.at_base(seed),
            objective=PR(lam=lam, form="step", sharpness=2),
            constraint=Spectral(lipschitz=128),
            training=self.tuned,
            start=Start.at(self.at_base(seed), "fresh"),
        )


def study(settings: Settings, out: Path, device: torch.device) -> list[str]:
    """Train all, and write their files; the names of these."""
    source = settings.dataset.source().to(device)
    began = time.perf_counter()

    def told(what: str) -> None:
        print(f"{what}, {time.perf_counter() - began:.0f} s", flush=True)

    bases = [settings.at_base(seed) for seed in settings.seeds]
    ends = trained(bases, None, source, device)
    told("bases")
    written = _written(
        settings, [f"base-{seed}" for seed in settings.seeds], bases, ends, out, device, source
    )
    told("their critics")
    pairs = [(lam, place) for lam in settings.lams for place in range(len(settings.seeds))]
    tuned = [settings.at_lam(lam, settings.seeds[place]) for lam, place in pairs]
    states = trained(tuned, [ends[place] for _, place in pairs], source, device)
    told("every λ")
    names = [f"lam-{lam:g}-{settings.seeds[place]}" for lam, place in pairs]
    written += _written(settings, names, tuned, states, out, device, source)
    told("their critics")
    return written


def again(files: Sequence[Path], settings: Settings, out: Path, device: torch.device) -> list[str]:
    """Give the generators of files other critics alone, and write both down; the names."""
    names = [file.stem for file in files]
    configs = [settings.at_base(_named(file)["seed"]) for file in files]
    states = [state_of(config, file.read_bytes()) for config, file in zip(configs, files, strict=True)]
    return _written(settings, names, configs, states, out, device, settings.dataset.source().to(device))


def _written(
    settings: Settings,
    names: Sequence[str],
    configs: Sequence[TrialConfig],
    states: Sequence[TrialState],
    out: Path,
    device: torch.device,
    source: Source,
) -> list[str]:
    """Train critics alone at frozen generators, calibrate them, and write both down."""
    written: list[str] = []
    for critic in settings.own_critics:
        files = _with_critic(critic, settings, configs, states, device, source)
        (out / critic).mkdir(parents=True, exist_ok=True)
        for name, (data, told) in zip(names, files, strict=True):
            print(f"{critic}/{name}: {told}")
            if data is not None:
                (out / critic / f"{name}.safetensors").write_bytes(data)
                written.append(f"{critic}/{name}")
    return written


def _with_critic(
    critic: str,
    settings: Settings,
    configs: Sequence[TrialConfig],
    states: Sequence[TrialState],
    device: torch.device,
    source: Source,
) -> list[tuple[bytes | None, str]]:
    """A file for every generator with its critic trained alone, and what to say of it; none where that diverged."""
    constraint = None if critic == "kept" else Spectral(lipschitz=settings.own_lipschitz)
    alone = frozen(
        configs, states, settings.own, settings.own_rate, critic=critic, constraint=constraint,
        device=device, source=source,
    )  # fmt: skip
    alone.advance(settings.own)
    ratios = own_ratios(alone, settings.unseen)
    files = kept_samplers(alone, ratios)
    alone.close()
    return [
        (None, "its critic diverged, and it is left out")
        if found is None or data is None
        else (data, f"slope {found.scale:.3f}, spread of log r {found.values.std():.3f}")
        for found, data in zip(ratios, files, strict=True)
    ]


def read(
    files: Sequence[Path],
    dataset: Dataset,
    samples: int,
    out: Path,
    device: torch.device,
    seed: int = 0,
    methods: Sequence[Budgeted] = METHODS,
) -> list[dict[str, Any]]:
    """Read the models of files through refinements, OBRS first; rows of numbers, written after every model."""
    names = [_named(file) for file in files]
    source = dataset.source()
    real = RealSide(source, default_features(dataset), samples, device)
    evaluation = EvaluationConfig(samples=samples, features=default_features(dataset))
    held = source.reference(samples).x
    rows: list[dict[str, Any]] = []
    out.mkdir(parents=True, exist_ok=True)
    for file, name in zip(files, names, strict=True):
        began = time.perf_counter()
        tensors, texts = read_tensors(file.read_bytes())
        model = Trained(Sampler(json.loads(texts[CARD]), tensors, device))
        found = calibrated_on(model, Slope, held, samples, seed + APART, max(BUDGETS))
        obrs: list[RefinedReading] = []
        for place, method in enumerate(methods):
            for one in refined_readings(found.model, method, BUDGETS, real, evaluation, seed):
                if one.budget == 1 and place:
                    continue  # that of every method is the model as it is
                obrs += [one] if method.name == "obrs" else []
                rows.append(
                    {
                        **name,
                        "method": method.name if one.budget > 1 else "none",
                        "budget": one.budget,
                        **one.metrics,
                        "acceptance": one.ledger.acceptance,
                        **one.ledger.plain()["per_sample"],
                    }
                )
        verdict = found.reliability.verdict
        told = {
            "verdict": verdict.kind,
            "effective": found.reliability.effective,
            "moved": found.reliability.moved,
        }
        print(f"{file.name}: {verdict.kind}, {time.perf_counter() - began:.0f} s", flush=True)
        rows.append({**name, "method": "reliability", **told, "sentence": verdict.sentence})
        (out / f"{file.stem}.png").write_bytes(_sheet(held, real.span, obrs))
        (out / "images.json").write_text(json.dumps(rows, indent=0) + "\n", encoding="utf-8")
    return rows


def _sheet(held: Tensor, span: tuple[float, float], readings: Sequence[RefinedReading]) -> bytes:
    """Real images beside what OBRS makes of the model, and what it refused at the largest budget."""
    from explorer.launch.image_sheet import ImagePanel, image_sheet

    panels = [ImagePanel("Real", _bytes(shown(held[:500], span=span)))]
    for one in readings:
        title = "Generated" if one.budget == 1 else f"Accepted, K = {one.budget:g}"
        panels.append(ImagePanel(title, _bytes(one.kept)))
    panels.append(ImagePanel(f"Rejected, K = {readings[-1].budget:g}", _bytes(readings[-1].refused)))
    return image_sheet(panels)


def _bytes(images: Shown) -> NDArray[np.uint8]:
    assert images.samples is not None
    return images.samples


def _named(file: Path) -> dict[str, Any]:
    """λ and seed of a file; no λ of a base."""
    match = re.fullmatch(r"(?:lam-(?P<lam>[0-9.]+)|base)-(?P<seed>[0-9]+)\.safetensors", file.name)
    if match is None:
        raise SystemExit(f"a file must be named as lam-0.1-100.safetensors is, got {file.name}; rename it")
    return {"lam": None if match["lam"] is None else float(match["lam"]), "seed": int(match["seed"])}


def _settings(options: argparse.Namespace) -> Settings:
    base = TrainingConfig(
        iterations=options.base, batch_size=64, critic_steps=1, generator_lr=1.6e-3, critic_lr=1.6e-3, beta2=0.999,
        ema=0.999, precision="float32" if options.device == "cpu" else "bf16",
    )  # fmt: skip
    tuned = replace(
        base,
        iterations=options.tuned,
        critic_first=min(1000, options.tuned // 2),
        generator_lr=5e-4,
        critic_lr=1e-3,
    )
    settings = Settings(
        FashionMnist(size=32, root=options.root), Dcgan(latent=64, width=options.width), base, tuned,
        tuple(options.lams), tuple(options.seeds), options.own, options.own_rate, options.own_lipschitz,
        tuple(options.own_critic), 10_000,
    )  # fmt: skip
    if not options.quick:
        return settings
    return replace(
        settings, dataset=Digits(size=16), model=Dcgan(latent=8, width=8), own=20, unseen=300,
        base=replace(base, iterations=20, precision="float32"),
        tuned=replace(tuned, iterations=20, critic_first=10, precision="float32"),
    )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Train and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path, help="folder for the files")
    parser.add_argument("--on", type=Path, nargs="+", help="files to read through every refinement")
    parser.add_argument(
        "--again", type=Path, nargs="+", help="files whose generators get other critics alone"
    )
    parser.add_argument(
        "--methods", nargs="+", default=[method.name for method in METHODS], help="beside obrs"
    )
    parser.add_argument("--samples", type=int, default=5000, help="of every reading")
    parser.add_argument("--root", help="folder with the files of Fashion-MNIST")
    parser.add_argument("--seeds", type=int, nargs="+", default=[100, 101])
    parser.add_argument("--lams", type=float, nargs="+", default=[0.1, 1, 10])
    parser.add_argument("--width", type=int, default=48, help="of the networks")
    parser.add_argument("--base", type=int, default=15_000, help="iterations of a base")
    parser.add_argument("--tuned", type=int, default=20_000, help="iterations from there")
    parser.add_argument("--own", type=int, default=3000, help="iterations of critics alone")
    parser.add_argument("--own-rate", type=float, default=1e-3, help="learning rate of critics alone")
    parser.add_argument("--own-lipschitz", type=float, default=128.0, help="of fresh critics alone")
    parser.add_argument(
        "--own-critic", nargs="+", choices=CRITICS, default=["kept", "fresh"],
        help="kept: that of the generator trains on; fresh: a new one",
    )  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="digits, small networks and few iterations")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args(arguments)
    settings, device = _settings(options), torch.device(options.device)
    if options.on:
        chosen = [method for method in METHODS if method.name in ("obrs", *options.methods)]
        read(options.on, settings.dataset, options.samples, options.out, device, methods=chosen)
        return
    if options.again:
        written = again(options.again, settings, options.out, device)
    else:
        written = study(settings, options.out, device)
    print(f"{len(written)} files in {options.out}")


if __name__ == "__main__":
    main()
