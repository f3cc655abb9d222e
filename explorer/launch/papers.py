"""What a sweep's own run says of the sweep: tags, the sweep file as resolved, what its metrics are."""

from __future__ import annotations

from explorer.results.catalogue import Catalogue
from explorer.results.known_fields import brought_fields
from explorer.store.schema import CATALOGUE_FILE, SWEEP_FILE
from explorer.sweep.plugins import may_name
from explorer.sweep.sweep import Sweep

__all__ = ["papers"]


def papers(sweep: Sweep) -> dict[str, str]:
    """Files that are kept with the sweep's run, by name."""
    import yaml

    return {
        SWEEP_FILE: yaml.safe_dump(dict(sweep.document), sort_keys=False, allow_unicode=True),
        CATALOGUE_FILE: Catalogue.of(
            sweep.plan.catalogue(),
            sweep.plan.methods(),
            brought_fields(lambda kind: may_name(sweep.plugins, kind)),
        ).to_json(),
    }
