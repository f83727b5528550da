"""The demonstration's ingredients: corpus, topics, rankers, judgments, campaign folder."""

import fcntl
import gzip
import os
import re
import subprocess
import sys
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import pytest

from poolbench.pooling.pool_builder import build_pool_table
from poolbench.pooling.spec import depth_spec, sessions_by_spec
from poolbench.replay.manifest import ReplayManifest, read_manifest
from poolbench.runs.qrels import read_qrels
from poolbench.runs.runs import read_run
from poolbench.texts.documents import DocumentText, read_documents
from poolbench.texts.topics import TopicText, read_topics
from replay.demo import build, fulltext
from replay.demo.build import (
    ASSESSORS,
    JUDGMENTS,
    POOL_DEPTH,
    TOPICS,
    load_demo_judgments,
    write_campaign_folder,
    write_documents,
)
from replay.demo.corpus import stdlib_documents
from replay.demo.rankers import RUNS
from replay.demo.words import DEPTH, split_name, stem_words
from tests.conftest import REPOSITORY
from tests.examples import ALL, take

TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,19}")
BUILD = """
import sys
from pathlib import Path
from replay.demo.build import write_campaign_folder
write_campaign_folder(Path(sys.argv[1]))
"""
SOME = take(RUNS, 3)
Tops = dict[str, dict[str, list[str]]]


@pytest.fixture(scope="module")
def documents() -> list[DocumentText]:
    return stdlib_documents()


@pytest.fixture(scope="module")
def topics() -> list[TopicText]:
    return read_topics(TOPICS.read_bytes())


@pytest.fixture(scope="module")
def folders(
    tmp_path_factory: pytest.TempPathFactory, documents: list[DocumentText]
) -> tuple[Path, Path]:
    """The campaign folder, and with POOLBENCH_TEST_EXAMPLES=all the same built meanwhile in a
    process that hashes otherwise; once for all workers.
    """
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder, again, done = (shared / name for name in ("demo", "again", "demo.done"))
    with (shared / "demo.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(build, "RUNS", SOME)
                patch.setattr(build, "stdlib_documents", lambda: documents)
                build_twice(folder, again)
            done.touch()
    return folder, again


def build_twice(folder: Path, again: Path) -> None:
    if not ALL:
        write_campaign_folder(folder)
        return
    other = subprocess.Popen(
        [sys.executable, "-c", BUILD, str(again)],
        cwd=REPOSITORY,
        env={**os.environ, "PYTHONHASHSEED": "7"},
    )
    write_campaign_folder(folder)
    assert other.wait(timeout=120) == 0


@pytest.fixture(scope="module")
def manifest(folders: tuple[Path, Path]) -> ReplayManifest:
    return read_manifest(folders[0])


@pytest.fixture(scope="module")
def tops(manifest: ReplayManifest) -> Tops:
    """tag -> topic -> docnos in the order of the run's lines."""
    found: Tops = {}
    for entry in manifest.runs:
        found[entry.tag] = defaultdict(list)
        for line in gzip.decompress(entry.file.read_bytes()).decode().splitlines():
            topic, _, docno, *_ = line.split()
            found[entry.tag][topic].append(docno)
    return found


@pytest.fixture(scope="module")
def pool(tops: Tops) -> set[tuple[str, str]]:
    return {
        (topic, docno)
        for ranked in tops.values()
        for topic, docnos in ranked.items()
        for docno in docnos[:POOL_DEPTH]
    }


def test_corpus_has_unique_plain_docnos(documents):
    docnos = [document.docno for document in documents]
    assert 4000 <= len(docnos) <= 9000
    assert docnos == sorted(set(docnos))
    assert all(docno.isascii() and not re.search(r"\s", docno) for docno in docnos)


def test_corpus_is_the_same_twice(documents, manifest, tmp_path):
    write_documents(tmp_path / "documents", documents)
    assert manifest.documents is not None
    assert (tmp_path / "documents").read_bytes() == manifest.documents.read_bytes()


def test_corpus_holds_parsed_and_compiled_modules(documents):
    by_docno = {document.docno: document for document in documents}
    assert by_docno["json.dumps"].title.startswith("json.dumps(obj, *, skipkeys=False")
    assert by_docno["json.dumps"].extra == {"kind": "function", "module": "json"}
    assert {"itertools.permutations", "zlib.compress", "builtins.str.casefold"} <= by_docno.keys()
    assert not any(docno.startswith(("test.", "idlelib")) for docno in by_docno)


def test_topics_have_all_three_parts(topics):
    assert [topic.number for topic in topics] == [f"{number:02}" for number in range(1, 25)]
    for topic in topics:
        assert 2 <= len(topic.title.split()) <= 6
        assert topic.description.endswith("?")
        assert 2 <= topic.narrative.count(". ") + 1 <= 5


def test_names_are_split_at_case_dots_and_underscores():
    parts = split_name("http.HTTPServer.do_listFiles")
    assert parts == ["http", "http", "server", "list", "fil"]


def test_stems_of_one_word_agree():
    assert stem_words("compress compresses compressed compressing") == ["compress"] * 4


def test_runs_are_of_several_teams_with_valid_tags():
    assert len({run.team for run in RUNS}) >= 4
    assert len({run.tag for run in RUNS}) == len(RUNS) >= 8
    assert all(TAG.fullmatch(run.tag) and run.team.isascii() for run in RUNS)
    assert len({(run.team, run.priority) for run in RUNS}) == len(RUNS)


@pytest.mark.parametrize("run", SOME, ids=lambda run: run.tag)
def test_run_answers_nearly_every_topic(run, tops):
    assert len(tops[run.tag]) >= 22
    for docnos in tops[run.tag].values():
        assert len(docnos) == len(set(docnos)) <= DEPTH


def test_runs_differ_from_each_other(tops, topics):
    for one, other in combinations(tops, 2):
        overlap = []
        for topic in topics:
            a, b = (set(tops[tag][topic.number][:10]) for tag in (one, other))
            overlap.append(len(a & b) / max(1, len(a | b)))
        assert sum(overlap) / len(overlap) < 0.95, (one, other)


def test_missing_full_text_index_is_told_clearly():
    assert "FTS5" in str(fulltext.NoFullText())


@pytest.mark.parametrize("assessor", ASSESSORS)
def test_judgments_are_well_formed(assessor, topics):
    lines = (JUDGMENTS / f"{assessor}.qrels").read_text(encoding="ascii").splitlines()
    judged = load_demo_judgments(assessor)
    assert len(lines) == len(judged) > 1000
    assert set(judged.values()) == {0, 1, 2, 3}
    assert {topic for topic, _ in judged} <= {topic.number for topic in topics}


def test_pool_is_judged_by_somebody(pool):
    judged = {pair for assessor in ASSESSORS for pair in load_demo_judgments(assessor)}
    assert len(pool & judged) / len(pool) >= 0.95


def test_every_topic_has_relevant_documents(topics):
    for topic in topics:
        grades = [
            grade
            for assessor in ASSESSORS
            for (number, _), grade in load_demo_judgments(assessor).items()
            if number == topic.number
        ]
        assert max(grades) == 3


def test_assessors_differ_where_they_overlap():
    ada, grace, edsger = (load_demo_judgments(name) for name in ("ada", "grace", "edsger"))
    common = ada.keys() & grace.keys() & edsger.keys()
    assert len({topic for topic, _ in common}) == 9
    totals = [sum(grades[pair] for pair in common) for grades in (grace, ada, edsger)]
    assert totals == sorted(set(totals), reverse=True)


def test_campaign_folder_is_readable(manifest, documents):
    assert (manifest.slug, manifest.depth, manifest.policy) == ("stdlib-demo", 10, "median-floor")
    assert [grade.value for grade in manifest.scale] == [0, 1, 2, 3]
    assert manifest.documents is not None
    read = list(read_documents(manifest.documents.read_bytes()))
    assert [document.docno for document in read] == [document.docno for document in documents]
    assert all(document.body for document in read)
    topics = read_topics(manifest.topics.read_bytes())
    assert [(t.number, bool(t.title and t.description and t.narrative)) for t in topics] == [
        (f"{number:02}", True) for number in range(1, 25)
    ]


def test_campaign_folder_pools_what_its_qrels_judge(manifest, pool):
    runs = [read_run(gzip.decompress(entry.file.read_bytes())) for entry in manifest.runs]
    table = build_pool_table(sessions_by_spec(depth_spec(POOL_DEPTH), runs))
    pooled = {
        (topic, docno)
        for index, topic in enumerate(table.topics)
        for docno in table.docnos[table.rows(index)]
    }
    assert pooled == pool
    for entry in manifest.qrels:
        assert read_qrels(entry.file.read_bytes()).by_pair().keys() <= pooled


@pytest.mark.full
def test_campaign_folder_is_the_same_twice(folders):
    first, again = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.*")}
        for folder in folders
    )
    assert len(first) == 3 + len(RUNS) + len(ASSESSORS)
    assert first == again
