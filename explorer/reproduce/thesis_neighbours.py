"""Figure 3.12 of the thesis: one outlier in each set, and what precision, recall, density and coverage make of it."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.reproduce.panes import MODEL, REAL, balls, dots, equal_axes, side_by_side
from explorer.reproduce.papers import THESIS
from explorer.reproduce.record import Compared, Panel, Reproduction

__all__ = ["FIGURES", "one_outlier_each"]


def one_outlier_each() -> Sequence[Panel]:
    """The balls of the reals and of the fakes, and the four scores."""
    from trainables.measures import ball_counts, knn_radii
    from trainables.studies.outliers import NEIGHBOURS, outliers

    sets = outliers()
    real, fake = sets.real.numpy(), sets.fake.numpy()
    counts = ball_counts(sets.real, sets.fake, NEIGHBOURS)
    around, scores = counts.real_balls_around_fake, counts.scores()
    figure = side_by_side(
        ("(a) neighbourhoods of the samples of P", "(b) neighbourhoods of the samples of P̂"), 520
    )
    for col, points, colour in ((1, sets.real, REAL), (2, sets.fake, MODEL)):
        radii = knn_radii(points, NEIGHBOURS)
        # The outlier's ball by itself: where it meets the others they show through.
        for part in (slice(-1, None), slice(None, -1)):
            balls(figure, points[part].numpy(), radii[part].numpy(), colour, col)
        figure.add_trace(dots(real, "samples of P", REAL, 11, showlegend=col == 1), row=1, col=col)
        square = {"symbol": "square"}
        trace = dots(fake, "samples of P̂", MODEL, 17 if col == 1 else 11, marker=square, showlegend=col == 1)
        figure.add_trace(trace, row=1, col=col)
        figure.update_xaxes(range=[-5.6, 9.4], dtick=2, row=1, col=col)
        figure.update_yaxes(range=[-3.2, 9.2], dtick=2, row=1, col=col)
        equal_axes(figure, col)
    figure.add_scatter(
        x=fake[:, 0],
        y=fake[:, 1],
        text=[str(n) for n in around.tolist()],
        mode="text",
        textfont={"size": 12, "color": "#ffffff"},
        name="real balls around a fake",
        showlegend=False,
        hoverinfo="skip",
        row=1,
        col=1,
    )
    figure.update_layout(margin={"b": 76}, legend={"y": -0.12})
    numbers = [
        Compared("precision", "8/9", _ninths(scores.precision)),
        Compared("recall", "7/9", _ninths(scores.recall)),
        Compared("density", "4/9", _ninths(scores.density)),
        Compared("coverage", "3/9", _ninths(scores.coverage)),
        Compared(
            "real balls around each fake",
            "0, 1, 1, 1, 1, 1, 2, 2, 3",
            ", ".join(str(n) for n in sorted(around.tolist())),
        ),
    ]
    caption = (
        "k = 3, nine samples each, one outlier each. The numbers in (a) count the balls of P around a sample of P̂: "
        f"the outlier of P alone holds {int(counts.fakes_in_real_ball[-1])} of them, which makes precision high "
        "and density low. Recall is read in (b), coverage in (a) as well: it asks for the balls of P that hold a "
        "sample of P̂ (the text of the thesis sends its reader to (b)). The thesis does not print its samples; ours "
        "were searched for to give all of its numbers."
    )
    return [Panel(figure, caption, numbers)]


def _ninths(value: float) -> str:
    share = 9 * value
    return f"{round(share)}/9" if abs(share - round(share)) < 1e-9 else f"{value:.4f}"


FIGURES = (
    Reproduction("thesis-3.12", THESIS, "Figure 3.12, page 46", "One outlier in each set", one_outlier_each),
)
