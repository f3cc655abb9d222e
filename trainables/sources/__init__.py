"""Where samples come from: laws, arrays, files."""

from trainables.sources.array_source import ArraySource
from trainables.sources.law import Law, Modes
from trainables.sources.law_source import LawSource
from trainables.sources.mixture import GaussianMixture
from trainables.sources.source import Batch, Source

__all__ = ["ArraySource", "Batch", "GaussianMixture", "Law", "LawSource", "Modes", "Source"]
