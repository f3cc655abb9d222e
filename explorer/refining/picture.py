"""Samples of a model at every budget as one picture: points beside the data, images kept and refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.launch.image_sheet import ImagePanel, image_sheet
from explorer.launch.picture import sample_picture
from explorer.store.schema import budget_text

if TYPE_CHECKING:
    from explorer.refining.refined import Refined

__all__ = ["refined_picture"]


def refined_picture(found: Refined) -> bytes | None:
    """PNG; None of samples that are neither points of a plane nor grey or coloured images."""
    from trainables.evaluation.shown import shown

    real = found.subject.real
    beside = shown(real.points, None, real.span)
    if beside.samples is None:
        return None
    if beside.samples.ndim != 4:
        flat = beside.samples.ndim == 2 and beside.samples.shape[1] <= 2
        told = {f"K = {budget_text(one.budget)}": one.kept.samples for one in found.readings}
        return (
            sample_picture(beside.samples, {k: v for k, v in told.items() if v is not None}) if flat else None
        )
    if beside.samples.shape[1] not in (1, 3):
        return None
    panels = [ImagePanel("Real", beside.samples)]
    for one in found.readings:
        kind = "Generated" if one.budget == 1 else "Accepted"
        if one.kept.samples is not None and len(one.kept.samples):
            panels.append(
                ImagePanel(f"{kind}, K = {budget_text(one.budget)}", one.kept.samples, one.kept.classes)
            )
    last = found.readings[-1]
    if last.budget > 1 and last.refused.samples is not None and len(last.refused.samples):
        panels.append(ImagePanel(f"Rejected, K = {budget_text(last.budget)}", last.refused.samples))
    return image_sheet(panels)
