"""Sweeps that leave a store and come to another: archives, what others wrote, samples of any model."""

from explorer.transfer.arrival import Arrival
from explorer.transfer.departure import Departure, export_sweep
from explorer.transfer.entrance import import_address

__all__ = ["Arrival", "Departure", "export_sweep", "import_address"]
