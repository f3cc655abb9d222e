"""The folder of a model, and what MLflow makes of it where this package is not to be found."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from explorer.models import DESCRIPTION, Unmade, logged, model_files
from tests.explorer.models.folders import written
from tests.trainables.samplers.trained import KINDS, TAGGED, of_config, trained

LOAD = """
import json, sys
sys.path[:] = [place for place in sys.path if place not in ("", {root!r})]
class Refused:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("trainables", "explorer", "app", "tagged", "pathed"):
            raise ImportError(name)
sys.meta_path.insert(0, Refused())
import mlflow
found = {{}}
for place in sys.argv[1:]:
    model = mlflow.pyfunc.load_model(place)
    sample = model.predict(model.input_example)
    asked = {{"n": 2000, "budget": 2, "seed": 1}}
    told = model.predict(asked, params={{"report": True}})
    found[place] = [str(sample.dtype), list(sample.shape), told["readings"][0], model.metadata.signature is not None]
print(json.dumps(found))
"""


def test_the_files_are_those_of_mlflow_and_small() -> None:
    files = model_files(trained("points").file, "aa" * 16)
    about = json.loads(files["MLmodel"])
    flavour = about["flavors"]["python_function"]
    assert (about["run_id"], flavour["data"], flavour["code"]) == ("aa" * 16, "data", "code")
    assert f"code/{flavour['loader_module']}/modules.zip" in files
    assert {"conda.yaml", "python_env.yaml", "requirements.txt", "input_example.json"} <= set(files)
    assert sum(map(len, files.values())) < 200_000
    same = model_files(trained("points").file)
    assert "run_id" not in json.loads(same["MLmodel"])
    assert {k: v for k, v in same.items() if k != "MLmodel"} == {
        k: v for k, v in files.items() if k != "MLmodel"
    }
    assert json.loads(same["MLmodel"])["model_uuid"] == about["model_uuid"]


def test_a_run_says_of_it_what_mlflows_pages_ask() -> None:
    files = model_files(trained("points").file)
    (said,) = json.loads(logged(files[DESCRIPTION], "model", "aa" * 16))
    assert (said["artifact_path"], said["run_id"], *said["flavors"]) == (
        "model",
        "aa" * 16,
        "python_function",
    )
    assert said["utc_time_created"] == json.loads(files[DESCRIPTION])["utc_time_created"]


@pytest.mark.parametrize("content", [b"", b"no tensors", trained("points").file[:-1]])
def test_what_is_no_sampler_is_told(content: bytes) -> None:
    with pytest.raises(Unmade, match="kept in a file that cannot be used"):
        model_files(content)


def test_models_of_several_kinds_load_in_one_clean_process(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "tagged.py").write_text(TAGGED)
    places = {}
    for kind in ("points", "flow", "images", "tagged"):
        file = trained(kind, own if kind == "tagged" else None).file
        places[str(written(model_files(file), tmp_path / kind))] = kind
    found = _loaded([sys.executable, "-I"], list(places), tmp_path)
    shapes = {places[place]: tuple(told[:2]) for place, told in found.items()}
    assert shapes["points"] == shapes["flow"] == ("float32", [8, 2])
    assert shapes["images"] == shapes["tagged"] == ("uint8", [8, 1, 8, 8])
    for place, (_, _, reading, signed) in found.items():
        assert signed
        assert (reading["n"], reading["seed"]) == (2000, 1)
        # 2000 of some 4000 draws, at a constant known from at least 800 others.
        assert abs(reading["acceptance"] - 0.5) < 3 * 0.5 * (1 / 4000 + 1 / 800) ** 0.5, places[place]


def test_a_members_paths_are_paths_where_it_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    # Which a text in the place of a path would not bear.
    pathed = TAGGED.replace(
        "    latent: int = 4\n", "    latent: int = 4\n    file: Path | None = Path('a.b')\n"
    )
    pathed = pathed.replace('"tagged"', '"pathed"').replace("_part(self", "self.file.suffix and _part(self")
    (tmp_path / "own" / "pathed.py").write_text(f"from pathlib import Path\n{pathed}")
    changes = {**KINDS["tagged"], "plugins": ["pathed"], "model": {"name": "pathed"}}
    place = written(model_files(of_config(changes, tmp_path / "own").file), tmp_path / "model")
    (told,) = _loaded([sys.executable, "-I"], [str(place)], tmp_path).values()
    assert told[:2] == ["uint8", [8, 1, 8, 8]]


def _loaded(python: list[str], places: list[str], folder: Path) -> dict[str, list]:  # type: ignore[type-arg]
    code = LOAD.format(root=str(Path(__file__).resolve().parents[3]))
    done = subprocess.run(
        [*python, "-c", code, *places], capture_output=True, text=True, cwd=folder, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, list] = json.loads(done.stdout.strip().splitlines()[-1])  # type: ignore[type-arg]
    return found


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_it_loads_where_only_its_requirements_are_installed(tmp_path: Path) -> None:
    place = written(model_files(trained("points").file), tmp_path / "model")
    venv.create(tmp_path / "fresh", with_pip=True)
    python = str(tmp_path / "fresh" / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "-q", "-r", str(place / "requirements.txt")], check=True)
    (told,) = _loaded([python, "-I"], [str(place)], tmp_path).values()
    assert told[:2] == ["float32", [8, 2]]
