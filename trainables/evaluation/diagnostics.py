"""The catalogue of numbers that are no metric: how training went, and what a refinement cost."""

from __future__ import annotations

from trainables.metrics.metric import Entry

__all__ = ["COSTS", "DIAGNOSTICS"]

DIAGNOSTICS: tuple[Entry, ...] = (
    Entry("critic_loss", "Critic loss", "What the critic minimises, at its last step.", diagnostic=True),
    Entry(
        "generator_loss", "Generator loss", "What the generator minimises, at its last step.", diagnostic=True
    ),
    Entry(
        "critic_lipschitz",
        "Lipschitz bound",
        "A certified upper bound on the critic's Lipschitz constant; absent where none is known.",
        low=0,
        diagnostic=True,
    ),
    Entry(
        "constraint_excess",
        "Beyond the constraint",
        "By which part the critic's certified constant exceeds the one that was asked for; at most rounding.",
        diagnostic=True,
    ),
    Entry(
        "critic_slope",
        "Slope seen",
        "The largest slope of the critic's logit that was seen, at samples and between them.",
        low=0,
        diagnostic=True,
    ),
    Entry(
        "generator_lipschitz",
        "Lipschitz bound of G",
        "A certified upper bound on the generator's Lipschitz constant; absent where none is known.",
        low=0,
        diagnostic=True,
    ),
    Entry(
        "generator_slope",
        "Slope of G seen",
        "The largest slope of the generator that was seen, at latents and between them.",
        low=0,
        diagnostic=True,
    ),
    Entry(
        "ceiling_alpha",
        "Ceiling of α at λ = 1",
        "No generator with this Lipschitz bound and this G(0) has more precision at λ = 1 on these data, 95 % sure.",
        low=0,
        high=1,
        diagnostic=True,
    ),
    Entry(
        "ceiling_own",
        "Ceiling of α at its λ",
        "The same at the λ that the trial was trained with.",
        low=0,
        high=1,
        diagnostic=True,
    ),
    Entry(
        "calibration",
        "Calibration",
        "Slope of Platt scaling of the critic's log ratio; 1 is calibrated.",
        low=0,
        diagnostic=True,
    ),
    Entry(
        "critic_saturation",
        "Critic saturation",
        "Share of the critic's logits on generated points that are at their bounds, where they have no slope.",
        low=0,
        high=1,
        diagnostic=True,
    ),
    Entry(
        "sample_spread",
        "Spread of samples",
        "Standard deviation of generated samples over that of real ones; near 0 all samples are one.",
        low=0,
        diagnostic=True,
    ),
    Entry(
        "lam_below",
        "λ r̂ < 1",
        "Share of generated points below the bend of the loss.",
        low=0,
        high=1,
        diagnostic=True,
    ),
    Entry(
        "lam_above",
        "λ r̂ > 1",
        "Share of generated points above the bend of the loss.",
        low=0,
        high=1,
        diagnostic=True,
    ),
    Entry(
        "lam_inert",
        "λ inert",
        "1 if λ only scaled or stopped the loss all through training.",
        low=0,
        high=1,
        diagnostic=True,
    ),
    Entry(
        "nll",
        "NLL",
        "Mean -log q of real samples that training has not seen, of models that have a density q.",
        "min",
        unit="nats",
        diagnostic=True,
    ),
    Entry(
        "bits_per_dim",
        "Bits per dimension",
        "The same for grey levels: bits that one number of a sample takes under the model.",
        "min",
        unit="bits",
        diagnostic=True,
    ),
    Entry(
        "lam_never_caps",
        "λ never caps",
        "1 if λ r̂ hardly ever passed 1 in training: λ only scaled the loss.",
        low=0,
        high=1,
        diagnostic=True,
    ),
    Entry(
        "lam_starves",
        "λ starves",
        "1 if λ r̂ hardly ever fell below 1 in training: no gradient reached the generator.",
        low=0,
        high=1,
        diagnostic=True,
    ),
    Entry(
        "train_seconds",
        "Training time",
        "Its share of the seconds its pack was trained, over all times it was taken up again.",
        "min",
        0,
        unit="s",
        diagnostic=True,
    ),
    Entry(
        "gpu_seconds",
        "Card time",
        "The same of the seconds for which training held a GPU, or the part of one that the pack had.",
        "min",
        0,
        unit="s",
        diagnostic=True,
    ),
    Entry(
        "samples_per_second",
        "Samples per second",
        "Generated samples that it was trained with, over its share of the seconds since it last started.",
        "max",
        0,
        diagnostic=True,
    ),
    Entry(
        "device_memory",
        "Memory on the card",
        "Its share of the most memory that training its pack took on a GPU.",
        "min",
        0,
        unit="GiB",
        diagnostic=True,
    ),
)

COSTS: tuple[Entry, ...] = (
    Entry(
        "acceptance", "Acceptance", "Share of draws that the refinement kept.", low=0, high=1, diagnostic=True
    ),
    Entry(
        "draws",
        "Draws per sample",
        "Samples drawn from the generator for one that is kept.",
        "min",
        1,
        diagnostic=True,
    ),
    Entry(
        "scores",
        "Critic calls per sample",
        "Critic evaluations for one sample that is kept.",
        "min",
        0,
        diagnostic=True,
    ),
    Entry(
        "gradients",
        "Gradient calls per sample",
        "Gradients taken for one sample that is kept.",
        "min",
        0,
        diagnostic=True,
    ),
)
