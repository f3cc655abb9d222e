"""The five papers: what they are called, and in which order their figures come."""

from __future__ import annotations

__all__ = ["DJOLONGA", "ORDER", "SAJJADI", "SIMON", "THESIS"]

THESIS = "Verine, Quality and Diversity in Generative Models through the lens of f-divergences, thesis, 2024"
SAJJADI = "Sajjadi et al., Assessing Generative Models via Precision and Recall, 2018"
SIMON = (
    "Simon, Webster & Rabin, Revisiting Precision and Recall Definition for Generative Model Evaluation, 2019"
)
DJOLONGA = "Djolonga et al., Precision-Recall Curves Using Information Divergence Frontiers, 2020"
ORDER = (THESIS, SAJJADI, SIMON, DJOLONGA)
