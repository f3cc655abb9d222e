"""Feature extractors and the store of reference features. Networks are imported from their own files."""

from trainables.features.extractor import Extractor, Features, extract, identity
from trainables.features.store import ReferenceKey, ReferenceStore

__all__ = ["Extractor", "Features", "ReferenceKey", "ReferenceStore", "extract", "identity"]
