"""Figure 4.10 of the thesis: which trade-offs a divergence cares about."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.figures.theme import CATEGORIES
from explorer.reproduce.drawing import lines
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Compared, Panel, Reproduction

__all__ = ["FIGURES", "weights"]


def weights() -> Sequence[Panel]:
    """Figure 4.10: λ⁻³ f″(1/λ) of KL, reverse KL and JS over λ."""
    import torch

    from trainables.divergences import DIVERGENCES, weight

    lam = torch.logspace(-1, 1, 201, dtype=torch.float64)
    named = {"KL: 1/λ²": "kl", "reverse KL: 1/λ": "reverse_kl", "JS: 1/2λ(λ+1)": "js"}
    curves = {title: weight(DIVERGENCES[name], lam).numpy() for title, name in named.items()}
    figure = lines(lam.numpy(), curves, "trade-off λ", "weight of D<sub>λ</sub>")
    figure.add_scatter(
        x=lam.numpy().round(4),
        y=weight(DIVERGENCES["gan"], lam).numpy().round(6),
        name="JS as printed: 1/λ(λ+1)",
        mode="lines",
        line={"color": CATEGORIES[2], "width": 1.4, "dash": "dot"},
    )
    ticks = [0.1, 0.2, 0.5, 1, 2, 5, 10]
    figure.update_xaxes(type="log", tickvals=ticks, ticktext=[f"{tick:g}" for tick in ticks])
    figure.update_yaxes(
        type="log", tickvals=[0.01, 0.1, 1, 10, 100], ticktext=["0.01", "0.1", "1", "10", "100"]
    )
    caption = (
        "D_f = ∫ λ⁻³ f″(1/λ) D_λ dλ. Below λ = 1, where recall counts, KL weighs more than reverse KL; above it, "
        "where precision counts, less. JS has the slope of reverse KL on the left and of KL on the right. Dotted: "
        "(4.17) as printed, which is twice the weight of the JS of the thesis' table 2.1. Both axes are "
        "logarithmic here."
    )
    one = torch.ones(1, dtype=torch.float64)
    numbers = [
        Compared(f"weight at λ = 1, {title}", printed, f"{float(weight(DIVERGENCES[name], one)):g}")
        for (title, name), printed in zip(
            {"KL": "kl", "reverse KL": "reverse_kl", "JS": "js"}.items(), ("1", "1", "1/2"), strict=True
        )
    ]
    return [Panel(figure, caption, numbers)]


FIGURES = (
    Reproduction(
        "thesis-4.10", THESIS, "Figure 4.10, page 66", "Which trade-offs a divergence weighs", weights
    ),
)
