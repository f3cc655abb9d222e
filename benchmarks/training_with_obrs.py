"""Training with OBRS (thesis 6.3) against training without, at equal budget: same seeds, data, networks and iterations.

    python benchmarks/training_with_obrs.py OUT --part plane --seeds 100 101 102 103 104 105 106 107
    python benchmarks/training_with_obrs.py OUT --part images --seeds 100 101 102 103 --root FOLDER
    python benchmarks/training_with_obrs.py OUT --part images --seeds 100 101 --bases FOLDER   # of refined_images.py
    python benchmarks/training_with_obrs.py OUT --quick        # both parts, tiny, seconds on a CPU

Arms are trained from scratch, and as fine-tunings of one shared base per seed, a GAN. Each objective ``obrs`` is put
beside the one that it is at K = 1: both descend D_GAN itself (saturating) or both its usual replacement. At the end all
generators are frozen and every critic is trained alone in the same way (``trainables.studies.own_critic``), so that
refined samples differ by their proposals and not by how well a ratio happened to be known. Measured are the proposals
(K = 1) and what OBRS makes of them at each budget; told are means and standard errors over seeds, and the mean of the
differences by seed.

In the plane: precision, recall, density and coverage by k-NN; shares within 3σ, modes hit and held; spread (root of the
variance beside that of the data); JS and TV of P and the law refined at K, over cells of half a σ. On Fashion-MNIST:
FID, precision, recall, density and coverage in the features of a small classifier of the data.

The recipes here were chosen on seeds below 100. OUT gets plane.json and images.json after every case, and *.md tables.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from trainables.config import TrainingConfig, TrialConfig
from trainables.constraints import Constraint
from trainables.constraints.none import Free
from trainables.constraints.spectral import Spectral
from trainables.datasets import Dataset
from trainables.datasets.digits import Digits
from trainables.datasets.fashion_mnist import FashionMnist
from trainables.datasets.gaussians8 import Gaussians8
from trainables.datasets.gaussians25 import Gaussians25
from trainables.models import Model
from trainables.models.dcgan import Dcgan
from trainables.models.mlp_gan import MlpGan
from trainables.objectives import Objective
from trainables.objectives.fgan import Gan
from trainables.objectives.obrs import Obrs
from trainables.sources.source import Source
from trainables.start import CRITICS, Start
from trainables.studies.equal_budgets import paired, summary
from trainables.studies.own_critic import frozen, own_ratios, refined_draws
from trainables.studies.set_measures import (
    IMAGE_COLUMNS,
    PLANE_COLUMNS,
    Measure,
    image_measure,
    plane_measure,
)
from trainables.studies.states import state_of, trained
from trainables.training.rows import TrialState

__all__ = ["ARMS", "Arm", "Case", "main", "run", "table"]

Row = dict[str, Any]


@dataclass(frozen=True)
class Arm:
    """A way of training: its objective, and the arm that it is at K = 1."""

    name: str
    objective: Gan | Obrs
    beside: str | None = None

    def tuned(self) -> Objective:
        """From a base that is a GAN already, rejection begins at once."""
        return replace(self.objective, delay=0.0) if isinstance(self.objective, Obrs) else self.objective


def _arms() -> dict[str, Arm]:
    found = [Arm("gan", Gan()), Arm("gan-sat", Gan(saturating=True))]
    for budget in (2.0, 4.0):
        for suffix, saturating in (("", False), ("-sat", True)):
            objective = Obrs(budget=budget, saturating=saturating)
            found.append(Arm(f"obrs-{budget:g}{suffix}", objective, f"gan{suffix}"))
    return {arm.name: arm for arm in found}


ARMS = _arms()


@dataclass(frozen=True)
class Case:
    """Data and networks, how they are trained from scratch and on from a base, and how critics are at the end.

    ``base`` of the iterations are the base's where there is one, the rest the arms': both starts take equally many.
    """

    title: str
    dataset: Dataset
    model: Model
    training: TrainingConfig
    base: int
    tuned_rates: tuple[float, float]
    own: int
    own_rate: float
    samples: int
    constraint: Constraint = Free()  # noqa: RUF009  # frozen, as all members are
    own_constraint: Constraint | None = None
    own_critic: str = "kept"

    def scratch(self, arm: Arm, seed: int) -> TrialConfig:
        """A trial of an arm that begins at random."""
        objective = arm.objective
        return TrialConfig(
            self.dataset, self.model, objective, self.constraint, training=self.training, seed=seed
        )

    def at_base(self, seed: int) -> TrialConfig:
        """The base of a seed."""
        config = self.scratch(ARMS["gan"], seed)
        return replace(config, training=replace(self.training, iterations=self.base))

    def tuned(self, arm: Arm, seed: int) -> TrialConfig:
        """A trial of an arm that begins at the base of its seed."""
        base = self.at_base(seed)
        generator, critic = self.tuned_rates
        left = self.training.iterations - self.base
        training = replace(self.training, iterations=left, generator_lr=generator, critic_lr=critic)
        return replace(base, objective=arm.tuned(), training=training, start=Start.at(base, "kept"))


def run(
    case: Case,
    arms: Sequence[Arm],
    seeds: Sequence[int],
    budgets: Sequence[float],
    measure: Measure,
    source: Source,
    device: torch.device,
    stored: Sequence[Path] = (),
) -> Iterator[list[Row]]:
    """Rows of all trials at all budgets: those from scratch, then those from bases.

    ``stored``: a file for each seed with the networks at which arms begin; then none are trained from scratch.
    """
    pairs = [(arm, seed) for arm in arms for seed in seeds]
    if not stored:
        scratch = [case.scratch(*one) for one in pairs]
        yield _rows(case, "scratch", pairs, scratch, None, budgets, measure, source, device)
    if not case.base:
        return
    bases = (
        [state_of(case.at_base(seed), file.read_bytes()) for seed, file in zip(seeds, stored, strict=True)]
        if stored
        else trained([case.at_base(seed) for seed in seeds], None, source, device)
    )
    starts = [bases[list(seeds).index(seed)] for _, seed in pairs]
    yield _rows(
        case, "tuned", pairs, [case.tuned(*one) for one in pairs], starts, budgets, measure, source, device
    )


def _rows(
    case: Case,
    start: str,
    pairs: Sequence[tuple[Arm, int]],
    configs: Sequence[TrialConfig],
    starts: Sequence[TrialState] | None,
    budgets: Sequence[float],
    measure: Measure,
    source: Source,
    device: torch.device,
) -> list[Row]:
    """Train the arms, freeze them, train all critics alone in the same way, and measure."""
    states = trained(configs, starts, source, device)
    alone = frozen(
        configs, states, case.own, case.own_rate, constraint=case.own_constraint, critic=case.own_critic,
        device=device, source=source,
    )  # fmt: skip
    alone.advance(case.own)
    ratios = own_ratios(alone, case.samples)
    rows: list[Row] = []
    for budget in budgets:
        draws = round(case.samples * budget * (1.15 if budget > 1 else 1.0))
        kept = refined_draws(alone, ratios, budget, draws)
        for (arm, seed), x, found in zip(pairs, kept, ratios, strict=True):
            row: Row = {"case": case.title, "start": start, "arm": arm.name, "seed": seed, "budget": budget}
            if found is None or len(x) < case.samples:
                rows.append({**row, "failed": f"{len(x)} of {draws} draws kept"})
            else:
                slope = found.scale
                rows.append({**row, "kept": len(x) / draws, "slope": slope, **measure(x[: case.samples])})
    alone.close()
    return rows


def table(rows: Sequence[Row], columns: Sequence[str]) -> list[str]:
    """Markdown: mean ± standard error of every case, start, budget and arm, then differences from the arm beside."""
    lines = [f"| case | start | K | arm | n | {' | '.join(columns)} |", "|---" * (5 + len(columns)) + "|"]
    groups: dict[tuple[str, str, float], dict[str, dict[int, Row]]] = {}
    for row in rows:
        if "failed" not in row:
            group = groups.setdefault((row["case"], row["start"], row["budget"]), {})
            group.setdefault(row["arm"], {})[row["seed"]] = row
    for (case, start, budget), arms in groups.items():
        where = f"| {case} | {start} | {budget:g} |"
        for name, found in arms.items():
            cells = [summary([row[c] for row in found.values()]).text() for c in columns]
            lines.append(f"{where} {name} | {len(found)} | {' | '.join(cells)} |")
        for name, found in arms.items():
            other = arms.get(ARMS[name].beside or "", {})
            both = sorted(found.keys() & other.keys())
            if both:
                cells = [
                    paired({s: found[s][c] for s in both}, {s: other[s][c] for s in both}).text(sign=True)
                    for c in columns
                ]
                lines.append(f"{where} {name} - {ARMS[name].beside} | {len(both)} | {' | '.join(cells)} |")
    return lines


def _cases_of_plane(options: argparse.Namespace) -> list[Case]:
    """Networks that can, networks that hardly can, and a generator that is one Gaussian (thesis figure 6.15)."""
    training = TrainingConfig(iterations=options.iterations, batch_size=256, critic_steps=2)
    slow = replace(training, batch_size=512, generator_lr=2e-4, critic_lr=5e-4)
    critic = (128, 128, 128)
    small, tiny = MlpGan((64, 64), critic), MlpGan((8, 8), critic)
    line = MlpGan((4,), critic, slope=1.0)

    def case(title: str, dataset: Dataset, model: Model, how: TrainingConfig) -> Case:
        rates = how.generator_lr / 2, how.critic_lr / 2
        return Case(
            title, dataset, model, how, how.iterations // 2, rates, options.own, 1e-3, options.plane_samples
        )

    return [
        case("gaussians8", Gaussians8(), MlpGan((32, 32), critic), training),
        case("gaussians25", Gaussians25(), small, slow),
        case("gaussians25, 8 wide", Gaussians25(), tiny, slow),
        case("gaussians8, linear", Gaussians8(), line, training),
    ]


def _case_of_images(options: argparse.Namespace) -> Case:
    training = TrainingConfig(
        iterations=options.image_iterations, batch_size=64, critic_steps=1, generator_lr=1.6e-3, critic_lr=1.6e-3,
        beta2=0.999, ema=0.999, precision="float32" if options.device == "cpu" else "bf16", compile=options.compile,
    )  # fmt: skip
    held: Constraint = Spectral(lipschitz=options.lipschitz) if options.lipschitz else Free()
    own: Constraint = Spectral(lipschitz=options.own_lipschitz) if options.own_lipschitz else Free()
    rates = training.generator_lr / 4, training.critic_lr / 2
    return Case(
        "fashion_mnist", FashionMnist(size=32, root=options.root), Dcgan(latent=64, width=options.image_width),
        training, options.image_iterations // 2, rates, options.image_own, 1e-3,
        options.image_samples, held, own if options.own_critic == "fresh" else None, options.own_critic,
    )  # fmt: skip


def _quick(case: Case, training: TrainingConfig) -> Case:
    return replace(case, training=training, base=training.iterations // 2, own=30, samples=300)


def study(part: str, options: argparse.Namespace, device: torch.device) -> list[Row]:
    """All cases of a part; what is known is written after each start."""
    columns = PLANE_COLUMNS if part == "plane" else IMAGE_COLUMNS
    cases = _cases_of_plane(options) if part == "plane" else [_case_of_images(options)]
    if options.cases:
        cases = [case for case in cases if case.title in options.cases]
    names = options.arms or (list(ARMS) if part == "plane" else ["gan", "obrs-2"])
    if options.quick:
        cases = [_quick(case, replace(case.training, iterations=80, batch_size=64)) for case in cases[:1]]
        if part == "images":
            dataset, model = Digits(size=16), Dcgan(latent=8, width=8)
            short = replace(cases[0].training, iterations=20, precision="float32", compile=False)
            small = _quick(cases[0], short)
            cases = [replace(small, title="digits", dataset=dataset, model=model, samples=200)]
    rows: list[Row] = []
    began = time.perf_counter()
    options.out.mkdir(parents=True, exist_ok=True)
    for case in cases:
        source = case.dataset.source().to(device)
        if part == "plane":
            measure = plane_measure(source, case.samples, min(case.samples, 2500))
        else:
            measure = image_measure(case.dataset, source, case.samples, device)
        arms = [ARMS[name] for name in names]
        if not options.tune:
            case = replace(case, base=0)
        stored = (
            [options.bases / f"base-{seed}.safetensors" for seed in options.seeds] if options.bases else ()
        )
        for fresh in run(case, arms, options.seeds, options.budgets, measure, source, device, stored):
            rows += fresh
            _write(options.out, part, rows, columns, case)
            differences = [line for line in table(fresh, columns) if " - " in line]
            print("\n".join([*table([], columns)[:1], *differences]))
            failed = [row for row in fresh if "failed" in row]
            print(f"{case.title}, {time.perf_counter() - began:.0f} s; failed: {failed}", flush=True)
    return rows


def _write(out: Path, part: str, rows: list[Row], columns: Sequence[str], case: Case) -> None:
    told = {"last_case": {**case.scratch(ARMS["gan"], 0).plain(), "own": case.own}, "rows": rows}
    (out / f"{part}.json").write_text(json.dumps(told, indent=0) + "\n", encoding="utf-8")
    (out / f"{part}.md").write_text("\n".join(table(rows, columns)) + "\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, print, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path, help="folder for the results")
    parser.add_argument("--part", choices=["plane", "images"], action="append", help="both if left out")
    parser.add_argument("--seeds", type=int, nargs="+", default=[100, 101, 102, 103])
    parser.add_argument("--budgets", type=float, nargs="+", default=[1, 2, 4])
    parser.add_argument("--cases", nargs="+", help="titles of those to run; all if left out")
    parser.add_argument("--arms", nargs="+", choices=list(ARMS), help="all in the plane, two for images")
    parser.add_argument("--no-tune", dest="tune", action="store_false", help="from scratch alone")
    parser.add_argument("--iterations", type=int, default=10000, help="in the plane, bases included")
    parser.add_argument("--own", type=int, default=2000, help="iterations of critics alone, in the plane")
    parser.add_argument("--plane-samples", type=int, default=20000)
    parser.add_argument("--image-iterations", type=int, default=15000, help="bases included")
    parser.add_argument("--image-own", type=int, default=3000)
    parser.add_argument("--image-samples", type=int, default=10000)
    parser.add_argument("--image-width", type=int, default=48, help="of the networks")
    parser.add_argument(
        "--bases", type=Path, help="folder of base-SEED.safetensors, by refined_images.py, to begin at"
    )
    parser.add_argument("--lipschitz", type=float, default=8.0, help="of critics of images; 0 for free ones")
    parser.add_argument("--own-critic", choices=CRITICS, default="fresh", help="of images, alone at the end")
    parser.add_argument("--own-lipschitz", type=float, default=128.0, help="of fresh critics of images alone")
    parser.add_argument("--compile", action="store_true", help="on a GPU: a minute at the start, then faster")
    parser.add_argument("--root", help="folder with the files of Fashion-MNIST")
    parser.add_argument("--quick", action="store_true", help="tiny networks and few iterations")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args(arguments)
    if options.bases and (options.part != ["images"] or not options.tune):
        parser.error("--bases are networks of images to go on from; give --part images, and no --no-tune")
    if options.quick:
        options.seeds = options.seeds[:2]
    for part in options.part or ("plane", "images"):
        study(part, options, torch.device(options.device))


if __name__ == "__main__":
    main()
