"""Djolonga et al., Precision-Recall Curves Using Information Divergence Frontiers, 2020."""

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.errata.laws import fails, holds, over_pairs, precision_at, random_pairs, recall_at
from trainables.precision_recall import (
    FAMILIES,
    equiangular_grid,
    frontier_discrete,
    frontier_from_log_ratio,
    gaussian_kl,
    log_between,
    renyi,
)

over_orders = pytest.mark.parametrize("order", [0.7, 3.0])


def law(values: list[float]) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def power_mean(p: Tensor, q: Tensor, lam: float, exponent: float) -> Tensor:
    """The law proportional to (λ q^s + (1-λ) p^s)^{1/s}."""
    mean = (lam * q**exponent + (1 - lam) * p**exponent) ** (1 / exponent)
    return mean / mean.sum()


def hat(a: Tensor, b: Tensor, order: float) -> Tensor:
    """D̂ = e^{(α-1)D}/(α-1), corrected."""
    return ((order - 1) * renyi(a.log(), b.log(), order)).exp() / (order - 1)


def printed_hat(a: Tensor, b: Tensor, order: float) -> Tensor:
    """D̂ = e^{D/(α-1)}/(α-1), as printed after (4)."""
    return (renyi(a.log(), b.log(), order) / (order - 1)).exp() / (order - 1)


def slope(objective: Tensor, point: Tensor) -> float:
    """How unequal the entries of the gradient are: 0 where the point is stationary on the simplex."""
    (gradient,) = torch.autograd.grad(objective, point)
    return float((gradient.max() - gradient.min()) / gradient.abs().max())


def test_absolute_continuity_in_definition_1() -> None:
    """Definition 1 asks for Q ≪ P; dP/dQ, and supp P ⊆ supp Q in the text below, need P ≪ Q."""
    narrow, wide = law([0.5, 0.5, 0.0]), law([0.3, 0.3, 0.4])
    for order in (1.5, 3.0):
        assert math.isfinite(float(renyi(narrow.log(), wide.log(), order)))  # P ≪ Q, not Q ≪ P
        assert math.isinf(float(renyi(wide.log(), narrow.log(), order)))  # Q ≪ P, not P ≪ Q


@over_orders
def test_scalarised_divergence(order: float) -> None:
    """After (4): D̂ = e^{D/(α-1)}/(α-1) is printed; Proposition 1's laws minimise with e^{(α-1)D}/(α-1)."""
    lam = 0.4
    for p, q in random_pairs():
        point = power_mean(p, q, lam, 1 - order).requires_grad_()
        holds(slope(lam * hat(point, q, order) + (1 - lam) * hat(point, p, order), point), 0.0, 1e-7)
        printed = lam * printed_hat(point, q, order) + (1 - lam) * printed_hat(point, p, order)
        fails(slope(printed, point), 0.0)


@over_orders
def test_cases_of_proposition_1(order: float) -> None:
    """Proposition 1 gives the exponent 1-α to (3), inclusive, and α to (4), exclusive; they change places."""
    lam = 0.4
    for p, q in random_pairs():
        for exponent, check_inclusive, check_exclusive in ((order, holds, fails), (1 - order, fails, holds)):
            point = power_mean(p, q, lam, exponent).requires_grad_()
            inclusive = lam * hat(q, point, order) + (1 - lam) * hat(p, point, order)
            exclusive = lam * hat(point, q, order) + (1 - lam) * hat(point, p, order)
            check_inclusive(slope(inclusive, point), 0.0, 1e-7 if check_inclusive is holds else 1e-2)
            check_exclusive(slope(exclusive, point), 0.0, 1e-7 if check_exclusive is holds else 1e-2)
        tilt = law([(lam / (1 - lam)) ** (1 / max(1.0, abs(1 - order)))])
        holds(log_between(p.log(), q.log(), 1 - order, tilt)[0].exp(), power_mean(p, q, lam, 1 - order))


@over_orders
def test_factor_in_the_proof_of_proposition_1(order: float) -> None:
    """The proof sketch prints (3) = D̂(R*‖R) ∫(…)^{1/α}; the integral is to the power α (and R* is R^∪)."""
    lam = 0.4
    for p, q in random_pairs():
        total = ((lam * q**order + (1 - lam) * p**order) ** (1 / order)).sum()
        best, other = power_mean(p, q, lam, order), power_mean(p, q, 0.9, 0.5)
        truth = lam * hat(q, other, order) + (1 - lam) * hat(p, other, order)
        holds(hat(best, other, order) * total**order, truth)
        fails(hat(best, other, order) * total, truth, 3e-3)


@over_pairs
def test_order_of_the_coordinates(p: Tensor, q: Tensor) -> None:
    """Definition 2 lists (D(R‖Q), D(R‖P)), Propositions 2, 4, 7 the reverse; Proposition 6 needs the latter."""
    tilts = [t for t in (0.7, 1.0, 1.4) if float((q / p).min()) < t < float((q / p).max())]
    frontier = frontier_discrete(p, q, math.inf, "exclusive", np.array(tilts))
    for lam, to_model, to_real in zip(tilts, frontier.to_model, frontier.to_real, strict=True):
        curve = precision_at(p, q, lam), recall_at(p, q, lam)
        rho, pi = to_real, to_model  # Proposition 2's order
        holds(law([math.exp(-pi), math.exp(-rho)]), law(list(curve)))
        rho, pi = to_model, to_real  # Definition 2's order, read by Proposition 6
        if abs(lam - 1) > 0.1:
            fails(law([math.exp(-pi), math.exp(-rho)]), law(list(curve)))


@over_orders
def test_expectations_of_proposition_3(order: float) -> None:
    """Proposition 3 takes E_P of functions of p/q and E_Q of functions of q/p; P and Q change places."""
    counts_p, counts_q = torch.tensor([1, 2, 3, 4]), torch.tensor([5, 2, 2, 1])
    p, q = counts_p.double() / 10, counts_q.double() / 10
    lam, beta = 0.4, 1 - order

    def first(measure: Tensor) -> Tensor:
        """The first line of the proposition, λ and p/q, with expectations under `measure`."""
        inner = lam + (1 - lam) * (p / q) ** beta
        u, v = inner ** ((1 - beta) / beta), inner ** (1 / beta)
        return ((measure * u).sum().log() - order * (measure * v).sum().log()) / (order - 1)

    between = power_mean(p, q, lam, beta)
    truth = renyi(between.log(), q.log(), order)
    holds(first(q), truth)
    fails(first(p), truth)
    log_ratio = (p / q).log()
    tilt = np.array([(lam / (1 - lam)) ** (1 / max(1.0, abs(beta)))])
    sampled = frontier_from_log_ratio(
        log_ratio.repeat_interleave(counts_p), log_ratio.repeat_interleave(counts_q), order, "exclusive", tilt
    )
    holds(float(sampled.to_model[0]), truth)


def test_inclusion_of_proposition_8() -> None:
    """Proposition 8 prints R(P̂,Q̂) ⊆ R(P,Q); quantising adds better points, so the inclusion points the other way.

    Precisely: every point of R(P,Q) is matched or beaten, on both axes, by one of R(P̂,Q̂).
    """
    p, q = law([0.4, 0.1, 0.1, 0.4]), law([0.1, 0.4, 0.4, 0.1])

    def merged(values: Tensor) -> Tensor:
        return values.reshape(2, 2).sum(-1)

    holds(merged(p), merged(q))  # so (0, 0) lies in R(P̂,Q̂)
    tilts = equiangular_grid(101)
    for order in (0.5, 1.0, 3.0):
        for kind in ("exclusive", "inclusive"):
            frontier = frontier_discrete(p, q, order, kind, tilts)
            assert (
                float(np.maximum(frontier.to_model, frontier.to_real).min()) > 0.03
            )  # (0, 0) is not in R(P,Q)
        for between, _ in random_pairs(20, atoms=4, seed=3):
            for target in (p, q):
                fine = renyi(between.log(), target.log(), order)
                coarse = renyi(merged(between).log(), merged(target).log(), order)
                assert float(coarse) <= float(fine) + 1e-12


def test_inclusion_of_proposition_9() -> None:
    """Proposition 9 prints R(P,Q|M) ⊆ R(P̂,Q̂|M); the points are dominated, not contained, when P is not in M."""
    family = FAMILIES["unit_normal"]
    zero, one, wide = law([0.0]), law([[1.0]]), law([[4.0]])
    mean = law([1.0])
    true_point = (
        float(gaussian_kl(zero, wide, mean, one)),
        float(family.kl(law([1.0]), mean)),
    )  # P = N(0, 4), Q = N(1, 1)
    means = torch.linspace(-6, 6, 24001, dtype=torch.float64).unsqueeze(-1)
    fitted = torch.stack([family.kl(zero, means), family.kl(law([1.0]), means)], dim=-1)  # P̂ = N(0, 1)
    assert bool((fitted <= torch.tensor(true_point) + 1e-9).all(-1).any())  # dominated
    assert float((fitted - torch.tensor(true_point)).abs().amax(-1).min()) > 0.05  # not contained


@over_pairs
def test_mixture_of_section_6(p: Tensor, q: Tensor) -> None:
    """§6 fits R^∪_{1,λ} to λP + (1-λ)Q; with λ on Q in (3) the mixture is λQ + (1-λ)P."""
    lam = 0.3

    def objective(r: Tensor) -> Tensor:
        return lam * renyi(q.log(), r.log(), 1.0) + (1 - lam) * renyi(p.log(), r.log(), 1.0)

    for mixture, check, size in (
        (lam * q + (1 - lam) * p, holds, 1e-7),
        (lam * p + (1 - lam) * q, fails, 1e-2),
    ):
        point = mixture.clone().requires_grad_()
        check(slope(objective(point), point), 0.0, size)


@over_pairs
def test_rays_of_figure_4(p: Tensor, q: Tensor) -> None:
    """Figure 4's caption puts p′ on the ray r → q and q′ on r → p; by (6), and the text, p′ is on r → p."""
    r = torch.minimum(p, q) / torch.minimum(p, q).sum()
    rho = float((p / r).min())
    rest = (p - rho * r) / (1 - rho)
    assert float(rest.min()) > -1e-12

    def angle(target: Tensor) -> float:
        return float(torch.nn.functional.cosine_similarity(rest - r, target - r, dim=0))

    holds(angle(p), 1.0)
    fails(angle(q), 1.0)


def test_which_loss_the_distance_to_q_is() -> None:
    """§2 calls both discrepancies to R a loss in recall; the one to Q, the model, is the loss in precision."""
    p, q = law([0.5, 0.5, 0.0, 0.0]), law([0.25, 0.25, 0.25, 0.25])
    r = law([0.5, 0.5, 0.0, 0.0])  # uniform on the common support
    to_model, to_real = (float(renyi(r.log(), x.log(), math.inf)) for x in (q, p))
    precision, recall = float(q[p > 0].sum()), float(p[q > 0].sum())
    holds(math.exp(-to_model), precision)
    holds(math.exp(-to_real), recall)
    fails(math.exp(-to_model), recall)  # as printed


@pytest.mark.parametrize("order", [0.7, 1.0, 3.0])
def test_when_an_inclusive_divergence_is_large(order: float) -> None:
    """§2.2: "unless R fails to assign large probabilities …, at least one … will be large"; *if* it fails."""
    for p, q in random_pairs():
        covering = (p + q) / 2
        missing = torch.full_like(p, 1e-9)
        missing[0] = 1 - 1e-9 * (len(p) - 1)
        largest = [max(float(renyi(x.log(), r.log(), order)) for x in (p, q)) for r in (covering, missing)]
        assert largest[0] <= math.log(2) + 1e-12  # R assigns them, and both divergences are small
        assert largest[1] > 2.0  # R fails to, and one is large


def test_points_on_the_boundary_of_figure_4() -> None:
    """Figure 4, caption: precision and recall are best with "q′ and r′" on the boundary; it is p′ and q′."""
    p, q = law([0.5, 0.3, 0.2]), law([0.2, 0.3, 0.5])
    r = torch.minimum(p, q) / torch.minimum(p, q).sum()

    def beyond(target: Tensor, share: float) -> tuple[Tensor, float]:
        """The point `share` of the way from target to the boundary, on the ray r → target, and the mixture weight."""
        step = target - r
        reach = float((-target / step)[step < 0].min())
        point = target + share * reach * step
        return point, float((target - point).norm() / (r - point).norm())

    end, recall = beyond(p, 1.0)
    holds(end.min(), 0.0)
    holds(recall, (p / r).min())  # the largest ρ with p ≥ ρr
    inside, less = beyond(p, 0.5)
    assert float(inside.min()) > 0.01
    assert less < recall - 0.05  # q′ on the boundary does not help the recall
    holds(beyond(q, 1.0)[1], (q / r).min())
