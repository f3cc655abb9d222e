"""What a measurement is asked for."""

from __future__ import annotations

from dataclasses import dataclass

from explorer.errors import UserError

__all__ = ["METRICS", "NEIGHBOURS", "MeasureSettings", "parse_metrics"]

NEIGHBOURS = ("precision", "recall", "density", "coverage")
METRICS = (*NEIGHBOURS, "fid", "kid", "prd", "classifier", "pr_cover", "inception_score")


@dataclass(frozen=True)
class MeasureSettings:
    """Choices that change the numbers.

    - ``k``: neighbours of precision, recall, density, coverage; PR cover uses (k, 3k);
    - ``clusters``, ``runs``: of the k-means of PRD;
    - ``kid_block``: samples in a block of KID; ``splits``: of the Inception Score;
    - ``draws``, ``level``: of the bootstrap.
    """

    metrics: tuple[str, ...] = METRICS
    k: int = 5
    seed: int = 0
    device: str = "auto"
    clusters: int = 20
    runs: int = 10
    kid_block: int = 1000
    splits: int = 10
    draws: int = 500
    level: float = 0.95

    @property
    def k_prime(self) -> int:
        """The neighbour that makes the balls of PR cover."""
        return 3 * self.k

    def torch_device(self) -> str:
        """The device by its torch name; ``auto`` is CUDA where there is one."""
        import torch

        found = torch.cuda.is_available()
        if self.device == "auto":
            return "cuda" if found else "cpu"
        kind, _, index = self.device.partition(":")
        if self.device != "cpu" and not (kind == "cuda" and (not index or index.isdecimal())):
            raise UserError(f"the device must be auto, cpu, cuda or cuda:N, got '{self.device}'")
        if kind == "cuda" and (not found or int(index or 0) >= torch.cuda.device_count()):
            has = f"{torch.cuda.device_count()} CUDA devices" if found else "no CUDA device"
            raise UserError(
                f"--device {self.device} was asked for, but torch finds {has} here; use --device auto"
            )
        return self.device


def parse_metrics(text: str | None) -> tuple[str, ...]:
    """Metric names from a list with commas; all of them when left out."""
    if text is None:
        return METRICS
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    unknown = [name for name in names if name not in METRICS]
    if unknown or not names:
        raise UserError(f"metrics must be among {', '.join(METRICS)}, got '{', '.join(unknown) or text}'")
    return names
