"""``import poolbench as pb``: what notebooks call."""

from __future__ import annotations

import builtins
import dataclasses
import doctest
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pandas as pd
import pytest

import poolbench as pb
from campaigns.core.faults import InvalidFile
from evaluation.core import ScoringOptions
from evaluation.core import evaluate as score_run
from tests.conftest import REPOSITORY

QRELS = {
    "1": {"a": 2, "b": 0, "c": 1, "d": 0},
    "2": {"a": 1, "b": 1, "e": 0},
    "3": {"a": 0, "c": 2, "f": 1},
}
RUNS = {
    "x": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"e": 2.0, "a": 1.0}, "3": {"c": 1.0}},
    "y": {"1": {"d": 3.0, "c": 2.0}, "2": {"b": 2.0, "a": 1.0}, "3": {"a": 2.0, "f": 1.0}},
    "z": {"1": {"b": 3.0, "a": 2.0}, "2": {"a": 2.0}, "3": {"f": 2.0, "c": 1.0}},
}
JUDGES = {"ada": QRELS, "ben": {"1": {"a": 1, "b": 1, "c": 1}, "2": {"a": 1, "b": 0, "e": 0}}}


@pytest.mark.parametrize("module", ["clicks", "inputs", "pools", "reports", "scores"])
def test_the_examples_of_the_docstrings_hold(module, monkeypatch):
    # An example leaves its last value there.
    monkeypatch.setattr(builtins, "_", None, raising=False)
    ended = doctest.testmod(import_module(f"poolbench.{module}"))
    assert ended.attempted > 1
    assert ended.failed == 0


def test_every_function_has_an_example():
    for name in pb.__all__:
        assert ">>> import poolbench as pb" in (getattr(pb, name).__doc__ or ""), name
        assert name in dir(pb)
    with pytest.raises(AttributeError, match="no attribute 'tabulate'"):
        _ = pb.tabulate


def test_importing_loads_nothing_and_scoring_no_django():
    code = (
        "import sys, poolbench as pb; before = {'numpy', 'django'} & set(sys.modules)\n"
        f"assert pb.evaluate({RUNS['x']!r}, {QRELS!r}, 'AP').mean('AP') > 0.4\n"
        "print(before, {'pandas', 'scipy', 'pyarrow', 'django'} & set(sys.modules))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert ended.stdout.split() == ["set()", "set()"]


def test_scores_are_those_of_the_core():
    for tag, run in RUNS.items():
        core = score_run(run, QRELS, ["map", "ndcg"], ScoringOptions(level=2))
        own = pb.evaluate_runs(RUNS, QRELS, ["map", "ndcg"], level=2)[tag]
        assert own.means == core.means
        assert (own.values == core.values).all()
        assert own.conditions == core.conditions
    with pytest.raises(TypeError, match="either options or single settings"):
        pb.evaluate(RUNS["x"], QRELS, options=ScoringOptions(), level=2)


RESULTS = {
    "ScoredRun": lambda: pb.evaluate(RUNS["x"], QRELS, ["map", "ndcg"]),
    "ScoredRuns": lambda: pb.evaluate_runs(RUNS, QRELS, ["map", "ndcg"]),
    "Comparisons": lambda: pb.compare(RUNS, QRELS),
    "PoolTable": lambda: pb.pool(RUNS, 2),
    "AgreementReport": lambda: pb.agreement(JUDGES),
    "DisagreementReport": lambda: pb.disagreement(RUNS, JUDGES, "map", draws=100, swaps=100),
    "Simulation": lambda: pb.simulate(RUNS, QRELS, [1, 2], ["map"], seeds=2),
    "ReusabilityReport": lambda: pb.report(RUNS, QRELS, ["map", "bpref"], depth=2, draws=5),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_results_are_frozen_tabular_and_short_in_print(kind):
    result = RESULTS[kind]()
    assert len(result.to_frame())
    assert repr(result).startswith(f"<{kind}")
    assert len(repr(result)) < 120
    name = dataclasses.fields(result)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(result, name, None)


def test_frames_have_the_figures_of_the_results():
    compared, pool, agreed = (RESULTS[k]() for k in ("Comparisons", "PoolTable", "AgreementReport"))
    assert compared.to_frame()["p_value"].tolist() == [row.p_value for row in compared.rows]
    frame = pool.to_frame()
    assert list(zip(frame["topic"], frame["docno"], strict=True)) == [
        (topic, pool.docnos[row])
        for at, topic in enumerate(pool.topics)
        for row in range(pool.starts[at], pool.starts[at + 1])
    ]
    frame = agreed.to_frame().set_index(["assessors", "coefficient"])
    assert frame.loc[("all", "percent"), "value"] == agreed.overall["percent"].value
    assert frame.loc[("ada ~ ben", "kappa"), "n"] == agreed.pairs["ada", "ben"]["kappa"].n


def test_runs_and_qrels_are_read_from_parquet_and_judgments_from_frames(tmp_path: Path):
    rows = [(t, d, s) for t, docs in RUNS["x"].items() for d, s in docs.items()]
    pd.DataFrame(rows, columns=["topic", "docno", "score"]).to_parquet(tmp_path / "x.parquet")
    graded = [(t, d, g) for t, docs in QRELS.items() for d, g in docs.items()]
    qrels = pd.DataFrame(graded, columns=["qid", "docid", "rel"])
    qrels.to_parquet(tmp_path / "qrels.parquet")
    read = pb.evaluate(tmp_path / "x.parquet", tmp_path / "qrels.parquet", ["map"])
    assert (read.tag, read.means) == ("x", pb.evaluate(RUNS["x"], QRELS, ["map"]).means)
    frames = [qrels.assign(assessor=name) for name in ("ada", "ben")]
    assert pb.agreement(pd.concat(frames)).overall["percent"].value == 1


def test_the_extra_for_parquet_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object, **__: object) -> None:
        raise ImportError

    monkeypatch.setattr(pd, "read_parquet", fail)
    with pytest.raises(ImportError, match=r"poolbench\[parquet\]"):
        pb.read_run(tmp_path / "x.parquet")


def test_files_strata_and_specs_are_read(tmp_path: Path):
    (tmp_path / "run").write_text("1 Q0 a 1 3 mine\n1 Q0 b 2 2 mine\n")
    (tmp_path / "strata").write_text("1 0 a 1 1\n1 0 b 1 0\n")
    (tmp_path / "known").write_text("1 a\n")
    (tmp_path / "spec.json").write_text(
        json.dumps({"version": 1, "steps": [{"method": "rrf"}], "budget": {"per_topic": 1}})
    )
    judged = pb.read_qrels(tmp_path / "strata", form="strata")
    assert pb.evaluate(tmp_path / "run", judged, "infAP").tag == "mine"
    assert len(pb.pool([tmp_path / "run"], tmp_path / "spec.json", seed=3)) == 1
    from_file = pb.user_measures(RUNS["x"], QRELS, tmp_path / "known")
    assert from_file.means == pb.user_measures(RUNS["x"], QRELS, [("1", "a")]).means
    assert [measure.name for measure in pb.measures(["AP", "P@5"])] == ["map", "P_5"]
    assert len(pb.measures()) > 40


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: pb.read_runs("run.gz"), TypeError, "several runs"),
        (lambda: pb.read_runs([RUNS["x"], RUNS["y"]]), ValueError, "duplicate run tags: run"),
        (lambda: pb.read_qrels(b"", form="trec"), ValueError, "unknown form"),
        (lambda: pb.read_run(b"1 Q0 a"), InvalidFile, None),
        (lambda: pb.read_spec(0), ValueError, "at least 1"),
        (lambda: pb.read_spec({"version": 1}), InvalidFile, None),
        (lambda: pb.compare({"x": RUNS["x"]}, QRELS), ValueError, "at least two runs"),
        (lambda: pb.compare(RUNS, QRELS, "num_q"), ValueError, "values by topic"),
        (lambda: pb.agreement({"ada": QRELS}), ValueError, "at least two assessors"),
        (lambda: pb.agreement(pd.DataFrame({"topic": ["1"]})), ValueError, "missing column"),
        (lambda: pb.agreement([QRELS]), TypeError, "dict of qrels by assessor"),
        (lambda: pb.report(RUNS, pb.read_qrels(QRELS)), TypeError, "the qrels themselves"),
        (lambda: pb.report(RUNS, QRELS, "num_ret"), ValueError, "do not rank runs"),
        (lambda: pb.disagreement(RUNS, JUDGES, "relstring"), ValueError, "does not rank runs"),
        (
            lambda: pb.pool(RUNS, {"version": 1, "steps": [{"method": "mtf"}]}),
            ValueError,
            "needs judgments",
        ),
    ],
)
def test_what_is_wrong_is_said(call, error, message):
    with pytest.raises(error, match=message):
        call()
