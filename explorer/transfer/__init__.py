"""Sweeps that leave a store and come to another: archives, what others wrote, samples of any model."""

from explorer.transfer.arrival import Arrival
from explorer.transfer.departure import export_sweep



__all__ = ["Arrival", "SampleTrial", "export_sweep", "import_address", "import_samples", "read_list"]
