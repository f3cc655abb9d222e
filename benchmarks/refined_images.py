"""What a budget buys on Fashion-MNIST beside what λ buys: the generators of ``fashion-gan``, ready to be refined.

    python benchmarks/refined_images.py OUT --root FOLDER [--seeds 100 101] [--lams 0.1 1 10]
    python benchmarks/refined_images.py OUT --quick           # handwritten digits, small networks, seconds on a CPU

A base is trained for each seed, and from it a trial for each λ, as the preset ``fashion-gan`` has it. Then all stand
still, and a new critic is trained alone for each of them by logistic regression, and calibrated on images that training
has not seen (Vérine 2024, 6.2.3): critics that follow a generator lag behind it, and those of different λ would not
know the ratio equally well.

OUT gets a file for every generator with its critic (base-100.safetensors, lam-0.1-100.safetensors), as
``trainables.samplers`` reads them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from trainables.config import TrainingConfig, TrialConfig
from trainables.constraints.spectral import Spectral
from trainables.datasets import Dataset
from trainables.datasets.digits import Digits
from trainables.datasets.fashion_mnist import FashionMnist
from trainables.models.dcgan import Dcgan
from trainables.objectives.fgan import Gan
from trainables.objectives.pr import PR
from trainables.samplers.keeping import kept_samplers
from trainables.sources.source import Source
from trainables.start import Start
from trainables.studies.own_critic import frozen, own_ratios
from trainables.training.population import Population
from trainables.training.rows import TrialState

__all__ = ["Settings", "main", "study"]


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
    out.mkdir(parents=True, exist_ok=True)
    source = settings.dataset.source().to(device)
    began = time.perf_counter()

    def told(what: str) -> None:
        print(f"{what}, {time.perf_counter() - began:.0f} s", flush=True)

    bases = [settings.at_base(seed) for seed in settings.seeds]
    ends = _trained(bases, None, source, device)
    told("bases")
    written = _written(
        settings, [f"base-{seed}" for seed in settings.seeds], bases, ends, out, device, source
    )
    told("their critics")
    pairs = [(lam, place) for lam in settings.lams for place in range(len(settings.seeds))]
    tuned = [settings.at_lam(lam, settings.seeds[place]) for lam, place in pairs]
    states = _trained(tuned, [ends[place] for _, place in pairs], source, device)
    told("every λ")
    names = [f"lam-{lam:g}-{settings.seeds[place]}" for lam, place in pairs]
    written += _written(settings, names, tuned, states, out, device, source)
    told("their critics")
    return written


def _trained(
    configs: Sequence[TrialConfig], starts: Sequence[TrialState] | None, source: Source, device: torch.device
) -> list[TrialState]:
    population = Population(configs, device=device, source=source, starts=starts)
    population.advance(configs[0].training.iterations)
    states = population.states()
    population.close()
    return states


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
    alone = frozen(
        configs, states, settings.own, settings.own_rate, constraint=Spectral(lipschitz=128), critic="fresh",
        device=device, source=source,
    )  # fmt: skip
    alone.advance(settings.own)
    ratios = own_ratios(alone, settings.unseen)
    files = kept_samplers(alone, ratios)
    alone.close()
    for name, found, data in zip(names, ratios, files, strict=True):
        if found is None or data is None:
            print(f"{name}: its critic diverged, and it is left out")
            continue
        (out / f"{name}.safetensors").write_bytes(data)
        print(f"{name}: slope {found.scale:.3f}, spread of log r {found.values.std():.3f}")
    return [name for name, data in zip(names, files, strict=True) if data is not None]


def _settings(options: argparse.Namespace) -> Settings:
    base = TrainingConfig(
        iterations=options.base, batch_size=64, critic_steps=1, generator_lr=1.6e-3, critic_lr=1.6e-3, beta2=0.999,
        ema=0.999, precision="bf16",
    )  # fmt: skip
    tuned = replace(
        base,
        iterations=options.tuned,
        critic_first=min(1000, options.tuned // 2),
        generator_lr=5e-4,
        critic_lr=1e-3,
    )
    settings = Settings(
        FashionMnist(size=32, root=options.root), Dcgan(latent=64, width=48), base, tuned, tuple(options.lams),
        tuple(options.seeds), options.own, 1e-3, 10_000,
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
    parser.add_argument("--root", help="folder with the files of Fashion-MNIST")
    parser.add_argument("--seeds", type=int, nargs="+", default=[100, 101])
    parser.add_argument("--lams", type=float, nargs="+", default=[0.1, 1, 10])
    parser.add_argument("--base", type=int, default=15_000, help="iterations of a base")
    parser.add_argument("--tuned", type=int, default=20_000, help="iterations from there")
    parser.add_argument("--own", type=int, default=3000, help="iterations of critics alone")
    parser.add_argument("--quick", action="store_true", help="digits, small networks and few iterations")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args(arguments)
    written = study(_settings(options), options.out, torch.device(options.device))
    print(f"{len(written)} files in {options.out}")


if __name__ == "__main__":
    main()
