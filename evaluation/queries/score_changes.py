"""Why the scores of one run changed from one score set to a later one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from campaigns.models import Run
from campaigns.services import matrices
from evaluation.models import RunScores, ScoreSet
from evaluation.queries.score_sets import ScoreReader
from evaluation.queries.scoring_inputs import SHOWN_MEASURES, options_from_provenance
from judging.queries.judgments import qrels_table
from poolbench.evaluation.measures.names import parse_measure
from poolbench.evaluation.score_changes import (
    DocumentChange,
    TopicChange,
    TopicExplanation,
    explain_topic,
    explain_topics,
)
from poolbench.runs.tables import QrelsTable
from poolbench.statistics.estimate import nan_to_none


@dataclass(frozen=True)
class RunChanges:
    """The scores of ``run`` by ``measure`` in the set ``after``, beside those in ``before``, one
    of the ``earlier`` ones; both have ``measures``.
    """

    run: Run
    before: ScoreSet
    after: ScoreSet
    earlier: Sequence[ScoreSet]
    measure: str
    measures: Sequence[str]
    mean_before: float | None
    mean_after: float | None
    topics: Sequence[TopicChange]

    @property
    def difference(self) -> float | None:
        before, after = self.mean_before, self.mean_after
        return None if before is None or after is None else after - before

    @property
    def changed_topics(self) -> int:
        return sum(each.before != each.after for each in self.topics)

    @property
    def most_changed(self) -> str:
        return max(self.topics, key=lambda each: abs(each.part)).topic if self.topics else ""


def compare_run_scores(
    after: ScoreSet, run: Run, reader: ScoreReader, since: str = "", name: str = ""
) -> RunChanges | None:
    """With the set of ID ``since`` among those that ``reader`` has seen, by default the latest
    before; by the measure ``name``, by default the first that tables show. None if there is none.
    """
    earlier = list_earlier_sets(after, run.pk, reader)
    before = next((each for each in earlier if since in ("", str(each.pk))), None)
    if before is None:
        return None
    listed_names = dict.fromkeys([*after.campaign.measures, *SHOWN_MEASURES, *after.measures])
    names = [
        n
        for n in listed_names
        if n in after.measures and n in before.measures and is_mean_of_topics(n)
    ]
    name = name or next(iter(names), "")
    if name not in names:
        return None
    rows = [RunScores.objects.get(score_set=each, run=run) for each in (before, after)]
    old, new = (read_topic_values(row, name) for row in rows)
    means = rows[0].means.get(name), rows[1].means.get(name)
    return RunChanges(run, before, after, earlier, name, names, *means, explain_topics(old, new))


def list_earlier_sets(after: ScoreSet, run: int, reader: ScoreReader) -> list[ScoreSet]:
    """Of the run with this ID, before ``after``, latest first; for teams the released ones. None of
    estimates, which single documents do not explain.
    """
    if after.is_estimate:
        return []
    sets = ScoreSet.objects.filter(campaign=after.campaign, runs__run=run)
    sets = sets.exclude(kind=ScoreSet.Kind.ESTIMATE)
    if not reader.is_organizer:
        sets = sets.filter(released_at__isnull=False)
    listed = sets.select_related("qrels", "campaign").order_by("-created_at", "-pk")
    moment = after.created_at, after.pk
    return [each for each in listed if (each.created_at, each.pk) < moment]


def is_mean_of_topics(name: str) -> bool:
    """Whether the value over all topics is the arithmetic mean of the values by topic."""
    (measure,) = parse_measure(name)
    return measure.compares


def read_topic_values(row: RunScores, name: str) -> dict[str, float | None]:
    column = list(row.score_set.measures).index(name)
    values = map(nan_to_none, row.table[:, column].tolist())
    return dict(zip(row.score_set.topics, values, strict=True))


def explain_run_topic(changes: RunChanges, topic: str) -> TopicExplanation:
    """The documents of ``topic`` whose grade changed, with what each adds to the difference."""
    (measure,) = parse_measure(changes.measure)
    sets = changes.before, changes.after
    before, after = (
        topic_grades(qrels_table(each.qrels), topic) if topic in each.topics else {}
        for each in sets
    )
    table = matrices.load_run_table(changes.run)
    first, second = map(options_from_provenance, sets)
    return explain_topic(table, topic, (before, after), measure, (first, second))


def topic_grades(table: QrelsTable, topic: str) -> Mapping[str, int]:
    if topic not in table.topics:
        return {}
    rows = table.rows(table.topics.index(topic))
    return dict(zip(table.docnos[rows], table.grades[rows].tolist(), strict=True))


def split_by_retrieved(
    explanation: TopicExplanation,
) -> tuple[list[DocumentChange], list[DocumentChange]]:
    """The documents that the run retrieved, and the others: a team is shown the first alone."""
    documents = explanation.documents
    retrieved = [each for each in documents if each.rank is not None]
    return retrieved, [each for each in documents if each.rank is None]
