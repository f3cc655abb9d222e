"""Does training at λ give the largest α_λ? The λ audit of a preset, trained in this process, without Ray or MLflow.

    python benchmarks/lambda_promise.py demo [--seeds 100 101 102 103] [--device cuda] [training.iterations=4000 or …]

Settings are chosen on seeds 100 and up; docs/results.md reports seeds 0 to 3, from `tradeoff sweep`. Lists of settings
that the word ``or`` separates are tried one after the other. Prints the audit's sentences and, per group, the shares
α_λ / min(1, λ): a row per λ that was trained at, a column per λ that is asked for, ``*`` at the best of a column.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import torch
import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from explorer.api import load_sweep
from explorer.goals import Goal
from explorer.launch.packing import PlannedTrial, make_packs
from explorer.results.audit import LambdaGroup, audit_lambda
from explorer.results.table import Trial, TrialTable
from explorer.store.schema import PLAIN, decode_alphas, encode_alphas
from explorer.sweep import Sweep
from trainables.config import TrialConfig
from trainables.evaluation.evaluate import evaluate
from trainables.training.population import Population


def trained(sweep: Sweep, device: torch.device, limit: int) -> TrialTable:
    """The trials of a sweep that have a λ, trained to their ends and read."""
    points = [asked.point for asked in sweep.source(None).ask(10**6)]
    configs = [
        config for point in points for config in sweep.repeats(point) if hasattr(config.objective, "lam")
    ]
    planned = [PlannedTrial(c.identity(), c, 0, c.training.iterations) for c in configs]
    trials: list[Trial] = []
    for pack in make_packs(planned, limit):
        population = Population([trial.config for trial in pack.trials], device=device)
        population.advance(pack.trials[0].end)
        for config, found in zip(
            population.configs, evaluate(population, sweep.plan, final=True), strict=True
        ):
            if found.fault is None:
                trials.append(_trial(config, {**found.metrics, **found.diagnostics}, found.curve))
            else:
                print(f"  λ = {config.params()['objective.lam']}, seed {config.seed}: {found.fault.reason}")
    return TrialTable(sweep.name, (Goal("precision", "max"), Goal("recall", "max")), tuple(trials))


def _trial(config: TrialConfig, metrics: dict[str, float], curve: dict[str, Any]) -> Trial:
    alphas = decode_alphas(encode_alphas(curve))
    return Trial(config.identity(), "", "finished", config.params(), {PLAIN: metrics}, alphas=alphas)


def shown(group: LambdaGroup, table: TrialTable) -> None:
    """The shares of a group, and the means of what was measured."""
    if group.own is None:
        return
    own, members = group.own, {trial.id: trial for trial in table}
    print(
        "   trained \\ asked " + " ".join(f"{lam:>7.3g}" for lam in own.levels) + "   precision recall   fid"
    )
    for row, lam in enumerate(own.levels):
        cells = []
        for column in range(len(own.levels)):
            best = own.shares[row][column] == max(line[column] for line in own.shares)
            cells.append(f"{own.shares[row][column]:>6.3f}{'*' if best else ' '}")
        trials = [members[i] for i in group.ids if members[i].params["objective.lam"] == lam]
        means = [
            sum(t.metrics[m] for t in trials) / max(len(trials), 1) for m in ("precision", "recall", "fid")
        ]
        told = " ".join(f"{mean:>8.3f}" for mean in means) if trials else ""
        print(f"   {lam:>15.3g} {' '.join(cells)} {told}")
    regret = sum(own.regret) / len(own.regret)
    print(f"   mean regret {regret:.4f}, own best at {own.hits} of {len(own.levels)}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("preset", help="a preset or a sweep file")
    parser.add_argument("--seeds", type=int, nargs="+", default=[100, 101, 102, 103])
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--pack", type=int, default=64, help="trials side by side, at most")
    parser.add_argument(
        "settings", nargs="*", metavar="PATH=VALUE", help="laid over the preset; `or` begins another list"
    )
    given = parser.parse_args()
    lists: list[dict[str, Any]] = [{}]
    for text in given.settings:
        if text == "or":
            lists.append({})
        else:
            path, _, value = text.partition("=")
            lists[-1][path] = yaml.safe_load(value)
    for changes in lists:
        began = time.perf_counter()
        table = trained(
            load_sweep(given.preset, changes, seeds=given.seeds), torch.device(given.device), given.pack
        )
        audit = audit_lambda(table)
        told = " ".join(f"{path}={value}" for path, value in changes.items()) or "as it is"
        print(
            f"\n{given.preset}, {told}; seeds {given.seeds}; {time.perf_counter() - began:.0f} s", flush=True
        )
        for line in audit.sentences():
            print(f"  {line}")
        for group in audit.defined:
            shown(group, table)


if __name__ == "__main__":
    main()
