"""Whether calibrated log ratios are right, by points that they were not fitted on."""

from trainables.rejection.reliability.bins import Bins
from trainables.rejection.reliability.halves import Halves, fit_and_judge, halves
from trainables.rejection.reliability.histogram import Histogram
from trainables.rejection.reliability.misfit import Misfit
from trainables.rejection.reliability.reliability import Reliability, reliability
from trainables.rejection.reliability.verdict import Verdict

__all__ = [
    "Bins",
    "Halves",
    "Histogram",
    "Misfit",
    "Reliability",
    "Verdict",
    "fit_and_judge",
    "halves",
    "reliability",
]
