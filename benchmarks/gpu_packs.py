"""Packs and graphs on a GPU beside ordinary loops: trial-steps a second of both, and their ratio, in one run.

The peer is what one writes without this product: a process per trial, torch's own layers (``nn.Conv2d``,
``nn.BatchNorm2d``, ``nn.Linear``), ``torch.optim.Adam``, ``torch.randn``, torch's own settings, several processes at
once. Ours is ``Population`` as a sweep runs it.
Both do the same work a step: critic steps, a generator step, an average of the weights. Start-up, capture and
compilation are not counted.

    python benchmarks/gpu_packs.py [--only small,thesis,dcgan,biggan] [--seconds 8]
"""

from __future__ import annotations

import argparse
import queue
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import torch
import torch.multiprocessing as processes
from torch import nn

from trainables.config import TrainingConfig, TrialConfig
from trainables.datasets import Dataset
from trainables.models import MODELS
from trainables.models.layers.batch_norm import BatchNorm
from trainables.models.mlp_gan import MlpGan
from trainables.objectives.fgan import Gan
from trainables.sources import ArraySource, Source
from trainables.training.population import Population

MANY = 10**9


@dataclass(frozen=True)
class NoiseImages(Dataset):
    """Noise in the shape of images: what is in them costs nothing."""

    name: ClassVar[str] = "noise_images"
    image: tuple[int, ...] = (1, 32, 32)
    labels: int | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.image

    @property
    def classes(self) -> int | None:
        return self.labels

    def source(self) -> Source:
        noise = torch.rand(10_000, *self.image, generator=torch.Generator().manual_seed(0))
        return ArraySource(noise * 2 - 1, None if self.labels is None else torch.arange(10_000) % self.labels)


@dataclass(frozen=True)
class Case:
    """A model, how many of it are packed, how many processes share the card beside it, and the ratio asked for."""

    title: str
    config: Callable[[], TrialConfig]
    trials: int
    processes: int
    asked: float


def _mlp(size: str, batch: int, **training: Any) -> TrialConfig:
    widths = {"128": {"generator": (128, 128), "critic": (128, 128, 128)}}.get(size) or MlpGan.spelled(
        {"size": size}
    )
    settings = TrainingConfig(iterations=MANY, batch_size=batch, critic_steps=1, **training)
    return TrialConfig(model=MlpGan(**widths), objective=Gan(), training=settings)  # type: ignore[arg-type]


def _image(model: str, batch: int, fields: dict[str, Any], data: NoiseImages, **training: Any) -> TrialConfig:
    settings = TrainingConfig(iterations=MANY, batch_size=batch, critic_steps=1, **training)
    kind = MODELS[model]
    return TrialConfig(dataset=data, model=kind(**kind.spelled(fields)), objective=Gan(), training=settings)


CASES = {
    "small": Case(
        "512 perceptrons of 128, batch 256",
        lambda: _mlp("128", 256, precision="tf32", compile=True),
        512,
        12,
        60,
    ),
    "thesis": Case(
        "16 perceptrons of the thesis' size, batch 4,096",
        lambda: _mlp("thesis", 4096, precision="bf16", compile=True),
        16,
        12,
        3,
    ),
    "dcgan": Case(
        "64 DCGANs of 64/128/256 channels, 32×32, batch 64",
        lambda: _image("dcgan", 64, {"width": 64}, NoiseImages(), precision="bf16", compile=True),
        64,
        8,
        3,
    ),
    "biggan": Case(
        "BigGAN-32, batch 128",
        lambda: _image(
            "biggan", 128, {"size": "thesis"}, NoiseImages((3, 32, 32), 10), precision="bf16", compile=True
        ),
        1,
        1,
        2,
    ),
}


def ours(case: Case, seconds: float) -> tuple[float, float]:
    """Trial-steps a second of the pack, and the GiB it took."""
    config = case.config()
    source = config.dataset.source().to("cuda")
    configs = [replace(config, seed=seed) for seed in range(case.trials)]
    torch.cuda.reset_peak_memory_stats()
    population = Population(configs, device="cuda", source=source)
    population.advance(20)
    torch.cuda.synchronize()
    steps, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        population.advance(20)
        torch.cuda.synchronize()
        steps += 20
    rate = case.trials * steps / (time.perf_counter() - began)
    return rate, torch.cuda.max_memory_allocated() / 2**30


def ordinary(module: nn.Module) -> nn.Module:
    """The module with torch's own batch normalisation; its convolutions are torch's own outside a stack."""
    for name, layer in module.named_children():
        if isinstance(layer, BatchNorm):
            put = nn.BatchNorm2d(layer.num_features, layer.eps, layer.momentum, layer.affine)
            put.load_state_dict(layer.state_dict())
            setattr(module, name, put)
        else:
            ordinary(layer)
    return module


def peer(name: str, ready: Any, seconds: float, told: Any) -> None:
    """One ordinary process: steps a second of an eager loop."""
    case = CASES[name]
    config = case.config()
    model, batch = config.model, config.training.batch_size
    shape, classes = config.dataset.shape, config.dataset.classes
    device = torch.device("cuda")
    law: Any = config.dataset.source().law
    images = None if law is not None else torch.rand(10_000, *shape, device=device) * 2 - 1
    labels = None if classes is None else torch.arange(10_000, device=device) % classes
    conditional = model.conditional and classes is not None
    generator = ordinary(model.build_generator(shape, classes)).to(device)
    critic = ordinary(model.build_critic(shape, classes)).to(device)
    average = [p.detach().clone() for p in generator.parameters()]
    adam = {"betas": (0.5, 0.99)}
    of_generator = torch.optim.Adam(generator.parameters(), lr=1e-4, **adam)  # type: ignore[arg-type]
    of_critic = torch.optim.Adam(critic.parameters(), lr=1e-4, **adam)  # type: ignore[arg-type]
    means = None if law is None else law.means.to(device)

    def real() -> tuple[torch.Tensor, list[torch.Tensor]]:
        if images is None:
            chosen = means[torch.randint(len(means), (batch,), device=device)]
            return chosen + law.sigma * torch.randn(batch, *shape, device=device), []
        index = torch.randint(len(images), (batch,), device=device)
        return images[index], [labels[index]] if conditional and labels is not None else []

    def latent() -> torch.Tensor:
        return torch.randn(batch, *model.latent_shape(shape), device=device)

    def step() -> None:
        x, y = real()
        of_critic.zero_grad()
        with torch.no_grad():
            fake = generator(latent(), *y)
        both = critic(torch.cat((x, fake)), *([torch.cat((y[0], y[0]))] if y else [])).reshape(-1)
        loss = torch.nn.functional.softplus(-both[:batch]).mean()
        loss = loss + torch.nn.functional.softplus(both[batch:]).mean()
        loss.backward()
        of_critic.step()
        of_generator.zero_grad()
        torch.nn.functional.softplus(-critic(generator(latent(), *y), *y)).mean().backward()
        of_generator.step()
        with torch.no_grad():
            torch._foreach_lerp_(average, list(generator.parameters()), 0.005)

    for _ in range(20):
        step()
    torch.cuda.synchronize()
    ready.wait()
    steps, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        for _ in range(5):
            step()
        torch.cuda.synchronize()
        steps += 5
    told.put(steps / (time.perf_counter() - began))


def peers(name: str, seconds: float) -> float:
    """Trial-steps a second of all processes together."""
    context = processes.get_context("spawn")
    count = CASES[name].processes
    ready, told = context.Barrier(count), context.Queue()
    started = [context.Process(target=peer, args=(name, ready, seconds, told)) for _ in range(count)]
    for process in started:
        process.start()
    try:
        rates = [told.get(timeout=120 + 4 * seconds) for _ in started]
    except queue.Empty:
        raise SystemExit(f"a process of the peer of '{name}' did not report") from None
    for process in started:
        process.join()
    return sum(rates)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(CASES))
    parser.add_argument("--seconds", type=float, default=8.0)
    chosen = parser.parse_args()
    if not torch.cuda.is_available():
        raise SystemExit("gpu_packs needs a GPU")
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {chosen.seconds:g} s each")
    for name in chosen.only.split(","):
        case = CASES[name]
        rate, memory = ours(case, chosen.seconds)
        torch.cuda.empty_cache()
        beside = peers(name, chosen.seconds)
        print(
            f"{case.title}: {rate:,.0f} trial-steps/s ({memory:.1f} GiB); {case.processes} eager "
            f"process{'es' * (case.processes > 1)} {beside:,.0f}; ratio {rate / beside:.1f} (asked {case.asked:g})",
            flush=True,
        )


if __name__ == "__main__":
    main()
