"""TREC Deep Learning 2019, passages: the published figures of the uncut runs, both levels."""

from __future__ import annotations

import re
from pathlib import Path

from poolbench.evaluation import ScoringOptions, as_judged, as_run, evaluate
from poolbench.evaluation.profiles import TREC_EVAL_9
from poolbench.files.streams import read_bytes

BLOCK = re.compile(r"^#### (?P<tag>\S+) *\n(?P<body>.*?)(?=^#### |\Z)", re.MULTILINE | re.DOTALL)
TABLE = re.compile(
    r'\?\?\? example "summary \((?P<kind>[^)]+)\)"\s*```(?P<lines>.*?)```', re.DOTALL
)
LEVELS = {"trec_eval": 1, "passages-eval": 2}


def published(path: Path) -> dict[str, dict[int, dict[str, str]]]:
    """``{run: {level: {measure: value as printed}}}``; gains do not depend on the level."""
    runs: dict[str, dict[int, dict[str, str]]] = {}
    for block in BLOCK.finditer(path.read_text(encoding="utf-8")):
        for table in TABLE.finditer(block["body"]):
            rows = [line.split() for line in table["lines"].splitlines() if line.strip()]
            values = {name: value for name, topic, value in rows if topic == "all"}
            runs.setdefault(block["tag"], {})[LEVELS[table["kind"]]] = values
    return runs


def test_every_published_figure_is_ours_to_four_decimals(data_dir: Path) -> None:
    folder = data_dir / "trec-dl19-passage"
    judged = as_judged(read_bytes(folder / "qrels.dl19-passage.txt"))
    told, compared = published(folder / "published-results.md"), 0
    assert len(told) == 75  # 37 passage runs and 38 document runs
    for path in sorted((folder / "runs-full-judged-topics").iterdir()):
        run = as_run(path)
        for level, wanted in told[path.name.removesuffix(".gz")].items():
            # They were printed by trec_eval 9, which ties scores that are 32-bit equal.
            scores = evaluate(run, judged, wanted, ScoringOptions(level=level, profile=TREC_EVAL_9))
            for name, value in wanted.items():
                assert f"{scores.mean(name):.4f}" == value, (path.name, level, name)
                compared += 1
    assert compared == 5 * 2 * 13
