"""Thesis figure 6.14: the loss D_GAN(P‖P̃) over a plane of generators of Fashion-MNIST, refined at K = 1, 2 and 5.

    python benchmarks/loss_plane.py OUT [--side 17] [--root FOLDER] [--base 35000] [--again 5000]
    python benchmarks/loss_plane.py OUT --quick             # handwritten digits, small networks, seconds on a CPU

As C.2.3 says: the perceptron GAN 100-256-512-1024-784 is trained to θ₀; θ₁ and θ₂ are θ₀ with noise, trained on for
5,000 iterations. At every point of the plane through them (``trainables.studies.loss_plane``) the critic goes on alone
on the generator there, OBRS rejects by it, and the loss of what is kept is read by a second critic on test images
(``trainables.studies.refined_bound``). All points share their random numbers, and are trained side by side.

Other than in the thesis: Fashion-MNIST, not MNIST; the critics' rate is larger than 1e-6, with which one hardly leaves
θ₀'s, so that all losses are understated, and rejection by it does harm; the second critic is as large as the first,
not a linear layer.

OUT gets, after every part of the grid: plane.npz (the loss at [K, x, y], its standard error, the thesis' primal
value, the first critics' bound, the share kept; NaN where not done yet), plane.json (the same as lists, and the relief
of every K) and samples.npz (draws as bytes, with which of them are kept, at the lowest and the highest loss of every
K). Of several ``--blurs`` each has files of its own, plane-blur-0.3.npz and so on.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from math import prod
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from trainables.config import TrainingConfig, TrialConfig
from trainables.datasets import Dataset
from trainables.datasets.digits import Digits
from trainables.datasets.fashion_mnist import FashionMnist
from trainables.models.mlp_gan import MlpGan
from trainables.objectives.fgan import Gan
from trainables.sources.source import Source
from trainables.start import Start
from trainables.studies.loss_plane import axis, disturbed, plane, relief
from trainables.studies.own_critic import frozen
from trainables.studies.refined_bound import Bounds, RefinedCritics
from trainables.training.population import Population
from trainables.training.rows import TrialState

__all__ = ["Settings", "main", "study"]

SHOWN = 64
"""Draws that are written for a point: at K = 5 about 13 of them are kept."""
GRIDS = ("dual", "error", "primal", "first", "rate")


@dataclass(frozen=True)
class Settings:
    """What is trained, the grid, and how long its critics are trained."""

    dataset: Dataset
    model: MlpGan
    training: TrainingConfig
    again: int
    noise: float
    side: int
    low: float
    high: float
    budgets: tuple[float, ...]
    first: int
    second: int
    rate: float
    blurs: tuple[float, ...]
    rows: int
    held: int
    seed: int = 0

    def base(self) -> TrialConfig:
        """The trial that ends at θ₀."""
        return TrialConfig(self.dataset, self.model, Gan(), training=self.training, seed=self.seed)


class Grids:
    """What is known of the plane so far, (K, side, side) each, NaN elsewhere; and draws of the points."""

    def __init__(self, settings: Settings, blur: float, out: Path) -> None:
        self._settings, self._out = settings, out
        self._blur, self._name = blur, "" if len(settings.blurs) == 1 else f"-blur-{blur:g}"
        self.axis = axis(settings.side, settings.low, settings.high)
        points, budgets = settings.side**2, len(settings.budgets)
        self.values = {name: np.full((budgets, points), np.nan) for name in GRIDS}
        shape = settings.dataset.shape
        self.draws = np.zeros((points, SHOWN, *shape), np.uint8)
        self.kept = np.zeros((budgets, points, SHOWN), bool)

    def put(self, part: slice, bounds: Bounds, draws: Tensor, kept: Tensor) -> None:
        """Take up points, in their order, and write down all that is there."""
        for name in GRIDS:
            self.values[name][:, part] = getattr(bounds, name).numpy()
        self.draws[part] = ((draws.clamp(-1, 1) + 1) * 127.5).round().byte().cpu().numpy()
        self.kept[:, part] = kept.cpu().numpy()
        self._write()

    def _write(self) -> None:
        side, budgets = self._settings.side, self._settings.budgets
        grids = {name: values.reshape(-1, side, side) for name, values in self.values.items()}
        np.savez_compressed(
            self._out / f"plane{self._name}.npz", axis=self.axis.numpy(), budgets=np.array(budgets), **grids
        )
        samples = {}
        for at, budget in enumerate(budgets):
            loss = self.values["dual"][at]
            for name, point in (("lowest", int(np.nanargmin(loss))), ("highest", int(np.nanargmax(loss)))):
                samples[f"{name}_{budget:g}"] = self.draws[point]
                samples[f"{name}_{budget:g}_kept"] = self.kept[at, point]
                samples[f"{name}_{budget:g}_at"] = np.array(divmod(point, side))
        np.savez_compressed(self._out / f"samples{self._name}.npz", **samples)
        told = {
            "settings": {**self._settings.base().plain(), **_numbers(self._settings), "blur": self._blur},
            "axis": self.axis.tolist(),
            "budgets": list(budgets),
            "relief": self.reliefs(),
            **{name: np.where(np.isnan(grid), None, grid.round(6)).tolist() for name, grid in grids.items()},
        }
        (self._out / f"plane{self._name}.json").write_text(json.dumps(told) + "\n", encoding="utf-8")

    def reliefs(self) -> dict[str, dict[str, float]]:
        """Of every budget and each of both ways to read the loss, once the grid is complete."""
        if np.isnan(self.values["dual"]).any():
            return {}
        side = self._settings.side
        return {
            f"{name} K={budget:g}": asdict(
                relief(torch.from_numpy(self.values[name][at].reshape(side, side)), self.axis)
            )
            for name in ("dual", "primal")
            for at, budget in enumerate(self._settings.budgets)
        }


def _numbers(settings: Settings) -> dict[str, float | int]:
    names = ("again", "noise", "side", "low", "high", "first", "second", "rate", "held")
    return {name: getattr(settings, name) for name in names}


def corners(settings: Settings, device: torch.device, source: Source) -> tuple[TrialState, list[Tensor]]:
    """The state at θ₀, and θ₀, θ₁, θ₂, (P,) each, on the CPU."""
    base = settings.base()
    population = Population([base], device=device, source=source)
    population.advance(settings.training.iterations)
    state = population.state(0)
    sizes = [prod(shape) for shape in population.generator.shapes.values()]
    population.close()
    training = replace(settings.training, iterations=settings.again)
    configs, starts = [], []
    for number in (1, 2):
        noise = torch.Generator().manual_seed(1000 * settings.seed + number)
        moved = disturbed(state["average"], sizes, settings.noise, noise)
        configs.append(
            replace(base, training=training, seed=settings.seed + number, start=Start.at(base, "kept"))
        )
        starts.append({**state, "average": moved})
    again = Population(configs, device=device, source=source, starts=starts)
    again.advance(settings.again)
    found = [state["average"], *(own["average"] for own in again.states())]
    again.close()
    return state, found


def study(settings: Settings, out: Path, device: torch.device) -> list[Grids]:
    """Train the corners, then the critics of the plane at each blur, part by part."""
    out.mkdir(parents=True, exist_ok=True)
    began = time.perf_counter()
    source = settings.dataset.source().to(device)
    unseen = source.reference(2 * settings.held).x
    held, judged = unseen[: settings.held], unseen[settings.held :]
    state, (origin, first, second) = corners(settings, device, source)
    print(f"θ₀, θ₁, θ₂ trained after {time.perf_counter() - began:.0f} s; ", end="")
    apart = [float((one - origin).norm() / origin.norm()) for one in (first, second)]
    print(f"‖θ₁ - θ₀‖/‖θ₀‖ = {apart[0]:.2f}, ‖θ₂ - θ₀‖/‖θ₀‖ = {apart[1]:.2f}", flush=True)
    torch.save({"theta": torch.stack((origin, first, second)).half()}, out / "corners.pt")
    found = [Grids(settings, blur, out) for blur in settings.blurs]
    x, y = torch.cartesian_prod(found[0].axis, found[0].axis).unbind(1)
    for (grids, blur), start in product(
        zip(found, settings.blurs, strict=True), range(0, len(x), settings.rows)
    ):
        part = slice(start, start + settings.rows)
        thetas = plane(origin, first, second, x[part], y[part])
        grids.put(part, *_part(settings, blur, state, thetas, (held, judged), device, source))
        print(
            f"blur {blur:g}: {min(start + settings.rows, len(x))} of {len(x)} points, "
            f"{time.perf_counter() - began:.0f} s",
            flush=True,
        )
    return found


def _part(
    settings: Settings,
    blur: float,
    state: TrialState,
    thetas: Tensor,
    unseen: tuple[Tensor, Tensor],
    device: torch.device,
    source: Source,
) -> tuple[Bounds, Tensor, Tensor]:
    """The losses at parameters (G, P), with draws there and which each budget keeps."""
    states = [{**state, "average": theta} for theta in thetas]
    bases = [settings.base()] * len(states)
    alone = frozen(bases, states, 1, settings.rate, device=device, source=source)
    critics = RefinedCritics(alone, settings.budgets, blur, settings.seed)
    how = settings.rate, settings.training.batch_size, settings.training.precision
    critics.train_first(settings.first, *how)
    critics.settle(unseen[0])
    critics.train_second(settings.second, *how)
    return critics.bounds(*unseen), *critics.show(SHOWN)


def _settings(options: argparse.Namespace) -> Settings:
    training = TrainingConfig(
        iterations=options.base, batch_size=512, critic_steps=1, generator_lr=2e-4, critic_lr=2e-4,
        decay=options.decay, precision="tf32",
    )  # fmt: skip
    widths = MlpGan.spelled({"size": "thesis"})
    settings = Settings(
        FashionMnist(root=options.root), MlpGan(latent=100, slope=0.2, bounded=True, **widths), training,
        options.again, options.noise, options.side, options.low, options.high, tuple(options.budgets),
        options.first, options.second, options.rate, tuple(options.blurs), options.rows, 5000, options.seed,
    )  # fmt: skip
    if not options.quick:
        return settings
    return replace(
        settings, dataset=Digits(), model=MlpGan((32, 64), (64, 32), 16, 0.2, True),
        training=replace(training, iterations=80, batch_size=64, generator_lr=1e-3, critic_lr=1e-3),
        again=20, side=3, first=20, second=10, rate=1e-3, rows=6, held=170,
    )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, print, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path, help="folder for the results")
    parser.add_argument("--root", help="folder with the files of Fashion-MNIST")
    parser.add_argument("--base", type=int, default=35000, help="iterations to θ₀")
    parser.add_argument("--again", type=int, default=5000, help="iterations from the noise to θ₁ and θ₂")
    parser.add_argument(
        "--noise", type=float, default=0.5, help="of each weight, in units of its tensor's size"
    )
    parser.add_argument(
        "--decay", type=float, default=0.5, help="share of the trainings in which rates fall to 0"
    )
    parser.add_argument("--side", type=int, default=17, help="points of the grid each way")
    parser.add_argument(
        "--low", type=float, default=-0.5, help="where the grid begins; θ₀ is at 0, θ₁ and θ₂ at 1"
    )
    parser.add_argument("--high", type=float, default=1.5)
    parser.add_argument("--budgets", type=float, nargs="+", default=[1, 2, 5])
    parser.add_argument("--first", type=int, default=1000, help="iterations of the critic alone at a point")
    parser.add_argument("--second", type=int, default=500, help="iterations of each second critic")
    parser.add_argument("--rate", type=float, default=1e-4, help="of both, falling to 0")
    parser.add_argument(
        "--blurs", type=float, nargs="+", default=[0.0, 0.3], help="noise on the laws compared"
    )
    parser.add_argument("--rows", type=int, default=121, help="points side by side")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="digits, small networks and few iterations")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args(arguments)
    found = study(_settings(options), options.out, torch.device(options.device))
    for blur, grids in zip(options.blurs, found, strict=True):
        for name, numbers in grids.reliefs().items():
            values = ", ".join(f"{key} {value:.4g}" for key, value in numbers.items())
            print(f"blur {blur:g}, {name:12} {values}")


if __name__ == "__main__":
    main()
