"""The run validator: one report of all errors and warnings of a submitted run.

The same function serves pages, API and command line. Codes and fixes are listed in
docs/formats.md.
"""

import hashlib
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from poolbench.files.columns import ColumnFile
from poolbench.files.faults import FaultReport, InvalidFile, escape_excerpt, format_count
from poolbench.files.streams import map_text, read_bytes
from poolbench.reading.docnos import BLOCK
from poolbench.runs.ir_metadata import check_metadata_tag, read_ir_metadata
from poolbench.runs.rank_order import RankOrder, read_rank_order
from poolbench.runs.residual import mark_judged
from poolbench.runs.run_fields import FieldChecks, check_docnos, check_topics
from poolbench.runs.run_ranking import check_depths, check_ranking
from poolbench.runs.run_remarks import CUT_OFFS, check_near_runs, check_tie_order, check_tied_cuts
from poolbench.runs.runs import RUN_LAYOUT, RowCollector, RunRows, build_run_table, parse_scores
from poolbench.runs.tables import QrelsTable, RunTable, group_starts, split_topic_ranges

_STRUCTURE = ("E01", "E03", "E13", "E14")


@dataclass(frozen=True)
class RunRules:
    """The requirements of a campaign on runs. None means: not checked.

    ``topics`` are those that runs may contain; ``withheld_topics`` (training topics) get a
    message of their own. ``docnos`` is the collection.
    ``earlier_hashes`` maps ``normalised_hash`` of the same team's other runs to their tags;
    ``earlier_runs`` are those runs, read only for a run without errors. ``cut_offs`` are the ranks
    at which measures and pools cut. ``judged`` are the judgments of earlier
    rounds, whose documents leave the run, or are refused.
    """

    topics: frozenset[str] | None = None
    withheld_topics: frozenset[str] = frozenset()
    docnos: Container[str] | None = None
    declared_tag: str | None = None
    used_tags: frozenset[str] = frozenset()
    max_per_topic: int | None = 1000
    require_all_topics: bool = False
    max_bytes: int = 1 << 28
    earlier_hashes: Mapping[str, str] = field(default_factory=dict)
    judged: QrelsTable | None = None
    refuse_judged: bool = False
    earlier_runs: Iterable[RunTable] = ()
    cut_offs: Iterable[int] = CUT_OFFS


@dataclass(frozen=True)
class CheckedRun:
    """The result of a check: ``table`` is None if the run is rejected.

    ``lines`` counts the lines of the file, ``documents`` the valid ones; ``tied`` is the
    number of documents that share their score with another one of the topic; ``metadata`` is the
    ``ir_metadata`` block.
    """

    report: FaultReport
    table: RunTable | None = None
    lines: int = 0
    documents: int = 0
    topics: tuple[str, ...] = ()
    tag: str = ""
    tied: int = 0
    digest: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def accepted(self) -> bool:
        return self.table is not None

    def as_report(self) -> dict[str, Any]:
        """The faults and what was found, as plain JSON: the same from a site and at home."""
        counts = {"documents": self.documents, "topics": len(self.topics), "tied": self.tied}
        return self.report.as_dict() | {"found": counts}


def check_run_file(data: bytes | Path, rules: RunRules, *, file: str = "") -> CheckedRun:
    """Check the run in ``data`` (plain or gzip) against ``rules``. Never raises for bad input.

    A path is mapped, so that little of it is in memory at a time: the file must not change.
    """
    limits: dict[str, Any] = {"max_bytes": rules.max_bytes, "file": file}
    try:
        text = map_text(data, **limits) if isinstance(data, Path) else read_bytes(data, **limits)
    except InvalidFile as refused:
        return CheckedRun(refused.report)
    source = ColumnFile(text, RUN_LAYOUT, FaultReport(file))
    metadata = read_ir_metadata(text, source.report)
    fields = FieldChecks(source, rules.declared_tag, rules.used_tags)
    collector = RowCollector(source, packed=True)
    for block in source.blocks():
        fields.check(block)
        collector.add(block, parse_scores(source, block))
    fields.finish()
    rows = collector.finish()
    # Checks that need complete lines and valid numbers run only if all of them are.
    sound = len(rows) > 0 and not any(source.report.counts[code] for code in _STRUCTURE)
    check_topics(source, rows, rules.topics, rules.withheld_topics)
    check_docnos(source, rows, rules.docnos)
    check_depths(source, rows, rules.max_per_topic)
    order = read_rank_order(rows, fields.take_ranks()) if sound else None
    table = build_run_table(source, rows, in_parts=True)
    tied = _check_sound_run(source, rules, rows, order, table) if order else 0
    check_metadata_tag(source.report, metadata, table.tag)
    return replace(_build_result(source, table, tied, rules), metadata=metadata)


def _check_sound_run(
    source: ColumnFile, rules: RunRules, rows: RunRows, order: RankOrder, table: RunTable
) -> int:
    """What needs complete lines and valid numbers. Returns the number of tied documents."""
    check_missing_topics(source.report, rules, rows.grouped.topics)
    tied = check_ranking(source, rows, order, table)
    check_judged(source.report, table, rules)
    if tied:
        check_tie_order(source, rows, order)
        check_tied_cuts(source.report, table, rules.cut_offs)
    return tied


def check_missing_topics(report: FaultReport, rules: RunRules, answered: tuple[str, ...]) -> None:
    """Add W02, or E17 where every topic is required, if topics have no documents."""
    required = (rules.topics or frozenset()) - rules.withheld_topics
    missing = sorted(required - set(answered))
    if not missing:
        return
    listing = ", ".join(missing[:10]) + (", …" if len(missing) > 10 else "")
    message = f"No documents for {len(missing)} of {len(required)} topics: {listing}."
    if rules.require_all_topics:
        report.add("E17", message, "Add documents for these topics; every topic is required.")
    else:
        report.add("W02", message, "Missing topics score 0 in means over all topics.")


def check_judged(report: FaultReport, table: RunTable, rules: RunRules) -> None:
    """Add W18, or E21 where the campaign refuses them or nothing else is left, for documents that
    earlier rounds have judged.
    """
    if rules.judged is None:
        return
    marked = mark_judged(table, rules.judged)
    count = int(marked.sum())
    if not count:
        return
    first = table.docnos[int(marked.argmax())]
    documents = format_count(count, "document")
    message = f"{documents} judged in earlier rounds, such as {escape_excerpt(first, 40)}."
    if rules.refuse_judged or count == len(table):
        report.add("E21", message, "Remove the documents of the qrels of the earlier rounds.")
    else:
        report.add("W18", message, "None needed; they are left out before pooling and scoring.")


def ranking_hash(table: RunTable) -> str:
    """Hex sha256 over topics, docnos in order and scores; tag, ranks and layout are ignored."""
    digest = hashlib.sha256()
    for first, end in split_topic_ranges(table.starts, BLOCK):
        starts = table.starts[first : end + 1]
        block = slice(int(starts[0]), int(starts[-1]))
        docnos = table.docnos.take(block)
        lines = memoryview(docnos.joined(b"\n"))
        places = group_starts(docnos.lengths + 1)[starts - starts[0]]
        # Adding zero turns -0.0 into 0.0, which is the same score.
        scores = memoryview((table.scores[block] + 0.0).astype("<f8").tobytes())
        ends = (8 * (starts - starts[0])).tolist()
        for topic, text, own in zip(
            table.topics[first:end], pairwise(places.tolist()), pairwise(ends), strict=True
        ):
            digest.update(topic.encode() + b"\n")
            digest.update(lines[slice(*text)])
            digest.update(scores[slice(*own)])
    return digest.hexdigest()


def _build_result(source: ColumnFile, table: RunTable, tied: int, rules: RunRules) -> CheckedRun:
    report = source.report
    digest = ranking_hash(table)
    twin = rules.earlier_hashes.get(digest)
    if twin is not None:
        message = f"The run has the same documents and scores as your run {twin}."
        report.add("W09", message, "Submit a different run, or withdraw one of the two.")
    elif not report.has_errors:
        check_near_runs(report, table, rules.earlier_runs)
    return CheckedRun(
        report=report,
        table=None if report.has_errors else table,
        lines=source.lines,
        documents=len(table),
        topics=table.topics,
        tag=table.tag,
        tied=tied,
        digest=digest,
    )
