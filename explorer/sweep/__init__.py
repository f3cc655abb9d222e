"""The sweep file: one YAML document, validated at the edge."""

from explorer.sweep.document import list_presets, load_sweep
from explorer.sweep.sweep import Sweep

__all__ = ["Sweep", "list_presets", "load_sweep"]
