"""Sweeps that leave a store and come to another: archives, what others wrote, samples of any model."""

from explorer.transfer.arrival import Arrival
from explorer.transfer.departure import Departure, export_sweep
from explorer.transfer.entrance import import_address
from explorer.transfer.measured import import_samples
from explorer.transfer.sample_list import SampleTrial, parse_params, read_list

__all__ = [
    "Arrival",
    "Departure",
    "SampleTrial",
    "export_sweep",
    "import_address",
    "import_samples",
    "parse_params",
    "read_list",
]
