"""How well trained flows of images find latents again, and what of it is the rounding of samples to float32.

Flows are trained by likelihood, and by the PR-divergence beside more and more likelihood. Then latents go to samples
and back: by ``transform``, which is in double; by ``walk``, in float32; by ``transform``, with the sample rounded to
float32 in between. And data goes to latents and back, in float32.

    python benchmarks/flow_inversion.py [DATASET] [--size 16] [--iterations 300] [--seeds 0 1]
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import torch
from torch import Tensor

from trainables.config import TrainingConfig, TrialConfig
from trainables.datasets import DATASETS, Dataset
from trainables.models import Model
from trainables.models.glow import Glow
from trainables.models.layers.bijection import Bijection
from trainables.models.nice import Nice
from trainables.models.realnvp import RealNvp
from trainables.objectives import Objective
from trainables.objectives.mle import MaximumLikelihood
from trainables.objectives.pr import PR
from trainables.training.population import Population

SAMPLES = 512
LIMIT = 1e-4
FLOWS: tuple[Model, ...] = (
    Nice(critic=(16, 16), width=64),
    RealNvp(critic=(16, 16), couplings=2, width=16, levels=2),
    Glow(critic=(16, 16), levels=2, steps=3, width=16),
)
OBJECTIVES: tuple[Objective, ...] = (
    MaximumLikelihood(),
    *(PR(lam=lam, likelihood=weight, warmup=40) for lam in (0.2, 6.0) for weight in (0.01, 0.1, 1.0)),
)


@dataclass(frozen=True)
class Inversion:
    """Errors of latents (n,), each the largest of a sample, and the largest of data."""

    double: Tensor
    single: Tensor
    rounded: Tensor
    data: float


def inversion(flow: Bijection, z: Tensor, x: Tensor) -> Inversion:
    """The errors of a flow at latents z (n, *shape) and at data x (m, *shape)."""

    def error(found: Tensor) -> Tensor:
        return (found - z).abs().flatten(1).amax(1)

    with torch.no_grad():
        sample = flow.transform(z, inverse=False)[0]
        again = flow.walk(flow.walk(x, inverse=True)[0], inverse=False)[0]
        return Inversion(
            error(flow.transform(sample, inverse=True)[0]),
            error(flow.walk(flow.walk(z, inverse=False)[0], inverse=True)[0]),
            error(flow.transform(sample.float(), inverse=True)[0]),
            float((again - x).abs().max()),
        )


def trained(
    model: Model, dataset: Dataset, objectives: tuple[Objective, ...], seeds: list[int], iterations: int
) -> Population:
    """A pack of all objectives and seeds, at its end."""
    training = TrainingConfig(
        iterations=iterations, batch_size=16, critic_steps=1, generator_lr=1e-3, critic_lr=4e-3, ema=0.9
    )
    pack = Population(
        [
            TrialConfig(dataset=dataset, model=model, objective=objective, training=training, seed=seed)
            for objective in objectives
            for seed in seeds
        ]
    )
    pack.advance(iterations)
    return pack


def single_flow(pack: Population, row: int) -> Bijection:
    """The flow of one trial of a pack, by itself."""
    module = pack.configs[row].model.build_generator(pack.source.shape, None)
    assert isinstance(module, Bijection)
    state = {**pack.final_generator(), **pack.buffers["generator"]}
    module.load_state_dict({name: values[row] for name, values in state.items()})
    return module


def main(arguments: list[str] | None = None) -> None:
    """Train, and print a line for every flow and objective, the worst of the seeds."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "dataset", nargs="?", default="digits", help="images of a size that is a multiple of 4"
    )
    parser.add_argument("--size", type=int, default=None, help="of its images, where the dataset takes one")
    parser.add_argument("--iterations", type=int, default=300)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    chosen = parser.parse_args(arguments)
    kind = DATASETS[chosen.dataset]
    dataset = kind(**kind.spelled({} if chosen.size is None else {"size": chosen.size}))
    print(
        f"{chosen.dataset} {dataset.shape}, {chosen.iterations} iterations, seeds {chosen.seeds}, the worst of them"
    )
    print(
        "| flow | trained by | z → x → z | in float32 | samples beyond 1e-4 | the rounding of x alone | "
        "x → z → x in float32 |"
    )
    print("|---|---|---|---|---|---|---|")
    z = torch.randn(SAMPLES, *dataset.shape, generator=torch.Generator().manual_seed(0))
    for model in FLOWS:
        pack = trained(model, dataset, OBJECTIVES, chosen.seeds, chosen.iterations)
        data = pack.real(SAMPLES).x
        found = [inversion(single_flow(pack, row), z, data[row]) for row in range(len(data))]
        for index, objective in enumerate(OBJECTIVES):
            ours = found[index * len(chosen.seeds) : (index + 1) * len(chosen.seeds)]
            title = (
                f"λ = {objective.lam:g}, likelihood {objective.likelihood:g}"
                if isinstance(objective, PR)
                else "likelihood"
            )
            worst = [
                f"{max(float(getattr(one, name).max()) for one in ours):.1e}"
                for name in ("double", "single", "rounded")
            ]
            beyond = max(float((one.single > LIMIT).float().mean()) for one in ours)
            print(
                f"| `{model.name}` | {title} | {worst[0]} | {worst[1]} | {beyond:.1%} | {worst[2]} | "
                f"{max(one.data for one in ours):.1e} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
