"""``import poolbench as pb``: what notebooks call."""

import builtins
import dataclasses
import doctest
import json
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import poolbench as pb
from poolbench.evaluation import ScoringOptions
from poolbench.evaluation import evaluate as score_run
from poolbench.evaluation.comparison.registry import CORRELATIONS
from poolbench.files.faults import InvalidFile
from tests.conftest import REPOSITORY
from tests.house import APPS

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


@pytest.fixture
def keep_builtins(monkeypatch):
    """An example leaves its last value as ``_``."""
    monkeypatch.setattr(builtins, "_", None, raising=False)


@pytest.mark.usefixtures("keep_builtins")
@pytest.mark.parametrize("module", sorted({getattr(pb, name).__module__ for name in pb.__all__}))
def test_the_examples_of_the_docstrings_hold(module):
    ended = doctest.testmod(import_module(module))
    assert ended.attempted > 1
    assert ended.failed == 0


@pytest.mark.usefixtures("keep_builtins")
def test_the_steps_of_the_page_hold():
    ended = doctest.testfile(str(REPOSITORY / "docs/library.md"), module_relative=False)
    assert ended.failed == 0
    assert ended.attempted > 50


def test_every_function_has_an_example_and_only_what_is_public_is_listed():
    for name in pb.__all__:
        assert ">>> import poolbench as pb" in (getattr(pb, name).__doc__ or ""), name
    assert dir(pb) == sorted([*pb.__all__, "__version__"])
    assert pb.__version__ == version("poolbench")
    packages = {path.stem for path in (REPOSITORY / "poolbench").iterdir()}
    assert not packages & {*pb.__all__}
    with pytest.raises(AttributeError, match="no attribute 'tabulate'"):
        _ = pb.tabulate


def test_importing_loads_nothing_and_scoring_no_django():
    code = (
        "import sys, poolbench as pb; before = {'numpy', 'django'} & set(sys.modules)\n"
        f"assert pb.evaluate({RUNS['x']!r}, {QRELS!r}, 'AP').mean('AP') > 0.4\n"
        "import poolbench.evaluation.formats, poolbench.evaluation.comparison.formats\n"
        "import poolbench.pooling.formats, poolbench.pooling.pool_builder\n"
        "import poolbench.judging.agreement.panel, poolbench.judging.quality.report\n"
        "print(before, {'pandas', 'scipy', 'pyarrow', 'django'} & set(sys.modules))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert ended.stdout.split() == ["set()", "set()"]


def test_the_library_stands_beside_files_with_the_names_of_the_server(tmp_path: Path):
    for name in [*APPS, "common"]:
        (tmp_path / f"{name}.py").write_text(f"raise RuntimeError({name!r})")
    (tmp_path / "poolbench.py").unlink()
    code = (
        f"import poolbench as pb; runs, qrels = {RUNS!r}, {QRELS!r}\n"
        "assert len(pb.pool(runs, depth=1)) and pb.bounds(runs, qrels, 'AP')\n"
        "assert pb.evaluate(runs['x'], qrels).means and pb.report(runs, qrels, 'AP', depth=2)\n"
        "assert pb.agreement({'ada': qrels, 'ben': qrels}).overall['percent'].value == 1"
    )
    path = {"PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, "-c", code]
    ended = subprocess.run(
        command, cwd=tmp_path, env=path, capture_output=True, text=True, check=False
    )
    assert ended.stderr == ""


def test_former_names_still_work():
    from poolbench.evaluation import Judged, JudgmentTable, Options

    assert (Judged, Options) == (JudgmentTable, ScoringOptions)


def test_results_have_the_order_and_the_spelling_of_the_request():
    names = ["nDCG@10", "AP", "P"]
    scores, table = pb.evaluate(RUNS["x"], QRELS, names), pb.evaluate_runs(RUNS, QRELS, names)
    of_p = [f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]
    for columns in (scores.means, scores.to_frame().columns, table.to_frame().columns):
        assert list(columns) == ["nDCG@10", "AP", *of_p]
    assert [run.tag for run in table] == list(RUNS)
    assert scores.means["AP"] == scores.mean("map") == scores.to_frame()["AP"].mean()
    assert list(pb.bounds(RUNS["x"], QRELS, names).to_frame()["measure"][:2]) == names[:2]
    assert list(pb.compare(RUNS, QRELS, ["nDCG@10", "AP"]).by_measure) == ["nDCG@10", "AP"]
    assert list(pb.evaluate(RUNS["x"], QRELS, ["ndcg_cut_10", "map"]).means) == [
        "ndcg_cut_10",
        "map",
    ]
    assert list(pb.evaluate(RUNS["x"], QRELS).means)[:2] == ["num_q", "num_ret"]
    assert list(pb.evaluate(RUNS["x"], QRELS, ["AP", "map"]).means) == ["AP"]


def test_files_are_written_as_they_are_read(tmp_path: Path):
    text = b"1 Q0 b 1 1e-07 t\n1 Q0 a 2 -3.25 t\n2 Q0 001 1 0.1 t\n"
    pb.write_run(text, tmp_path / "run")
    assert (tmp_path / "run").read_bytes() == text
    qrels = b"1 0 a -1\n1 0 b 2\n2 0 001 0\n"
    for name in ("qrels", "qrels.gz", "again.gz"):
        pb.write_qrels(qrels, tmp_path / name)
    assert (tmp_path / "qrels").read_bytes() == qrels
    assert (tmp_path / "qrels.gz").read_bytes() == (tmp_path / "again.gz").read_bytes()
    assert pb.evaluate(tmp_path / "run", tmp_path / "qrels.gz").topics == ("1", "2")


def test_notebooks_show_escaped_tables_and_charts(tmp_path: Path, monkeypatch):
    runs = {"<b>": RUNS["x"], "y": RUNS["y"]}
    table = pb.evaluate_runs(runs, QRELS, ["AP"])
    for result in (table, pb.compare(runs, QRELS, "AP"), pb.pool(runs, 1), pb.measures()):
        shown = result._repr_html_()
        assert "<table" in shown
        assert "<b>" not in shown
        assert len(repr(result)) < 120
    simulated = pb.simulate(RUNS, QRELS, [1, 2], ["map"], seeds=1)
    charts = [
        table.chart(), table.chart("map", by_topic=True, run="y"), table["y"].chart("AP"),
        pb.compare(runs, QRELS, "AP").chart(), pb.precision_recall(runs, QRELS).chart(),
        simulated.chart(), simulated.chart("AP"),
    ]  # fmt: skip
    for chart in charts:
        assert chart._repr_svg_().count("<svg") == 1
        assert "<b>" not in chart._repr_svg_()
    charts[0].save(tmp_path / "runs.svg")
    assert (tmp_path / "runs.svg").read_text().startswith("<?xml")
    with pytest.raises(ValueError, match=r"\.svg or \.png"):
        charts[0].save(tmp_path / "runs.pdf")
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ImportError, match=r"poolbench\[server\]"):
        charts[0].save(tmp_path / "runs.png")


def test_correlations_are_those_of_the_registry():
    first, second = {"x": 0.3, "y": 0.2, "z": 0.1}, {"z": 3, "x": 2, "y": 1}
    for kind, correlation in CORRELATIONS.items():
        one, two = np.array([0.3, 0.2, 0.1]), np.array([2.0, 1.0, 3.0])
        assert pb.tau(first, second, kind) == correlation.of_scores(one, two).value
    assert pb.tau(pd.Series(first), second) == pb.tau(first, second)
    ranked = pb.rbo({"a": 3.0, "b": 1.0, "c": 1.0}, ["a", ["b", "c"]], p=0.8)
    assert ranked.ext == pytest.approx(1)


def test_a_pool_by_a_method_is_that_of_its_spec():
    for options, spec in (
        ({"method": "depth", "k": 2}, 2),
        ({"method": "rrf", "per_topic": 1}, {"steps": [{"method": "rrf"}],
                                             "budget": {"per_topic": 1}}),
        ({"spec": "rrf"}, {"steps": [{"method": "rrf"}]}),
    ):  # fmt: skip
        assert pb.pool(RUNS, **options).docnos == pb.pool(RUNS, spec).docnos
    judged = pb.pool(RUNS, method="mtf", qrels=QRELS, per_topic=2)
    assert np.diff(judged.starts).tolist() == [2, 2, 2]


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
    "EstimatePlan": lambda: pb.plan_estimates(RUNS, [4], ["P@1", "AP"], depth=3),
    "EstimatedScores": lambda: pb.estimate(
        RUNS, pb.plan_estimates(RUNS, 4, "P@1").draw(4, QRELS), ["P@1", "AP"], top=2
    ),
    "ExaminedMachines": lambda: pb.examine_machines(RUNS, QRELS, {"m": QRELS}, "P@1", top=2),
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
        (lambda: pb.compare(RUNS, QRELS, ["AP", "num_q"]), ValueError, "values by topic: num_q"),
        (lambda: pb.evaluate(QRELS, RUNS["x"]), ValueError, "these look swapped"),
        (lambda: pb.evaluate(b"1 0 a 1", b"1 Q0 a 1 2 t"), ValueError, "these look swapped"),
        (lambda: pb.bounds(QRELS, RUNS["x"]), ValueError, "these look swapped"),
        (
            lambda: pb.evaluate(pd.DataFrame(columns=["grade"]), pd.DataFrame(columns=["score"])),
            ValueError,
            "these look swapped",
        ),
        (lambda: pb.compare([b"1 0 a 1"], b"1 Q0 a 1 2 t"), ValueError, "these look swapped"),
        (lambda: pb.compare(QRELS, RUNS), TypeError, "runs first, then qrels"),
        (lambda: pb.evaluate({"1": 2.0}, QRELS), TypeError, "{topic: {docno: number}}"),
        (lambda: pb.evaluate(RUNS["x"], QRELS, "nDGC@10"), ValueError, "Did you mean nDCG@10 or"),
        (lambda: pb.evaluate(RUNS["x"], QRELS, "ndgc"), ValueError, "Did you mean ndcg or"),
        (lambda: pb.evaluate_runs(RUNS, QRELS, "AP")["X"], ValueError, "Did you mean x"),
        (lambda: pb.pool(RUNS, method="mtff"), ValueError, "Did you mean mtf or"),
        (lambda: pb.pool(RUNS, "mtff"), ValueError, "unknown method 'mtff'. Did you mean mtf"),
        (lambda: pb.pool(RUNS, method="rrf", kk=1), InvalidFile, "'kk'. Use one of: method"),
        (lambda: pb.pool(RUNS, depth=1, kk=1), TypeError, "kk is a parameter of a method"),
        (lambda: pb.pool(RUNS), TypeError, "one of a spec, a depth and a method"),
        (lambda: pb.aggregate(JUDGES, "macee"), ValueError, "Did you mean mace"),
        (lambda: pb.tau([1.0], [2.0]), ValueError, "tau-b is undefined: fewer than two runs"),
        (lambda: pb.tau({"x": 1, "y": 2}, {"x": 1}), ValueError, "only one ranking has: y"),
        (lambda: pb.tau([1, 2], [1, 2], "tau_ap"), ValueError, "Did you mean tau-ap"),
        (lambda: pb.simulate(RUNS, QRELS, [1], seeds=1).chart("P_9"), ValueError, "not simulated"),
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
