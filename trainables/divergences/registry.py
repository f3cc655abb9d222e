"""The fixed members by name, and the one place where a name from a file becomes a divergence."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from trainables.divergences.amari import amari
from trainables.divergences.closed_forms import CHI2, GAN, HELLINGER, JEFFREYS, JS, KL, REVERSE_KL, TV
from trainables.divergences.precision_recall import pr
from trainables.divergences.record import Divergence, Scalar
from trainables.nearest import nearest

__all__ = ["DIVERGENCES", "divergence"]

DIVERGENCES: Mapping[str, Divergence] = MappingProxyType(
    {
        "kl": KL,
        "reverse_kl": REVERSE_KL,
        "tv": TV,
        "jeffreys": JEFFREYS,
        "js": JS,
        "gan": GAN,
        "chi2": CHI2,
        "hellinger": HELLINGER,
    }
)


def divergence(name: str, alpha: float | None = None, lam: Scalar | None = None) -> Divergence:
    """The divergence called `name`: a fixed member, `amari` with its α, or `pr` with its λ."""
    if alpha is not None and name != "amari":
        raise ValueError(f"only amari takes an α, got α={alpha} for {name!r}")
    if lam is not None and name != "pr":
        raise ValueError(f"only pr takes a λ, got λ={lam} for {name!r}")
    if name == "amari":
        if alpha is None:
            raise ValueError("amari needs its α, a real number such as 0.5")
        return amari(alpha)
    if name == "pr":
        if lam is None:
            raise ValueError("pr needs its λ in [0, ∞], such as 1.0")
        return pr(lam)
    if name not in DIVERGENCES:
        names = [*DIVERGENCES, "amari", "pr"]
        raise ValueError(f"there is no divergence called {name!r}{nearest(name, names)}")
    return DIVERGENCES[name]
