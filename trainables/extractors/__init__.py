"""Feature extractors: the space in which samples are compared. One file each; networks are in ``features``."""

from trainables.extractors.extractor import FeatureExtractor
from trainables.family import Family

__all__ = ["EXTRACTORS", "FeatureExtractor"]

EXTRACTORS: Family[FeatureExtractor] = Family("extractor", FeatureExtractor, __name__, default="identity")
"""Every extractor by name."""
