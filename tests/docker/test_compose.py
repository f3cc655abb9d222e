"""The compose file: valid by its specification, nobody root, nothing open to the network unless asked."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from tests.docker.stack import DOCKER, compose, substituted

NEEDED = {"POSTGRES_PASSWORD": "pg-secret", "MINIO_PASSWORD": "s3-secret"}
SERVICES: dict[str, Any] = compose(NEEDED)["services"]
ENDING = {"minio-volume", "buckets"}
"""Services that do one thing and end."""


@pytest.mark.parametrize("file", ["compose.yaml", "compose.cuda.yaml"])
def test_it_is_what_the_specification_allows(file: str) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    checked = subprocess.run([*command, str(DOCKER / file)], text=True, capture_output=True)
    assert checked.returncode == 0, checked.stdout


def test_variables_are_filled_in_as_compose_does() -> None:
    assert substituted("${A:-b}:${C}${D:+,}", {"C": "c"}) == "b:c"
    assert substituted("${A:-b}:${C}${D:+,}", {"A": "a", "D": "d"}) == "a:,"
    with pytest.raises(KeyError, match="POSTGRES_PASSWORD"):
        compose({"MINIO_PASSWORD": "s3-secret"})


@pytest.mark.parametrize("service", SERVICES)
def test_nobody_is_root(service: str) -> None:
    told = SERVICES[service]
    user, _, group = told["user"].partition(":")
    assert int(user) > 0
    assert int(group) > 0
    assert told["cap_drop"] == ["ALL"]
    assert told["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in told


def test_ports_are_those_of_this_machine_unless_asked() -> None:
    published = [port for told in SERVICES.values() for port in told.get("ports", ())]
    assert {port.rsplit(":", 2)[0] for port in published} == {"127.0.0.1"}
    assert {port.rsplit(":", 1)[1] for port in published} == {"5000", "8265", "8501", "9000", "9001"}
    opened = compose({**NEEDED, "BIND": "0.0.0.0"})["services"]
    assert opened["app"]["ports"] == ["0.0.0.0:8501:8501"]


@pytest.mark.parametrize("service", SERVICES)
def test_services_wait_for_what_they_need(service: str) -> None:
    for other, wanted in SERVICES[service].get("depends_on", {}).items():
        if wanted["condition"] == "service_healthy":
            assert "healthcheck" in SERVICES[other]
        else:
            assert wanted["condition"] == "service_completed_successfully"
            assert other in ENDING
    assert (service in ENDING) == ("healthcheck" not in SERVICES[service])
    assert (service in ENDING) == ("restart" not in SERVICES[service])


def test_volumes_secrets_and_configs_are_declared() -> None:
    document = compose(NEEDED)
    for told in document["services"].values():
        assert {volume.partition(":")[0] for volume in told.get("volumes", ())} <= set(document["volumes"])
        assert set(told.get("secrets", ())) <= set(document["secrets"])
        for config in told.get("configs", ()):
            assert (DOCKER / document["configs"][config["source"]]["file"]).is_file()


def test_passwords_are_in_no_command_and_the_example_names_them() -> None:
    words = [word for told in SERVICES.values() for word in told.get("command", ())]
    assert not [word for word in words if any(secret in word for secret in NEEDED.values())]
    example = (DOCKER / ".env.example").read_text()
    assert all(f"{name}=\n" in example for name in NEEDED)


def test_ray_asks_for_the_token_of_a_file() -> None:
    for service in ("ray-head", "ray-worker"):
        told = SERVICES[service]
        assert told["environment"]["RAY_AUTH_MODE"] == "token"
        assert told["environment"]["RAY_AUTH_TOKEN_PATH"] == f"/run/secrets/{told['secrets'][0]}"
