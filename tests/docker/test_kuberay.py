"""The manifests for KubeRay: its own kinds by the fields they have, everything of Kubernetes by its schemas."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import kubernetes_validate
import pytest
import yaml

from explorer.launch.jobs import STOPPING
from explorer.sweep import load_sweep
from tests.docker.stack import DOCKER

FILES = ["raycluster.yaml", "rayjob.yaml"]
CLUSTER = {"rayVersion", "authOptions", "headGroupSpec", "workerGroupSpecs"}
HEAD = {"serviceType", "rayStartParams", "template"}
WORKERS = {"groupName", "replicas", "minReplicas", "maxReplicas", "rayStartParams", "template"}
JOB = {
    "entrypoint", "runtimeEnvYAML", "shutdownAfterJobFinishes", "ttlSecondsAfterFinished", "backoffLimit",
    "rayClusterSpec",
}  # fmt: skip
"""Fields of ray.io/v1 that we use; its schemas are in no registry of packages."""


def documents(file: str) -> dict[str, Any]:
    """The objects of a manifest by their kind."""
    return {each["kind"]: each for each in yaml.safe_load_all((DOCKER / "kuberay" / file).read_text())}


def cluster_of(file: str) -> dict[str, Any]:
    found = documents(file)
    spec: dict[str, Any] = found["RayCluster"]["spec"] if "RayCluster" in found else found["RayJob"]["spec"]
    inner: dict[str, Any] = spec.get("rayClusterSpec", spec)
    return inner


def pods(file: str) -> list[dict[str, Any]]:
    cluster = cluster_of(file)
    groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    return [group["template"]["spec"] for group in groups]


@pytest.mark.parametrize("file", FILES)
def test_objects_of_kubernetes_follow_its_schemas(file: str) -> None:
    latest = kubernetes_validate.latest_version()
    for kind, told in documents(file).items():
        if kind not in ("RayCluster", "RayJob"):
            kubernetes_validate.validate(told, latest, strict=True)
    for spec in pods(file):
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "one"}, "spec": spec}
        kubernetes_validate.validate(pod, latest, strict=True)


@pytest.mark.parametrize("file", FILES)
def test_objects_of_ray_have_its_fields(file: str) -> None:
    for kind, told in documents(file).items():
        if kind in ("RayCluster", "RayJob"):
            assert told["apiVersion"] == "ray.io/v1"
    cluster = cluster_of(file)
    assert set(cluster) == CLUSTER
    assert set(cluster["headGroupSpec"]) <= HEAD
    for group in cluster["workerGroupSpecs"]:
        assert set(group) == WORKERS
        assert group["minReplicas"] <= group["replicas"] <= group["maxReplicas"]
    for group in (cluster["headGroupSpec"], *cluster["workerGroupSpecs"]):
        assert all(isinstance(value, str) for value in group["rayStartParams"].values())
    assert cluster["rayVersion"] == version("ray"), "the operator chooses commands by it"
    assert cluster["authOptions"] == {"mode": "token"}


@pytest.mark.parametrize("file", FILES)
def test_pods_are_nobody_and_find_their_volumes(file: str) -> None:
    for spec in pods(file):
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["runAsUser"] == 10001
        (container,) = spec["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {mount["name"] for mount in container["volumeMounts"]} == {v["name"] for v in spec["volumes"]}


def test_the_job_runs_the_sweep_that_it_brings(tmp_path: Any) -> None:
    found = documents("rayjob.yaml")
    job = found["RayJob"]["spec"]
    assert set(job) == JOB
    assert yaml.safe_load(job["runtimeEnvYAML"]) == {"env_vars": STOPPING}
    ((name, text),) = found["ConfigMap"]["data"].items()
    (tmp_path / name).write_text(text)
    assert load_sweep(tmp_path / name).name == "ring"
    head = pods("rayjob.yaml")[0]
    mounts = {mount["name"]: mount["mountPath"] for mount in head["containers"][0]["volumeMounts"]}
    assert job["entrypoint"] == f"python -m explorer sweep {mounts['sweep']}/{name} --address auto"
    assert head["volumes"][0]["configMap"]["name"] == found["ConfigMap"]["metadata"]["name"]
