"""Where samples come from: laws, arrays, files."""

from trainables.sources.array_source import ArraySource
from trainables.sources.image_source import ImageSource
from trainables.sources.law import Law, Modes
from trainables.sources.law_source import LawSource
from trainables.sources.mixture import GaussianMixture
from trainables.sources.source import Batch, Request, Source

__all__ = [
    "ArraySource",
    "Batch",
    "GaussianMixture",
    "ImageSource",
    "Law",
    "LawSource",
    "Modes",
    "Request",
    "Source",
]
