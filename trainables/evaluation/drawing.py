"""Some trials of a population, asked again about their draws: with gradients, and from other latents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor

from trainables.randomness import Stream, hashed_normals
from trainables.refinements import Block
from trainables.training.pack_objective import PackObjective
from trainables.training.trials import BLOCK, EVALUATION, Trials, block_of

__all__ = ["Drawing"]


class Drawing:
    """What ``Trials.sample`` drew of some trials, block by block, and the networks that made and score it."""

    def __init__(
        self, trials: Trials, rows: Sequence[int], calibrated: Callable[[Tensor], Tensor], repeat: int = 0
    ) -> None:
        """``calibrated``: log r̂ (R, n) of these trials → log r; ``repeat``: of the draws, as for ``sample``."""
        chosen = torch.tensor(rows, device=trials.device)
        self._first = block_of(trials.iteration, repeat, 0)
        self._calibrated = calibrated
        self._networks = trials.networks.of_rows(chosen)
        self._generator = {name: values[chosen] for name, values in trials.final_generator().items()}
        self._critic = {name: values[chosen] for name, values in trials.final_critic().items()}
        self._log_lam = [values[chosen] for values in trials.own_log_lam(BLOCK)]
        remembered = trials.objective.states()
        self._objective = PackObjective([trials.configs[row].objective for row in rows], trials.device)
        self._objective.restore([remembered[row] for row in rows])

    def blocks(self, points: Tensor) -> Iterator[Block]:
        """Blocks of the first draws ``points`` (R, n, *shape) of these trials, one after the other."""
        for number, start in enumerate(range(0, points.shape[1], BLOCK)):
            yield self._block(self._first + number, points[:, start : start + BLOCK])

    def _block(self, at: int, points: Tensor) -> Block:
        networks, size = self._networks, points.shape[1]
        latent = networks.noise.normal(Stream.POOL, at, BLOCK, *networks.latent_shape, first=size)
        given = [own[:, :size] for own in (*networks.labels(EVALUATION + at, BLOCK), *self._log_lam)]
        keys = networks.noise.keys(Stream.MOVE, at)

        def generate(z: Tensor) -> Tensor:
            return networks.generate(self._generator, z, given, EVALUATION + at, training=False)

        def log_ratio(x: Tensor) -> Tensor:
            logits = networks.score(self._critic, x, given, EVALUATION, training=False)
            return self._calibrated(self._objective.log_ratio(logits))

        def normal(step: int) -> Tensor:
            return hashed_normals(keys + step, (BLOCK, *networks.latent_shape), size)

        return Block(latent, points, generate, log_ratio, normal)
