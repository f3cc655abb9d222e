"""Studies that Optuna itself makes, for all that read its storages."""

from __future__ import annotations

import warnings

import optuna
from optuna.storages import BaseStorage

__all__ = ["make_studies"]

optuna.logging.set_verbosity(optuna.logging.ERROR)


def make_studies(storage: str | BaseStorage) -> dict[str, optuna.Study]:
    """One study of two named objectives with trials of every state, and one of a single nameless objective."""
    two = optuna.create_study(storage=storage, study_name="two", directions=["minimize", "maximize"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        two.set_metric_names(["fid", "recall"])
    sampled = optuna.samplers.RandomSampler(seed=1)
    two.sampler = sampled
    two.optimize(_objectives, n_trials=6, catch=(ValueError,))
    two.enqueue_trial({"x": 0.5})
    two.ask()
    two.enqueue_trial({"x": 0.25})
    two.add_trial(
        optuna.trial.create_trial(
            values=[1.0, 2.0],
            params={"x": 0.125},
            distributions={"x": optuna.distributions.FloatDistribution(0, 1)},
        )
    )
    one = optuna.create_study(storage=storage, study_name="<b>one</b>", direction="maximize", sampler=sampled)
    one.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
    return {"two": two, "<b>one</b>": one}


def _objectives(trial: optuna.Trial) -> tuple[float, float]:
    x = trial.suggest_float("x", 0, 1)
    trial.suggest_categorical("c", ["a", None, 2.5, True])
    trial.suggest_float("lr", 1e-5, 1, log=True)
    n = trial.suggest_int("n", 1, 9)
    trial.set_user_attr("seconds", 2.5)
    trial.set_user_attr("note", "words")
    if trial.number == 3:
        raise optuna.TrialPruned
    if trial.number == 4:
        raise ValueError("no")
    return x, float("inf") if trial.number == 2 else n
