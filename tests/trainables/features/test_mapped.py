"""Arrays that are mapped: as NumPy packs them, in memory once, and nothing but arrays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from trainables.features.mapped import map_arrays, write_arrays

KINDS = st.sampled_from([np.float32, np.float64, np.int64, np.uint8])


@given(
    st.dictionaries(
        st.text("abcλ_", min_size=1, max_size=9),
        KINDS.flatmap(lambda kind: arrays.arrays(kind, arrays.array_shapes(min_dims=0, min_side=0))),
        max_size=4,
    ),
    st.booleans(),
)
def test_what_is_written_is_mapped_and_numpy_reads_it(tmp_path_factory, kept, fortran):
    path = tmp_path_factory.mktemp("mapped") / "kept.npz"
    kept = {name: np.asfortranarray(array) if fortran else array for name, array in kept.items()}
    with path.open("wb") as file:
        write_arrays(file, kept)
    found = map_arrays(path)
    with np.load(path, allow_pickle=False) as theirs:
        assert set(theirs.files) == set(found) == set(kept)
        for name, array in kept.items():
            for read in (theirs[name], found[name]):
                assert (read.dtype, read.shape) == (array.dtype, array.shape)
                np.testing.assert_array_equal(read, array)
            assert found[name].flags.aligned


def test_files_that_numpy_packed_are_read_too(tmp_path):
    np.savez(tmp_path / "theirs.npz", a=np.arange(7.0), bc=np.eye(3, dtype=np.float32))
    found = map_arrays(tmp_path / "theirs.npz")
    assert found["a"].tolist() == list(range(7))
    assert all(array.flags.aligned for array in found.values())


def test_what_is_written_into_an_array_stays_out_of_the_file(tmp_path):
    path = tmp_path / "kept.npz"
    with path.open("wb") as file:
        write_arrays(file, {"a": np.zeros(9)})
    map_arrays(path)["a"][0] = 1.0
    assert map_arrays(path)["a"][0] == 0.0


def test_objects_and_packed_files_are_refused(tmp_path):
    objects = np.array([object()], dtype=object)
    with pytest.raises(ValueError, match="Object arrays"), (tmp_path / "o.npz").open("wb") as file:
        write_arrays(file, {"a": objects})
    np.savez(tmp_path / "pickled.npz", a=objects)
    with pytest.raises(ValueError, match="arrays of objects are not read"):
        map_arrays(tmp_path / "pickled.npz")
    np.savez_compressed(tmp_path / "packed.npz", a=np.zeros(99))
    with pytest.raises(ValueError, match="is packed"):
        map_arrays(tmp_path / "packed.npz")


READ = """
import sys
from pathlib import Path
from trainables.features.store import ReferenceKey, ReferenceStore
found = ReferenceStore(sys.argv[1]).get(ReferenceKey("d", "e", 1, "features"), lambda: 1 / 0)
total = float(found["features"].sum())  # every page was looked at
kept = "dirty"
lines = iter(Path("/proc/self/smaps").read_text().splitlines())
for line in lines:
    if line.endswith(".npz"):
        own = {}
        for part in lines:
            name, _, size = part.partition(":")
            own[name] = size
            if name == "VmFlags":
                break
        print(own["Rss"].split()[0], own["Anonymous"].split()[0], total)
"""


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="the system does not tell what is shared")
def test_processes_of_a_machine_have_a_reference_in_memory_once(tmp_path):
    import torch

    from trainables.features.store import ReferenceKey, ReferenceStore

    features = torch.ones(2**20)
    ReferenceStore(tmp_path).get(ReferenceKey("d", "e", 1, "features"), lambda: {"features": features})
    ran = subprocess.run(
        [sys.executable, "-c", READ, str(tmp_path)], capture_output=True, text=True, check=True, timeout=120
    )
    sizes = [line.split() for line in ran.stdout.splitlines()]
    assert sum(int(rss) for rss, _, _ in sizes) >= 4096, "KiB of the file that this process looks at"
    assert sum(int(own) for _, own, _ in sizes) == 0, "KiB of it that are its own"
    assert {float(total) for _, _, total in sizes} == {2.0**20}
