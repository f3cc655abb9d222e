"""The members the contract runs over (a new one joins by a line) and the random laws it runs on."""

import math

import torch
from hypothesis import strategies as st

from trainables.divergences import DIVERGENCES, amari, pr

FIXED = list(DIVERGENCES.values())
AMARI = [amari(a) for a in (-2.0, -1.0, -0.3, 0.0, 1e-6, 0.25, 0.5, 1 - 1e-6, 1.0, 1.5, 2.0, 3.0)]
PR = [pr(lam) for lam in (0.0, 0.05, 0.5, 1.0, 2.0, 30.0)]
SCALED = [DIVERGENCES["chi2"].reverse(), DIVERGENCES["js"].scaled(3.0), pr(0.4).reverse()]

FAMILY = FIXED + AMARI + PR + SCALED
SMOOTH = [d for d in FAMILY if d.recovers_ratio]


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


P, Q = tensor([0.5, 0.3, 0.2]), tensor([0.2, 0.2, 0.6])


def value(name, p=P, q=Q):
    """D(P‖Q) of a fixed member, as a number."""
    return float(DIVERGENCES[name].discrete(p, q))


ratios = st.floats(math.log(1e-4), math.log(1e4)).map(lambda x: tensor(math.exp(x)))
logits = st.floats(-8, 8).map(tensor)


@st.composite
def laws(draw, zeros=False):
    """Two laws of the same 2 to 7 atoms, with zeros where asked."""
    n = draw(st.integers(2, 7))
    mass = st.floats(0.02, 1.0)
    mass = st.one_of(st.just(0.0), mass) if zeros else mass
    rows = [draw(st.lists(mass, min_size=n, max_size=n).filter(lambda row: sum(row) > 0)) for _ in range(2)]
    p, q = (tensor(row) / sum(row) for row in rows)
    return p, q
