"""The containers' own commands as processes of this machine, and a sweep through all of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from explorer.errors import UserError
from explorer.launch.jobs import check_job_server
from explorer.results.store import ResultStore
from tests.docker.stack import Stack
from tests.object_store import ObjectStore, running_store

TINY = """
name: through
model: {generator: [8], critic: [8, 8]}
refinement: {budgets: [1, 2]}
training: {iterations: 10, batch_size: 32}
evaluation: {samples: 200, every: 5}
space: {objective.lam: [0.2, 5]}
resources: {storage: "%s"}
"""
USER, PASSWORD = ObjectStore.writer.values()
VARIABLES = {"POSTGRES_PASSWORD": "postgres-secret", "MINIO_USER": USER, "MINIO_PASSWORD": PASSWORD}


@pytest.fixture
def stack() -> Iterator[Stack]:
    with TemporaryDirectory(dir="/tmp") as folder:  # short, since Ray puts sockets into it
        stack = Stack(Path(folder), VARIABLES)
        Path(folder).chmod(0o755)
        (stack.folder / "data").mkdir()
        (stack.folder / "ray-token").write_text("0123456789abcdef" * 4)
        # In the place of MinIO, which no registry of packages has, another store that speaks S3.
        with running_store(stack.folder / "store") as store:
            stack.ports["9000"] = str(store.gate.port)
            try:
                yield stack
            finally:
                stack.stop()


def start_postgres(stack: Stack) -> None:
    """What the image's entry point does: a database for the user, then the command. Its server refuses to be root."""
    told = stack.services["postgres"]["environment"]
    binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
    folder, password = stack.folder / "pg", stack.folder / "pg-password"
    folder.mkdir()
    password.write_text(told["POSTGRES_PASSWORD"])
    person = {"user": "postgres", "group": "postgres"} if os.getuid() == 0 else {}
    if person:
        shutil.chown(folder, "postgres", "postgres")
        shutil.chown(password, "postgres", "postgres")
    data = str(folder / "data")
    made = [binaries / "initdb", "--no-sync", "--auth=scram-sha-256", f"--username={told['POSTGRES_USER']}"]
    subprocess.run(
        [*made, f"--pwfile={password}", data], check=True, cwd=folder, stdout=subprocess.DEVNULL, **person
    )
    server, *options = stack.command("postgres")[1:]
    command = [str(binaries / server), "-D", data, "-k", str(folder), *options]
    stack.run(command, {"PATH": os.environ["PATH"]}, "postgres", cwd=folder, **person)


def make_database(stack: Stack) -> None:
    link = database(stack, "postgres")
    link.autocommit = True
    with link.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {stack.services['postgres']['environment']['POSTGRES_DB']}")
    link.close()


def database(stack: Stack, name: str) -> Any:
    import psycopg2

    told = stack.services["postgres"]["environment"]
    return psycopg2.connect(
        host="127.0.0.1",
        port=stack.port("5432"),
        user=told["POSTGRES_USER"],
        password=told["POSTGRES_PASSWORD"],
        dbname=name,
    )


def submit(stack: Stack, token: str) -> subprocess.CompletedProcess[str]:
    file = stack.folder / "through.yaml"
    file.write_text(TINY % stack.local("s3://checkpoints/?endpoint_override=minio:9000&scheme=http"))
    environment = stack.environment("app", "user") | {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token}
    address = stack.local("http://ray-head:8265")
    command = [sys.executable, "-m", "explorer", "submit", str(file), "--address", address]
    return subprocess.run(command, env=environment, text=True, capture_output=True, timeout=200)


@pytest.mark.cluster
@pytest.mark.timeout(600)
@pytest.mark.slow
def test_a_sweep_goes_through_all_services(stack: Stack) -> None:
    start_postgres(stack)
    stack.wait("postgres")
    make_database(stack)
    assert "made the bucket artifacts" in stack.once("buckets")
    assert "the bucket artifacts is there" in stack.once("buckets")
    stack.start("mlflow")
    stack.wait("mlflow")
    stack.start("ray-head")
    stack.wait("ray-head")
    workers = [f"worker-{i}" for i in range(stack.services["ray-worker"]["deploy"]["replicas"])]
    for name in workers:
        stack.start("ray-worker", name, {"52365": stack.port(name)})
    for name in workers:
        stack.wait("ray-worker", {"52365": stack.port(name)})

    refused = submit(stack, "f" * 64)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "refuses our token" in refused.stderr
    with pytest.raises(UserError, match="asks for its token: set RAY_AUTH_MODE=token"):
        check_job_server(stack.local("http://ray-head:8265"))
    stack.start("app")
    done = submit(stack, (stack.folder / "ray-token").read_text())
    assert done.returncode == 0, done.stdout + done.stderr
    assert "sweep through is complete: 2 trials finished" in done.stdout

    table = ResultStore(stack.local("http://mlflow:5000")).table("through")
    assert [trial.status for trial in table] == ["finished"] * 2
    with database(stack, "mlflow") as link, link.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM runs WHERE status = 'FINISHED'")
        assert cursor.fetchone() == (3,), "two trials and their sweep"
    assert kept(stack, "artifacts", "/curve.json") == 2
    assert kept(stack, "checkpoints", ".pt") == 2
    assert not (stack.folder / "data" / "checkpoints").exists()
    stack.wait("app")
    with urllib.request.urlopen(stack.local("http://app:8501/"), timeout=10) as page:
        assert b"Streamlit" in page.read()


def kept(stack: Stack, bucket: str, name: str) -> int:
    """How many objects of a bucket have names that end so."""
    import boto3

    told = stack.environment("buckets", "buckets")
    store = boto3.client(
        "s3",
        endpoint_url=told["AWS_ENDPOINT_URL"],
        aws_access_key_id=told["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=told["AWS_SECRET_ACCESS_KEY"],
        region_name=told["AWS_DEFAULT_REGION"],
    )
    found = store.list_objects_v2(Bucket=bucket).get("Contents", [])
    return sum(1 for entry in found if entry["Key"].endswith(name))
