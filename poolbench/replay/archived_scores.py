"""The qrels versions and score sets of an archive, computed again."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isclose, isnan
from pathlib import Path
from typing import Any

from poolbench.evaluation.evaluate import ScoredRun, score_batch
from poolbench.evaluation.judgments import JudgmentTable
from poolbench.evaluation.matching import batch_from_table
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.names import parse_measures
from poolbench.evaluation.options import read_options
from poolbench.files.faults import InvalidFile
from poolbench.judging.aggregation.base import MissingGoldError
from poolbench.judging.aggregation.formats import write_record_files
from poolbench.judging.policies import PolicyOutcome, decide_pairs, get_policy
from poolbench.replay.archive_folder import TABLES, iter_rows
from poolbench.replay.archived_judgments import ArchivedJudgments
from poolbench.replay.archived_runs import ArchivedRuns
from poolbench.replay.differences import Difference
from poolbench.runs.qrels import qrels_from_rows, read_qrels
from poolbench.runs.residual import remove_judged_pairs
from poolbench.runs.tables import QrelsTable

SCORES = f"{TABLES}/run_scores.jsonl"
Pair = tuple[str, str]


@dataclass
class ArchivedScores:
    folder: Path
    runs: ArchivedRuns

    @cached_property
    def qrels(self) -> dict[int, dict[str, Any]]:
        return {row["id"]: row for row in iter_rows(self.folder, "qrels")}

    @cached_property
    def sets(self) -> dict[int, dict[str, Any]]:
        return {row["id"]: row for row in iter_rows(self.folder, "score_sets")}

    def iter_qrels_differences(self) -> Iterator[Difference]:
        judgments = ArchivedJudgments(self.folder)
        for row in self.qrels.values():
            file, data = row["file"], (self.folder / row["file"]).read_bytes()
            if (digest := hashlib.sha256(data).hexdigest()) != row["sha256"]:
                yield Difference(file, "SHA-256", row["sha256"], digest)
            try:
                outcome = decide_archived_qrels(row, judgments)
                archived = read_qrels(data, file=file).by_pair()
            except (MissingGoldError, InvalidFile) as error:
                yield Difference(file, "qrels", "complete", str(error))
                continue
            yield from compare_grades(file, archived, outcome)
            if outcome.aggregated is not None:
                for key, text in write_record_files(outcome.aggregated).items():
                    name = row["manifest"]["aggregation"][key]
                    if (self.folder / name).read_bytes() != text:
                        yield Difference(name, "content", "as archived", "another")

    def iter_score_differences(self) -> Iterator[Difference]:
        tables = dict[int, JudgmentTable]()
        for row in iter_rows(self.folder, "run_scores"):
            score_set = self.sets[row["score_set"]]
            if score_set.get("kind") == "estimate":
                continue
            if score_set["id"] not in tables:
                tables = {score_set["id"]: self.load_judgments(score_set)}
            judged = tables[score_set["id"]]
            measures = parse_measures(score_set["measures"])
            run = self.runs.load_left(row["run"], score_set["conditions"])
            batch = batch_from_table(run, judged, read_options(score_set["conditions"]))
            where = f"of {run.tag} in score set {score_set['id']}"
            yield from compare_scores(
                row, score_set, score_batch(batch, measures, run.tag), measures, where
            )

    def load_judgments(self, score_set: dict[str, Any]) -> JudgmentTable:
        """The qrels of the topics that were scored."""
        file = self.qrels[score_set["qrels"]]["file"]
        table = read_qrels((self.folder / file).read_bytes(), file=file)
        if removed := score_set["conditions"].get("removed"):
            table = remove_judged_pairs(table, self.runs.load_qrels(removed["qrels_version"]))
        return JudgmentTable.from_table(select_topics(table, score_set["topics"]))


def select_topics(table: QrelsTable, topics: Sequence[str]) -> QrelsTable:
    wanted = frozenset(topics)
    rows = ((*pair, grade) for pair, grade in table.by_pair().items() if pair[0] in wanted)
    return qrels_from_rows(rows)


def decide_archived_qrels(row: dict[str, Any], judgments: ArchivedJudgments) -> PolicyOutcome:
    """The grades of a version by its policy, from the log."""
    manifest = row["manifest"]
    aggregation = manifest.get("aggregation") or {}
    ballots = judgments.load_ballots(
        row["as_of"], manifest["last_judgment"], manifest["withheld_topics"]
    )
    gold = {
        name: (right, answered) for name, (right, answered) in aggregation.get("gold", {}).items()
    }
    return decide_pairs(
        get_policy(row["policy"]), ballots.list_ballots(), gold, aggregation.get("grades", ())
    )


def compare_grades(
    file: str, archived: dict[Pair, int], outcome: PolicyOutcome
) -> Iterator[Difference]:
    computed = {(topic, docno): grade for topic, docno, grade in outcome.rows}
    for pair in sorted(archived.keys() | computed.keys()):
        if archived.get(pair) != computed.get(pair):
            yield Difference(file, "grade", archived.get(pair), computed.get(pair), *pair)


def compare_scores(
    row: dict[str, Any],
    score_set: dict[str, Any],
    scored: ScoredRun,
    measures: Sequence[Measure],
    where: str,
) -> Iterator[Difference]:
    """The means and the values by topic that differ."""
    columns = {measure.name: at for at, measure in enumerate(measures)}
    places = {topic: at for at, topic in enumerate(scored.topics)}
    values, width = row["packed"], len(score_set["measures"])
    for column, name in enumerate(score_set["measures"]):
        at = columns[name]
        for number, topic in enumerate(score_set["topics"]):
            before = values[number * width + column]
            after = float(scored.values[places[topic], at]) if topic in places else None
            if not is_same_score(before, after):
                yield Difference(SCORES, f"{name} {where}", before, after, topic)
        if not is_same_score(row["means"].get(name), scored.overall[at]):
            yield Difference(
                SCORES, f"mean {name} {where}", row["means"].get(name), scored.overall[at]
            )


def is_same_score(before: float | None, after: float | None) -> bool:
    """Equal but for the last bits, which may depend on the processor."""
    if after is not None and isnan(after):
        after = None
    if before is None or after is None:
        return before is after
    return isclose(before, after, rel_tol=1e-9, abs_tol=1e-12)
