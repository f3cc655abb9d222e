"""Thesis, chapter 3: scores of generated images, PR curves in practice, frontiers and covers."""

import math

import pytest
import torch
from torch import Tensor

from tests.errata.laws import fails, holds, over_pairs, precision_at, random_pairs, recall_at
from trainables.measures import precision_recall_density_coverage
from trainables.measures.inception_score import inception_score
from trainables.precision_recall import RatioLaw, frontier_discrete, log_between, renyi

LAMBDAS = [0.2, 0.4, 2.5, 5.0]


def entropy(law: Tensor) -> Tensor:
    return -torch.xlogy(law, law).sum(-1)


def test_inception_score_marginal() -> None:
    """Definition 3.1.1 takes P(Y) over data from P; (3.2) and the usual score need it over samples of P̂."""
    generator = torch.Generator().manual_seed(0)
    logits = 2 * torch.randn(40, 5, generator=generator, dtype=torch.float64)
    given = logits.softmax(-1)
    real_marginal = torch.tensor([0.5, 0.2, 0.1, 0.1, 0.1], dtype=torch.float64)

    def score(marginal: Tensor) -> Tensor:
        return (given * (given / marginal).log()).sum(-1).mean().exp()

    by_entropies = (entropy(given.mean(0)) - entropy(given).mean()).exp()  # (3.2)
    holds(score(given.mean(0)), by_entropies)
    holds(inception_score(logits, splits=1)[0], by_entropies, 1e-6)
    fails(score(real_marginal), by_entropies)


def test_vgg_feature_dimension() -> None:
    """§3.2.1 gives VGG features "also in dimension 2048"; the layer used for precision and recall has 4096."""
    from torchvision.models import vgg16

    with torch.device("meta"):  # the architecture without its 138 million weights
        second_dense = [layer for layer in vgg16().classifier if isinstance(layer, torch.nn.Linear)][1]
    assert second_dense.out_features == 4096
    assert second_dense.out_features != 2048


@over_pairs
def test_which_common_part_favours_precision(p: Tensor, q: Tensor) -> None:
    """§3.2.2: μ close to P is said to give precision and μ close to P̂ recall; P ≥ βμ, P̂ ≥ αμ say the reverse."""

    def best(mu: Tensor) -> tuple[float, float]:
        return float((q / mu).min()), float((p / mu).min())  # the largest α and β for this μ

    precision_near_p, recall_near_p = best(p)
    precision_near_q, recall_near_q = best(q)
    holds(recall_near_p, 1.0)
    holds(precision_near_q, 1.0)
    assert precision_near_p < precision_near_q - 0.1  # printed: μ = P has the higher precision
    assert recall_near_q < recall_near_p - 0.1  # printed: μ = P̂ has the higher recall


def test_what_precision_at_ten_forgives() -> None:
    """§3.2.2: at λ = 10 densities p̂ "10 times lower than p" go unpunished; it is up to 10 times higher."""
    q = torch.tensor([0.5, 0.5], dtype=torch.float64)
    nine_times = torch.tensor([0.5 / 9, 1 - 0.5 / 9], dtype=torch.float64)  # p̂ = 9p on the first atom
    eleven_times = torch.tensor([0.5 / 11, 1 - 0.5 / 11], dtype=torch.float64)
    holds(precision_at(nine_times, q, 10.0), 1.0)
    # Read as printed, p̂ would have to stay below p/10, so p̂ = 9p would already cost precision, as p̂ = 11p does.
    assert precision_at(eleven_times, q, 10.0) < 1 - 1e-2


def test_what_recall_below_one_forgives() -> None:
    """§3.2.2: recall at λ < 1 is "penalized when the density of P is λ times higher"; it is 1/λ times."""
    lam, q = 0.1, torch.tensor([0.05, 0.95], dtype=torch.float64)
    twice = torch.tensor(
        [0.1, 0.9], dtype=torch.float64
    )  # p = 2p̂: far above λ = 0.1 times, below 1/λ = 10 times
    twelve = torch.tensor([0.6, 0.4], dtype=torch.float64)
    holds(recall_at(twice, q, lam), 1.0)  # the printed threshold would cost recall here
    assert recall_at(twelve, q, lam) < 1 - 1e-2


@over_pairs
def test_classifier_errors(p: Tensor, q: Tensor) -> None:
    """(3.13) puts λ on the error under P̂; with h = 1 for "generated" it belongs to the error under P."""
    for lam in LAMBDAS:
        says_generated = lam * p < q  # the best h
        error_real, error_model = p[says_generated].sum(), q[~says_generated].sum()
        truth = precision_at(p, q, lam)
        holds(lam * error_real + error_model, truth)
        fails(error_real + lam * error_model, truth)


def test_f_scores_and_their_names() -> None:
    """(3.15) calls max F_s precision and max F_{1/s} recall; with s = 8 it is the other way round."""
    p = torch.tensor([0.5, 0.5, 0.0], dtype=torch.float64)
    q = torch.tensor([0.25, 0.25, 0.5], dtype=torch.float64)  # covers P, and half of it is noise
    law = RatioLaw.from_masses(p, q)
    highest = law.curve(torch.tensor([0.0, math.inf], dtype=torch.float64))
    precision, recall = float(highest.precision[1]), float(highest.recall[0])
    assert (precision, recall) == (0.5, 1.0)
    holds(law.f_max(1 / 8), precision, 0.02)
    holds(law.f_max(8), recall, 0.02)
    fails(law.f_max(8), precision, 0.4)
    fails(law.f_max(1 / 8), recall, 0.4)


def test_coverage_can_reach_one() -> None:
    """§3.3.1 calls 1 - 2⁻ᵏ the maximum of the coverage; it is its mean for P̂ = P, and copies reach 1."""
    generator = torch.Generator().manual_seed(0)
    real, fake = torch.randn(2, 3000, 2, generator=generator)
    for k in (1, 2):
        mean = 1 - 2.0**-k
        holds(precision_recall_density_coverage(real, fake, k).coverage, mean, 0.04)
        copies = precision_recall_density_coverage(real, real.clone(), k).coverage
        assert copies == 1.0
        assert copies > mean + 0.2  # beyond the printed maximum


def scalarised(r: Tensor, p: Tensor, q: Tensor, pi: float, order: float, printed: bool) -> Tensor:
    """π D̂(R‖P̂) + (1-π) D̂(R‖P) of (3.18), with D̂ as printed or corrected."""
    log_r = r.log()

    def hat(target: Tensor) -> Tensor:
        divergence = renyi(log_r, target.log(), order)
        return (divergence / (order - 1) if printed else (order - 1) * divergence).exp() / (order - 1)

    return pi * hat(q) + (1 - pi) * hat(p)


@pytest.mark.parametrize("order", [0.7, 3.0])
def test_scalarised_divergence_of_the_intersection(order: float) -> None:
    """(3.18) prints D̂ = exp(D/(α-1))/(α-1); with it neither (3.19) nor its correction is stationary."""
    pi = 0.4
    for p, q in random_pairs():
        corrected, printed = power_mean(p, q, pi, 1 - order), power_mean(p, q, pi, order)
        holds(spread(corrected, p, q, pi, order, printed=False), 0.0, 1e-7)
        fails(spread(corrected, p, q, pi, order, printed=True), 0.0)
        fails(spread(printed, p, q, pi, order, printed=True), 0.0)


@pytest.mark.parametrize("order", [0.7, 3.0])
def test_exponent_of_the_intersection(order: float) -> None:
    """(3.19) prints (π p̂^α + (1-π) p^α)^{1/α}, the law of the union; the intersection has 1-α for α."""
    pi = 0.4
    tilt = torch.tensor([(pi / (1 - pi)) ** (1 / max(1.0, abs(1 - order)))], dtype=torch.float64)
    for p, q in random_pairs():
        corrected, printed = power_mean(p, q, pi, 1 - order), power_mean(p, q, pi, order)
        holds(log_between(p.log(), q.log(), 1 - order, tilt)[0].exp(), corrected)
        holds(spread(corrected, p, q, pi, order, printed=False), 0.0, 1e-7)
        fails(spread(printed, p, q, pi, order, printed=False), 0.0)


def power_mean(p: Tensor, q: Tensor, pi: float, exponent: float) -> Tensor:
    """The law proportional to (π q^s + (1-π) p^s)^{1/s}."""
    mean = (pi * q**exponent + (1 - pi) * p**exponent) ** (1 / exponent)
    return mean / mean.sum()


def spread(r: Tensor, p: Tensor, q: Tensor, pi: float, order: float, printed: bool) -> float:
    """How unequal the entries of the objective's gradient are at R: 0 where R is stationary on the simplex."""
    point = r.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(scalarised(point, p, q, pi, order, printed), point)
    return float((gradient.max() - gradient.min()) / gradient.abs().max())


@over_pairs
def test_weight_and_threshold_of_the_limit(p: Tensor, q: Tensor) -> None:
    """Theorem 3.3.3 prints π = λ/(1+λ); as α → ∞ any fixed π collapses to min(p, p̂), so π = λ^{α-1}/(1+λ^{α-1})."""
    order = 4000.0
    for lam in (0.5, 2.0):
        if not float((q / p).min()) < lam < float((q / p).max()):
            continue
        precision, recall = precision_at(p, q, lam), recall_at(p, q, lam)
        walked = frontier_discrete(p, q, order, "exclusive", [lam]).scores()
        holds(walked[0][0], precision, 5e-3)
        holds(walked[1][0], recall, 5e-3)
        log_pi = math.log(lam / (1 + lam))
        log_rest = math.log(1 / (1 + lam))
        s = 1 - order
        log_r = torch.logaddexp(log_pi + s * q.log(), log_rest + s * p.log()) / s
        log_r = log_r - log_r.logsumexp(-1)
        holds(log_r.exp(), torch.minimum(p, q) / torch.minimum(p, q).sum(), 5e-3)  # whatever λ was
        printed = (-renyi(log_r, q.log(), order)).exp(), (-renyi(log_r, p.log(), order)).exp()
        gap = abs(float(printed[0]) - precision) + abs(float(printed[1]) - recall)
        assert gap > 1e-2


def ends(p: Tensor, q: Tensor) -> tuple[float, float]:
    """(α_∞, β_0), the largest precision and recall of the model q with respect to the data p."""
    curve = RatioLaw.from_masses(p, q).curve(torch.tensor([0.0, math.inf], dtype=torch.float64))
    return float(curve.precision[1]), float(curve.recall[0])


def test_whose_precision_definition_3_2_2_has() -> None:
    """Definition 3.2.2: "P has precision ᾱ at recall β̄ with respect to P̂"; ᾱ = P̂(Supp P) is the precision of P̂."""
    p = torch.tensor([0.5, 0.5, 0.0], dtype=torch.float64)
    q = torch.tensor([0.25, 0.25, 0.5], dtype=torch.float64)
    of_supports = float(q[p > 0].sum()), float(p[q > 0].sum())  # (3.7)
    assert ends(p, q) == of_supports == (0.5, 1.0)  # definition 3.2.3: of P̂ with respect to P
    assert ends(q, p) == (1.0, 0.5)  # of P with respect to P̂, as printed


def test_support_or_mass() -> None:
    """§3.2.1 reads (3.7) as shares of supports; P̂(Supp P) and P(Supp P̂) are shares of mass."""
    p = torch.tensor([0.9, 0.1, 0.0], dtype=torch.float64)
    q = torch.tensor([0.2, 0.0, 0.8], dtype=torch.float64)
    precision, recall = ends(p, q)
    holds(precision, q[p > 0].sum())
    holds(recall, p[q > 0].sum())
    both = ((p > 0) & (q > 0)).sum()
    fails(precision, both / (q > 0).sum())  # "the proportion of the support of P̂ in the support of P"
    fails(recall, both / (p > 0).sum())  # "the proportion of the support of the real data that is covered"
