"""What commands tell on standard error beside the scores: under which conditions they hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from campaigns.core.tables import RunTable
from evaluation.core.evaluate import ScoredRun
from evaluation.core.judgments import Judged


def group_shared_texts(told: Iterable[tuple[str, str]], runs: int) -> Iterator[str]:
    """Each text of ``(path, text)`` once, behind the files it is of or how many they are.

    A text of more than half of the ``runs`` is said to be of so many: the others are named.
    """
    paths: dict[str, list[str]] = {}
    for path, text in told:
        paths.setdefault(text, []).append(path)
    for text, of in paths.items():
        yield f"{_format_counts(of, runs)}: {text}"


def _format_counts(paths: list[str], runs: int) -> str:
    if runs > 1 and len(paths) == runs:
        return f"all {runs} runs"
    return f"{len(paths)} of {runs} runs" if 2 * len(paths) > runs > 2 else ", ".join(paths)


def format_provenance_line(scores: ScoredRun) -> str:
    """The conditions of the numbers in one line."""
    held = scores.conditions
    parts = [
        f"profile {held['profile']}",
        f"level {held['level']}",
        f"{held['topics_averaged']} of {held['topics_judged']} judged topics averaged",
        f"{held['topics_without_relevant']} without a relevant document",
        f"{held['topics_not_retrieved']} not retrieved",
    ]
    strange = held["topics_not_judged"]
    parts += [f"{strange} retrieved but not judged, and not scored"] if strange else []
    parts += ["judged documents only"] if held["judged_only"] else []
    parts += [f"cut at {held['max_per_topic']}"] if held["max_per_topic"] else []
    size = held["collection_size"]
    parts += [f"collection of {size:,} documents"] if size else []
    parts += [f"{name}: {reason.rstrip('.')}" for name, reason in scores.reasons.items()]
    return "; ".join(parts) + "."


def iter_leading_zero_hints(run: RunTable, judged: Judged) -> Iterator[str]:
    """A hint where a topic that is not judged would be one but for the zeros before its id."""
    known = set(judged.topics)
    by_number = {topic.lstrip("0"): topic for topic in judged.topics}
    strange = (topic for topic in run.topics if topic not in known)
    alike = [(topic, by_number[n]) for topic in strange if (n := topic.lstrip("0")) in by_number]
    if alike:
        own, theirs = alike[0]
        more = f"; so with {len(alike) - 1} more" if len(alike) > 1 else ""
        yield f"topic {own} is not in the qrels, but {theirs} is: zeros before ids count{more}."
