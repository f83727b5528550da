"""What commands print on standard error: how the scores were computed, and hints."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from poolbench.commands.command import Output
from poolbench.commands.files import FileReader, FileResult, read_file
from poolbench.evaluation.evaluate import ScoredRun
from poolbench.evaluation.judgments import JudgmentTable
from poolbench.evaluation.matching import MatchedRun, describe_no_common_topic
from poolbench.evaluation.trec_eval_text import LABEL
from poolbench.runs.runs import read_run
from poolbench.runs.tables import RunTable

Result = TypeVar("Result")
MAX_LISTED = 5


def write_notes(options: Mapping[str, Any], out: Output, notes: Iterable[Iterable[str]]) -> None:
    """The notes on each of ``options["runs"]``, in the order of the files; shared ones once."""
    paths = list(dict.fromkeys(options["runs"]))
    lines = ((path, line) for path, own in zip(paths, notes, strict=False) for line in own)
    for line in group_shared_texts(lines, len(paths)) if options["verbosity"] else ():
        out.note(line)


def group_shared_texts(lines: Iterable[tuple[str, str]], runs: int) -> Iterator[str]:
    """Each distinct text of ``(path, text)`` once, prefixed with its files or their number.

    A text shared by more than half of the ``runs``, or by many, is prefixed with their number.
    """
    paths: dict[str, list[str]] = {}
    for path, text in lines:
        paths.setdefault(text, []).append(path)
    for text, files in paths.items():
        yield f"{_format_counts(files, runs)}: {text}"


def _format_counts(paths: list[str], runs: int) -> str:
    if runs > 1 and len(paths) == runs:
        return f"all {runs} runs"
    if 2 * len(paths) > runs > 2:
        return f"{len(paths)} of {runs} runs"
    if len(paths) <= MAX_LISTED:
        return ", ".join(paths)
    return f"{len(paths)} of {runs} runs ({', '.join(paths[:MAX_LISTED])}, …)"


def format_provenance_line(scores: ScoredRun) -> str:
    """How the scores were computed, in one line."""
    provenance = scores.conditions
    label = provenance.get(LABEL)
    parts = [label] if label else []
    parts += [
        f"profile {provenance['profile']}",
        f"level {provenance['level']}",
        f"{provenance['topics_averaged']} of {provenance['topics_judged']} judged topics averaged",
        f"{provenance['topics_without_relevant']} without a relevant document",
        f"{provenance['topics_not_retrieved']} not retrieved",
    ]
    unjudged = provenance["topics_not_judged"]
    parts += [f"{unjudged} retrieved but not judged, and not scored"] if unjudged else []
    parts += ["judged documents only"] if provenance["judged_only"] else []
    parts += [f"cut at {provenance['max_per_topic']}"] if provenance["max_per_topic"] else []
    if removed := provenance.get("removed_qrels_sha256"):
        documents, pairs = provenance["documents_removed"], provenance["judgments_removed"]
        counts = f"{documents:,} documents and {pairs:,} judgments of earlier rounds removed"
        parts.append(f"residual: {counts}, qrels {removed[:12]}")
    size = provenance["collection_size"]
    parts += [f"collection of {size:,} documents"] if size else []
    parts += [f"{name}: {reason.rstrip('.')}" for name, reason in scores.reasons.items()]
    return "; ".join(parts) + "."


def reject_runs_without_topics(
    reader: FileReader, runs: Mapping[str, RunTable], topics: Sequence[str]
) -> None:
    """Reject each run, by path, that answers none of the ``topics`` of the qrels."""
    for path, run in runs.items():
        if fault := describe_no_common_topic(run, topics):
            reader.take(FileResult(None, [f"{path}: {fault}."], rejected=True))


def read_scored_run(
    path: str,
    judged: JudgmentTable | None,
    work: Callable[[RunTable, JudgmentTable], Result],
    hint: Callable[[RunTable, JudgmentTable], Iterable[str]] = lambda *_: (),
) -> FileResult[Result]:
    """Read one run and do ``work`` on it; without judgments, if they were rejected, only check the
    file. Rejected is a run without a topic of the judgments.
    """
    read = read_file(path, read_run, lenient=True)
    if read.table is None or judged is None:
        return FileResult(None, read.messages, read.rejected)
    hints = [f"{path}: {text}" for text in hint(read.table, judged)]
    if fault := describe_no_common_topic(read.table, judged.topics):
        return FileResult(None, [*read.messages, f"{path}: {fault}.", *hints], rejected=True)
    return FileResult(work(read.table, judged), [*read.messages, *hints])


def iter_leading_zero_hints(run: RunTable | MatchedRun, judged: JudgmentTable) -> Iterator[str]:
    """A hint if an unjudged topic differs from a judged one only in leading zeros."""
    judged_topics = set(judged.topics)
    by_number = {topic.lstrip("0"): topic for topic in judged.topics}
    unknown = (topic for topic in run.topics if topic not in judged_topics)
    similar = [(topic, by_number[n]) for topic in unknown if (n := topic.lstrip("0")) in by_number]
    if similar:
        own, other = similar[0]
        more = f" ({len(similar) - 1} more)" if len(similar) > 1 else ""
        yield f"topic {own} is not in the qrels, but {other} is: leading zeros matter{more}."
