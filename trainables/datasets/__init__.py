"""Datasets: where real samples come from. One file each."""

from trainables.datasets.dataset import Dataset
from trainables.family import Family

__all__ = ["DATASETS", "Dataset"]

DATASETS: Family[Dataset] = Family("dataset", Dataset, __name__, default="gaussians8")
"""Every dataset by name."""
