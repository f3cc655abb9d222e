"""The sweep file: one YAML document, validated at the edge."""

from explorer.spec.document import list_presets, load_sweep
from explorer.spec.sweep import Sweep

__all__ = ["Sweep", "list_presets", "load_sweep"]
