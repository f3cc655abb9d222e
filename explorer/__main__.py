"""``python -m explorer`` is ``tradeoff``."""

from explorer.cli import main

main()
