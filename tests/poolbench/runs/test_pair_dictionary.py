"""Pairs are found as in a dict, however they are divided into chunks, segments and files."""

import base64
import os
import signal
import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolbench.runs import pair_look_up, pair_places, pair_segments, run_matrix, segment_files
from poolbench.runs.pair_places import PairPlaces
from poolbench.runs.pair_segments import divide_chunks
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.run_matrix import PairArray, PairDictionary, read_pairs, write_pairs
from poolbench.runs.segment_files import SegmentFolder
from poolbench.runs.stored_docnos import MARK
from poolbench.runs.tables import QrelsTable
from tests.examples import examples
from tests.poolbench.runs.test_run_matrix import DOCNOS, TOPICS, colliding

CHUNKS = st.lists(st.lists(st.tuples(TOPICS, DOCNOS), max_size=12), max_size=9)
OF_MAIN = (
    b"eNoLcHL29wk25MpmYGCoVirJL8hMLlayUohWMlTSUVAyAhGGBkqxQCo5P6c0Nw8sGa1UXJJYVFIMkrXJtABSJkAV0Uo5"
    b"qXnpJRkQURO4aEp+cl4+SLCmFGSokVlsbC0DOmCC0sxQmoWBOMCEhEUYSAcphodXphhWYAHE6QcABPwrLA=="
)
"""A chunk as it was written before there were segments."""


@pytest.fixture(scope="module")
def all_stored():
    """Every segment is a file, and blocks are as small as they can be."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(run_matrix, "STORED", 1)
        monkeypatch.setattr(pair_segments, "_ENTRIES", 1)
        monkeypatch.setattr(pair_look_up, "_ROWS", 2)
        yield


def name_chunks(chunks):
    return [f"{at}-{hash(tuple(chunk))}" for at, chunk in enumerate(chunks)]


def remove_known(chunks):
    """Chunks whose pairs are in none before; topics may come several times."""
    known, left = {}, []
    for chunk in chunks:
        left.append([pair for pair in dict.fromkeys(chunk) if pair not in known])
        known |= {pair: len(known) + at for at, pair in enumerate(left[-1])}
    return known, left


@examples(60)
@given(chunks=CHUNKS, asked=st.sets(st.tuples(TOPICS, DOCNOS), max_size=20))
def test_pairs_are_found_as_in_a_dict(tmp_path_factory, all_stored, chunks, asked):
    known, chunks = remove_known(chunks)
    names, stored = (
        name_chunks(chunks),
        [read_pairs(write_pairs(PairArray.from_pairs(chunk))) for chunk in chunks],
    )
    folder = SegmentFolder(tmp_path_factory.mktemp("pairs"))
    grown = PairDictionary(folder=folder)
    table = qrels_from_rows((*pair, 1) for pair in asked | set(known))
    pairs = [*PairArray(table.topics, table.starts, table.docnos)]
    for at, (chunk, name) in enumerate(zip(stored, names, strict=True)):
        grown = grown.extended([chunk], [name])
        end = sum(map(len, chunks[: at + 1]))
        codes = [known.get(pair, end) for pair in pairs]
        assert grown.find(table).tolist() == [code if code < end else -1 for code in codes]
    # Another process, which finds the files; and one without any.
    for again in (PairDictionary(stored, names, folder), PairDictionary(stored)):
        assert again.find(table).tolist() == [known.get(pair, -1) for pair in pairs]
        assert list(again) == list(known)
        codes = np.array(sorted(known.values())[::-1], np.int32)
        assert list(again.get_docnos(codes)) == [docno for _, docno in [*known][::-1]]
        places = again.places(table)
        assert places.take(codes).tolist() == [pairs.index(pair) for pair in [*known][::-1]]


def test_pairs_of_one_hash_are_told_apart(tmp_path, all_stored):
    ids = colliding(60)
    topics, starts = ("a", "b"), np.array([0, 20, 40])
    first = PairArray(topics, starts, ids.take(np.arange(40)))
    second = PairArray(("b",), np.array([0, 20]), ids.take(np.arange(40, 60)))
    known = PairDictionary([first, second], ["1", "2"], SegmentFolder(tmp_path))
    asked = QrelsTable(
        ("a", "b"), np.array([0, 60, 120]), ids.take(np.r_[0:60, 0:60]), np.zeros(120)
    )
    nothing = [-1] * 20
    of_b = [*nothing, *range(20, 60)]
    assert known.find(asked).tolist() == [*range(20), *nothing, *nothing, *of_b]


@given(st.lists(st.integers(0, 5_000), max_size=40))
def test_segments_follow_from_the_chunks_before(counts):
    planned = divide_chunks(counts)
    assert [at for first, end in planned for at in range(first, end)] == list(range(len(counts)))
    for end in range(len(counts)):
        # Once a range is left, it does not come back.
        before = divide_chunks(counts[:end])
        kept = [each for each in before if each in planned]
        assert kept == before[: len(kept)]


def test_many_chunks_are_few_segments_merged_seldom():
    counts, merged = [200_000] * 150, 0
    for end in range(1, 151):
        new = set(divide_chunks(counts[:end])) - set(divide_chunks(counts[: end - 1]))
        merged += sum(last - first for first, last in new)
        assert len(divide_chunks(counts[:end])) <= 12
    assert merged <= 5 * 150


def make_dictionary(folder, docnos=2_000, chunks=3):
    size = docnos // chunks
    stored = [
        read_pairs(write_pairs(PairArray.from_pairs((str(at % 7), f"d{at}") for at in part)))
        for part in (range(first, first + size) for first in range(0, size * chunks, size))
    ]
    return PairDictionary(stored, [str(at) for at in range(chunks)], SegmentFolder(folder))


def list_all(known):
    return qrels_from_rows((*pair, 1) for pair in known)


def find_all(known):
    """Whether each pair has its own code."""
    return sorted(known.find(list_all(known)).tolist()) == list(range(len(known)))


def test_a_process_that_is_killed_while_it_writes_leaves_nothing_that_is_read(tmp_path, all_stored):
    """0.5 s: a process of its own."""
    script = (
        "import os, signal, sys; from pathlib import Path\n"
        "from poolbench.runs import run_matrix, segment_files\n"
        "from tests.poolbench.runs.test_pair_dictionary import make_dictionary, find_all\n"
        "run_matrix.STORED = 1\n"
        "segment_files.os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "find_all(make_dictionary(Path(sys.argv[1])))\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert [path.suffix for path in tmp_path.iterdir() if path.name != "lock"] == [".part"]
    assert find_all(make_dictionary(tmp_path))
    assert {path.suffix for path in tmp_path.iterdir() if path.name != "lock"} == {".pairs"}


@pytest.mark.parametrize("damage", ["cut", "empty", "other hashes", "no columns"])
def test_a_damaged_file_is_written_again(tmp_path, all_stored, monkeypatch, damage):
    assert find_all(make_dictionary(tmp_path))
    (path, *_) = tmp_path.glob("*.pairs")
    data = path.read_bytes()
    if damage == "other hashes":
        monkeypatch.setattr(segment_files, "_PROBES", ("another",))
    changed = {"cut": data[:2_000], "empty": b"", "no columns": b"PBCOLS1\n" + bytes(4_000)}
    path.write_bytes(changed.get(damage, data))
    assert find_all(make_dictionary(tmp_path))
    assert path.read_bytes() == data or damage == "other hashes"


def test_of_two_at_once_one_writes_and_both_find(tmp_path, all_stored, monkeypatch):
    written = []
    write = SegmentFolder.write
    monkeypatch.setattr(
        SegmentFolder, "write", lambda self, *args: written.append(args[0]) or write(self, *args)
    )
    with ThreadPoolExecutor(4) as threads:
        several = [make_dictionary(tmp_path) for _ in range(4)]
        assert all(threads.map(find_all, several))
    assert len(written) == len(divide_chunks([2_000 // 3] * 3))


def test_files_that_are_no_longer_asked_for_are_removed_and_read_on(tmp_path, all_stored):
    before = make_dictionary(tmp_path, 2_000, 3)
    assert find_all(before)
    assert len(list(tmp_path.glob("*.pairs"))) == 3
    assert find_all(make_dictionary(tmp_path, 2_000 // 3 * 4, 4))
    assert len(list(tmp_path.glob("*.pairs"))) == 1
    assert find_all(before)


def test_a_full_disk_is_told_before_anything_is_mapped(tmp_path, all_stored, monkeypatch):
    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", refuse)
    with pytest.raises(OSError, match="No space left"):
        find_all(make_dictionary(tmp_path))
    assert not list(tmp_path.glob("*.pairs")) + list(tmp_path.glob("*.part"))


def test_chunks_that_an_earlier_version_wrote_are_read():
    chunk = read_pairs(zlib.decompress(base64.b64decode(OF_MAIN)))
    pairs = [("1", "d1"), ("1", "é"), ("2", "d1"), ("10", "x" * 20)]
    assert list(chunk) == pairs
    assert write_pairs(PairArray.from_pairs(pairs)) == zlib.decompress(base64.b64decode(OF_MAIN))


def test_docnos_are_located_among_many():
    rng = np.random.default_rng(1)
    names = ["x" * int(length) + str(at) for at, length in enumerate(rng.integers(0, 30, 3 * MARK))]
    stored = read_pairs(write_pairs(PairArray.from_pairs(("1", name) for name in names))).docnos
    rows = rng.integers(0, len(names), 50)
    assert list(stored.take(rows)) == [names[row] for row in rows]
    for rows in (slice(None), slice(MARK - 1, MARK + 1), slice(5, 5), slice(2 * MARK, None)):
        assert list(stored.take(rows)) == names[rows]
    assert list(stored.take(np.empty(0, np.int64))) == []


@given(st.integers(1, 700).flatmap(lambda size: st.tuples(
    st.just(size), st.lists(st.integers(0, size - 1), unique=True))))  # fmt: skip
def test_places_are_the_same_by_bits_and_by_array(drawn):
    size, codes = drawn
    places = PairPlaces.from_codes(size, np.array(codes, np.int32), np.arange(len(codes)))
    dense, asked = places.take(np.arange(size)), np.arange(size)[::-1]
    kept, pair_places.DENSE = pair_places.DENSE, 0
    try:
        assert np.array_equal(places.take(asked), dense[::-1])
    finally:
        pair_places.DENSE = kept
    assert np.array_equal(np.flatnonzero(dense >= 0), np.sort(codes))
