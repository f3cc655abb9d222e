"""Follow-up sweeps: where a front has a gap, and the sweep file that fills it."""

from explorer.followup.filling import fill, follow_up_name, gap_to_fill
from explorer.followup.stretch import FrontLine, front_line

__all__ = ["FrontLine", "fill", "follow_up_name", "front_line", "gap_to_fill"]
