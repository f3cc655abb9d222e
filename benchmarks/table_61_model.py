"""The model of thesis table 6.1: GANs of 25 Gaussians kept along their training, each with a critic of its own.

    python benchmarks/table_61_model.py OUT [--seeds 0 1 2 3] [--points 1000 … 100000] [--own 2000] [--live]
    python benchmarks/table_61_model.py OUT --on FILE … --own 20000 --own-rate 1e-3
    python benchmarks/table_61_model.py OUT --quick          # small networks, seconds on a CPU

The thesis (Vérine 2024, 6.2.3 and C.2.1) trains a generator 2-256-512-1024-2 against a critic 2-1024-512-256-1 by Adam
at 2e-5, batch 4096, and prints of the proposals: 55.80 % within 3σ of a mode, all 25 modes hit by 2,500 samples. Which
iteration that was it does not say. So the generators of a few seeds are looked at along their training; at every point
the critic goes on alone on the frozen generator, is calibrated, and what OBRS at the printed budget 6262/2500 makes of
the proposals is measured beside them.

OUT gets table.json after every point, and the files of the points nearest to what is printed, as
``trainables.samplers`` reads them (seed0-8000.safetensors); the nearest in half precision too as
nearest-half.safetensors, which ``trainables.studies.half_files.widened`` makes readable. ``--on`` trains the critics
of such files further, and nothing else.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from trainables.config import TrainingConfig, TrialConfig
from trainables.datasets.gaussians25 import Gaussians25
from trainables.measures.modes import mode_shares
from trainables.models.mlp_gan import MlpGan
from trainables.objectives.fgan import Gan
from trainables.samplers.keeping import kept_samplers
from trainables.sources.law import Law
from trainables.sources.source import Source
from trainables.studies.half_files import narrowed
from trainables.studies.own_critic import frozen, own_ratios, refined_draws
from trainables.studies.states import live, state_of
from trainables.training.population import Population
from trainables.training.rows import TrialState

__all__ = ["Point", "Settings", "main", "mode_means", "study"]

PRINTED_PRECISION = 0.5580
PRINTED_BUDGET = 6262 / 2500
SET = 2500
"""Samples of a set, as in the thesis: how many modes are hit hangs on it."""
SETS = 20
POINTS = (1000, 2000, 3000, 5000, 8000, 12000, 20000, 35000, 60000, 100000)


@dataclass(frozen=True)
class Settings:
    """What is trained, and how long the critics are trained alone."""

    model: MlpGan
    training: TrainingConfig
    seeds: tuple[int, ...]
    points: tuple[int, ...]
    own_iterations: int
    own_rate: float
    with_live: bool
    sets: int = SETS
    files: int = 4

    def config(self, seed: int, iterations: int) -> TrialConfig:
        """The trial that ends at this point; rates are constant, so it is the beginning of the longer ones."""
        training = replace(self.training, iterations=iterations)
        return TrialConfig(Gaussians25(), self.model, Gan(), training=training, seed=seed)


@dataclass(frozen=True)
class Point:
    """A generator at a point of its training, with its own critic: shares in [0, 1], means over sets of 2,500.

    ``precision`` is the share within 3σ of a mode, ``recall`` the share of modes hit, ``held`` of modes that get a
    fifth of their mass; ``refined_…`` the same at the printed budget with ``acceptance``; ``slope`` what calibration
    made of the critic's log r̂.
    """

    seed: int
    iteration: int
    generator: str
    precision: float
    recall: float
    held: float
    refined_precision: float
    refined_recall: float
    refined_held: float
    acceptance: float
    slope: float

    def gap(self) -> float:
        """How far from the printed baseline; a mode that is missed counts as much as all precision."""
        return abs(self.precision - PRINTED_PRECISION) + (1.0 - self.recall)

    @property
    def name(self) -> str:
        """Of its file."""
        kind = "" if self.generator == "average" else "-live"
        return f"seed{self.seed}-{self.iteration}{kind}.safetensors"

    def line(self) -> str:
        """Of the table."""
        cells = [
            self.precision, self.recall, self.held,
            self.refined_precision, self.refined_recall, self.refined_held, self.acceptance,
        ]  # fmt: skip
        shares = " ".join(f"{100 * value:7.2f}" for value in cells)
        return f"{self.seed:4d} {self.iteration:9,d} {self.generator:>8} {shares} {self.slope:6.3f}"


HEADER = " seed iteration generator    prec  recall    held |  prec'  recall'  held'  accept  slope"


def mode_means(law: Law, points: Tensor, size: int = SET) -> tuple[float, float, float]:
    """Precision, recall and share of modes held of (n, 2) points, means over sets of ``size``; a rest is left out."""
    sets = len(points) // size
    if not sets:
        raise ValueError(f"there must be at least {size} points for a set, got {len(points)}; draw more")
    found = law.modes(points[: sets * size])
    assert found is not None
    shares = mode_shares(found, sets)
    precision, recall, held = (float(shares[name].mean()) for name in ("quality", "modes_hit", "modes_held"))
    return precision, recall, held


def measured(
    law: Law, population: Population, names: Sequence[tuple[int, int, str]], sets: int
) -> tuple[list[Point], list[bytes | None]]:
    """A point and a file of every trial of a frozen population; names are (seed, iteration, generator)."""
    count = sets * SET
    ratios = own_ratios(population, count)
    plain = refined_draws(population, ratios, 1.0, count)
    budgeted = refined_draws(population, ratios, PRINTED_BUDGET, round(count * PRINTED_BUDGET * 1.05))
    points = []
    for name, found, x, kept in zip(names, ratios, plain, budgeted, strict=True):
        if found is None or len(kept) < SET:
            raise ValueError(f"seed {name[0]} at iteration {name[1]} has no usable critic; lower its rate")
        share = len(kept) / round(count * PRINTED_BUDGET * 1.05)
        points.append(Point(*name, *mode_means(law, x), *mode_means(law, kept), share, found.scale))
    return points, kept_samplers(population, ratios)


def study(settings: Settings, out: Path, device: torch.device) -> list[Point]:
    """Train, stop at every point, train the critics alone there, and write down what is found so far."""
    out.mkdir(parents=True, exist_ok=True)
    source = Gaussians25().source().to(device)
    longest = max(settings.points)
    population = Population(
        [settings.config(s, longest) for s in settings.seeds], device=device, source=source
    )
    found: list[Point] = []
    began = time.perf_counter()
    print(HEADER, flush=True)
    for iteration in sorted(settings.points):
        population.advance(iteration - population.iteration)
        fresh, files = _at_point(settings, iteration, population.states(), device, source)
        found += fresh
        for point in fresh:
            print(point.line(), flush=True)
        _write(out, found, dict(zip((p.name for p in fresh), files, strict=True)), settings)
        print(f"  {time.perf_counter() - began:.0f} s", flush=True)
    population.close()
    return found


def go_on(settings: Settings, files: Sequence[Path], out: Path, device: torch.device) -> list[Point]:
    """Train the critics of files further, which are named as ``study`` named them."""
    out.mkdir(parents=True, exist_ok=True)
    names = [_named(path) for path in files]
    states = [
        state_of(settings.config(seed, iteration), path.read_bytes())
        for path, (seed, iteration, _) in zip(files, names, strict=True)
    ]
    found, kept = _alone(settings, names, states, device, Gaussians25().source().to(device))
    _write(out, found, dict(zip((p.name for p in found), kept, strict=True)), settings)
    print("\n".join([HEADER, *(point.line() for point in found)]))
    return found


def _named(path: Path) -> tuple[int, int, str]:
    """Seed, iteration and generator of a file."""
    match = re.fullmatch(r"seed(\d+)-(\d+)(-live)?\.safetensors", path.name)
    if match is None:
        raise SystemExit(f"a file must be named as seed0-5000.safetensors is, got {path.name}; rename it")
    return int(match[1]), int(match[2]), "live" if match[3] else "average"


def _at_point(
    settings: Settings, iteration: int, states: list[TrialState], device: torch.device, source: Source
) -> tuple[list[Point], list[bytes | None]]:
    kinds = [("average", states), *([("live", [live(s) for s in states])] if settings.with_live else [])]
    names = [(seed, iteration, kind) for kind, _ in kinds for seed in settings.seeds]
    return _alone(settings, names, [state for _, own in kinds for state in own], device, source)


def _alone(
    settings: Settings,
    names: Sequence[tuple[int, int, str]],
    states: Sequence[TrialState],
    device: torch.device,
    source: Source,
) -> tuple[list[Point], list[bytes | None]]:
    """Points and files at frozen generators whose critics are trained alone."""
    alone = frozen(
        [settings.config(seed, iteration) for seed, iteration, _ in names],
        states,
        settings.own_iterations,
        settings.own_rate,
        device=device,
        source=source,
    )
    alone.advance(settings.own_iterations)
    law = source.law
    assert law is not None
    found = measured(law, alone, names, settings.sets)
    alone.close()
    return found


def _write(out: Path, found: list[Point], files: dict[str, bytes | None], settings: Settings) -> None:
    """The table, and the files of the nearest points; those that are no longer among them go."""
    nearest = sorted(found, key=Point.gap)
    due = {point.name for point in nearest[: settings.files]}
    for name, data in files.items():
        if name in due and data is not None:
            (out / name).write_bytes(data)
    for old in out.glob("seed*.safetensors"):
        if old.name not in due:
            old.unlink()
    if nearest[0].name in files:
        (out / "nearest-half.safetensors").write_bytes(narrowed((out / nearest[0].name).read_bytes()))
    told = {
        "printed": {"precision": PRINTED_PRECISION, "recall": 1.0, "budget": PRINTED_BUDGET},
        "model": settings.model.plain(),
        "training": settings.training.plain(),
        "own_iterations": settings.own_iterations,
        "own_rate": settings.own_rate,
        "nearest": nearest[0].name,
        "points": [{**asdict(p), "file": p.name if p.name in due else None} for p in found],
    }
    part = out / "table.json.part"
    part.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    part.replace(out / "table.json")


def _settings(options: argparse.Namespace) -> Settings:
    widths = MlpGan.spelled({"size": "thesis"})
    training = TrainingConfig(
        batch_size=4096, critic_steps=1, generator_lr=options.rate, critic_lr=options.rate,
        beta1=options.beta1, beta2=options.beta2, decay=0.0, precision="tf32",
    )  # fmt: skip
    settings = Settings(
        MlpGan(slope=0.2, **widths), training, tuple(options.seeds), tuple(options.points),
        options.own, options.own_rate, options.live, files=options.files,
    )  # fmt: skip
    if not options.quick:
        return settings
    small = replace(training, batch_size=256, generator_lr=1e-3, critic_lr=1e-3)
    model = MlpGan(generator=(32, 64), critic=(64, 32), slope=0.2)
    return replace(
        settings, model=model, training=small, seeds=tuple(options.seeds[:2]), points=(50, 200, 400),
        own_iterations=100, own_rate=1e-3, with_live=True, sets=2,
    )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, print, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path, help="folder for table.json and the files")
    parser.add_argument(
        "--on", type=Path, nargs="+", help="files whose critics go on; nothing else is trained"
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3])
    parser.add_argument("--points", type=int, nargs="+", default=list(POINTS), help="iterations to look at")
    parser.add_argument("--rate", type=float, default=2e-5, help="of generator and critic")
    parser.add_argument("--beta1", type=float, default=0.5)
    parser.add_argument("--beta2", type=float, default=0.99)
    parser.add_argument("--own", type=int, default=2000, help="iterations of the critic alone at a point")
    parser.add_argument("--own-rate", type=float, default=2e-4, help="of the critic alone, falling to 0")
    parser.add_argument("--live", action="store_true", help="the generator of the step beside the average")
    parser.add_argument("--files", type=int, default=4, help="points whose files are kept")
    parser.add_argument("--quick", action="store_true", help="small networks and few iterations")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args(arguments)
    settings, device = _settings(options), torch.device(options.device)
    found = (
        go_on(settings, options.on, options.out, device)
        if options.on
        else study(settings, options.out, device)
    )
    best = min(found, key=Point.gap)
    print(f"nearest to {100 * PRINTED_PRECISION:.2f} %: {best.name}, {100 * best.precision:.2f} %")


if __name__ == "__main__":
    main()
