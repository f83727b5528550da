"""Reports on preferences: lists, pairs, shares of runs, strengths and cycles, in every format."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from poolbench.files.faults import format_count
from poolbench.number_formats import format_score
from poolbench.preferences.interleaved_runs import CreditedClicks, InterleavedRuns
from poolbench.preferences.preference_pairs import PreferenceRecord
from poolbench.preferences.preference_score import PreferenceScore, warn_own_lists
from poolbench.preferences.strengths import StrengthReport, TopicStrengths
from poolbench.reports.report import Column, Report, Section, Table, make_columns
from poolbench.reports.writers import make_formats
from poolbench.statistics.estimate import Estimate, estimate_to_dict
from poolbench.statistics.least_topics import HINT, HINT_NOTE

NO_GRADES = "Preferences are not grades: no qrels version contains them."
PAIR_COLUMNS = ("topic", "better", "worse", "times", "tie", "judge")


def format_estimate_interval(estimate: Estimate) -> str:
    """``0.1000 to 0.3000``; else why there is none."""
    if estimate.low is None or estimate.high is None:
        return f"({estimate.why})" if estimate.why else ""
    return f"{format_score(estimate.low)} to {format_score(estimate.high)}"


def format_topic_interval(estimate: Estimate) -> str:
    """The same, marked as a hint if there are few topics."""
    mark = f" {HINT}" if estimate.is_hint else ""
    return f"{format_estimate_interval(estimate)}{mark}"


def build_lists_report(runs: InterleavedRuns, clicks: CreditedClicks | None = None) -> Report:
    """The list of each topic, who contributed what; with clicks, the outcome first."""
    columns = (Column("topic", left=True), Column("position"), *_texts("docno", "run"))
    head = f"A: {runs.tag_a}; B: {runs.tag_b}; {runs.method}, seed {runs.seed}; "
    head += f"{format_count(len(runs.lists), 'topic')} in both runs."
    lists = Section("Lists", (Table("lists", columns, list(runs.rows())),))
    outcome = [] if clicks is None else [_outcome_section(runs, clicks)]
    return Report(
        title=f"Interleaved lists of {runs.tag_a} and {runs.tag_b}",
        sections=[*outcome, lists],
        notes=(head,),
        conditions={
            "run_a": runs.tag_a, "run_b": runs.tag_b, "method": runs.method, "seed": runs.seed,
            "depth": runs.depth,
            **({} if clicks is None else {"outcome": clicks.to_dict(runs.tag_a, runs.tag_b)}),
        },
        record=Table("interleaved lists", columns, list(runs.rows())),
        data=lambda: {
            "method": runs.method,
            "seed": runs.seed,
            "topics": {
                topic: {"documents": list(merged.documents), "by": list(merged.by)}
                for topic, merged in runs.lists.items()
            },
            "outcome": clicks and clicks.to_dict(runs.tag_a, runs.tag_b),
        },
    )  # fmt: skip


def _outcome_section(runs: InterleavedRuns, clicks: CreditedClicks) -> Section:
    result = clicks.outcome
    rows = [
        (f"lists won by {runs.tag_a}", str(result.wins_a), ""),
        (f"lists won by {runs.tag_b}", str(result.wins_b), ""),
        ("ties", str(result.ties), ""),
        ("win share of A", _four(result.share.value), format_estimate_interval(result.share)),
        ("sign test, p", _four(result.p_value), ""),
        ("ΔAB", _four(result.delta.value), format_topic_interval(result.delta)),
    ]
    others = format_count(clicks.others, "session")
    notes = (f"{others} with other lists left out.",) if clicks.others else ()
    columns = (Column("outcome", left=True), Column("value"), Column("interval", "95 % interval"))
    return Section("Outcome", (Table("outcome", columns, rows),), notes)


def build_preferences_report(
    records: Sequence[PreferenceRecord], sessions: int | None = None
) -> Report:
    """Preferences as the table that the commands read again."""
    columns = (*_texts("topic", "better", "worse"), *make_columns("times", "tie"), *_texts("judge"))
    rows = [(r.topic, r.better, r.worse, r.times, int(r.tie), r.judge) for r in records]
    origin = "" if sessions is None else f" from {format_count(sessions, 'session')}"
    return Report(
        title="Preferences",
        sections=[Section("Preferences", (Table("preferences", columns, rows),))],
        notes=(
            (
                f"{format_count(len(rows), 'pair')}, "
                f"{format_count(sum(r.times for r in records), 'preference')}{origin}."
            ),
        ),
        conditions={} if sessions is None else {"sessions": sessions},
        record=Table("preferences", columns, rows),
        data=lambda: {"preferences": [dict(zip(PAIR_COLUMNS, row, strict=True)) for row in rows]},
    )


def build_preference_scores_report(
    scores: Sequence[PreferenceScore], *, by_topic: bool = False
) -> Report:
    """The share of each run over all topics, and with ``by_topic`` those of its topics."""
    columns = (
        *_texts("run"),
        Column("macro", format=format_score),
        Column("macro_interval", "95 % interval"),
        Column("micro", format=format_score),
        Column("micro_interval", "95 % interval"),
        *make_columns("kept", "preferences", "topics", "missing"),
    )
    rows = [
        (
            score.run, score.macro.value, format_topic_interval(score.macro), score.micro.value,
            format_topic_interval(score.micro), score.satisfied, score.total, len(score.topics),
            score.missing,
        )
        for score in scores
    ]  # fmt: skip
    hints = any(score.macro.is_hint for score in scores)
    notes = (*warn_own_lists({score.run: score.own_lists for score in scores}), NO_GRADES)
    table = Table("shares", columns, rows, notes=(HINT_NOTE,) if hints else ())
    sections = [Section("Share of preferences kept", (table,))]
    if by_topic:
        sections += [_topic_section(score) for score in scores]
    return Report(
        title="Share of preferences that runs keep",
        sections=sections,
        notes=notes,
        conditions={"own_lists": {score.run: score.own_lists for score in scores}},
        record=Table(
            "shares of preferences",
            make_columns("run", "topic", "mean", "value", "low", "high", "kept", "preferences"),
            _score_records(scores),
        ),
        data=lambda: {"runs": [score_to_dict(score) for score in scores]},
    )


def _topic_section(score: PreferenceScore) -> Section:
    columns = (
        *_texts("topic"), Column("share", format=format_score),
        *make_columns("kept", "preferences", "missing"),
    )  # fmt: skip
    rows = [(t.topic, t.share, t.satisfied, t.total, t.missing) for t in score.topics]
    return Section(score.run, (Table("topics", columns, rows, lead=score.run),))


def _score_records(scores: Iterable[PreferenceScore]) -> Iterator[tuple[Any, ...]]:
    for score in scores:
        for mean in ("macro", "micro"):
            each: Estimate = getattr(score, mean)
            yield (
                score.run, "all", mean, each.value, each.low, each.high, score.satisfied,
                score.total,
            )  # fmt: skip
        for topic in score.topics:
            yield score.run, topic.topic, "", topic.share, None, None, topic.satisfied, topic.total


def score_to_dict(score: PreferenceScore) -> dict[str, Any]:
    """The score as plain values."""
    return {
        "run": score.run,
        "macro": estimate_to_dict(score.macro),
        "micro": estimate_to_dict(score.micro),
        "kept": score.satisfied,
        "preferences": score.total,
        "own_lists": score.own_lists,
        "topics": [
            {
                "topic": topic.topic,
                "share": topic.share,
                "kept": topic.satisfied,
                "preferences": topic.total,
                "missing": topic.missing,
            }
            for topic in score.topics
        ],
    }


def build_strengths_report(report: StrengthReport) -> Report:
    """Documents by topic from the strongest, and the cycles."""
    columns = (
        *_texts("topic"), *make_columns("rank"), *_texts("docno"),
        Column("strength", format=format_score), Column("interval", "95 % interval"),
        *make_columns("wins", "losses", "ties"),
    )  # fmt: skip
    rows = [
        (topic.topic, item.rank, item.item, item.strength.value,
         format_estimate_interval(item.strength) if topic.result.is_defined else "",
         item.wins, item.losses, item.ties)
        for topic in report.topics
        for item in topic.result.items
    ]  # fmt: skip
    circular, triads = report.circular
    share = f" ({circular / triads:.1%})" if triads else ""
    prior = f"prior {report.prior:g}" if report.prior else "no prior"
    notes = (
        (
            f"{format_count(len(report.topics), 'topic')}, {prior}; {circular:,} of {triads:,} "
            f"decided triads are circular{share}."
        ),
        NO_GRADES,
    )
    strengths = Table("strengths", columns, rows, notes=tuple(_describe_undefined(report.topics)))
    return Report(
        title="Bradley–Terry strengths",
        sections=[Section("Strengths", (strengths,)), _cycle_section(report)],
        notes=notes,
        conditions={"prior": report.prior, "circular_triads": circular, "triads": triads},
        record=Table(
            "strengths",
            make_columns("topic", "rank", "docno", "strength", "low", "high", "wins", "losses",
                         "ties", "undefined"),
            ((topic.topic, i.rank, i.item, i.strength.value, i.strength.low, i.strength.high,
              i.wins, i.losses, i.ties, i.strength.why)
             for topic in report.topics for i in topic.result.items),
        ),
        data=lambda: {"prior": report.prior, "topics": [*map(strengths_to_dict, report.topics)]},
    )  # fmt: skip


def _describe_undefined(topics: Iterable[TopicStrengths]) -> Iterator[str]:
    for topic in topics:
        if not topic.result.is_defined:
            groups = [_join_names(group) for group in topic.result.groups[:5]]
            more = " …" if len(topic.result.groups) > 5 else ""
            yield (
                f"Topic {topic.topic}: undefined, the comparisons are not strongly connected: "
                f"{' > '.join(groups)}{more}. Use a prior, or compare more pairs."
            )


def _cycle_section(report: StrengthReport) -> Section:
    columns = (*_texts("topic"), *make_columns("documents"), *_texts("cycle"))
    rows = [
        (topic.topic, len(cycle), " > ".join((*cycle, cycle[0])))
        for topic in report.topics
        for cycle in topic.cycles.cycles
    ]
    tables = (Table("cycles", columns, rows, lead="Cycles of majorities", most=50),) if rows else ()
    return Section("Cycles", tables)


def strengths_to_dict(topic: TopicStrengths) -> dict[str, Any]:
    """The topic as plain values."""
    result, cycles = topic.result, topic.cycles
    return {
        "topic": topic.topic,
        "defined": result.is_defined,
        "groups": [list(group) for group in result.groups],
        "converged": result.converged,
        "documents": [
            {"docno": item.item, "rank": item.rank, "strength": estimate_to_dict(item.strength),
             "wins": item.wins, "losses": item.losses, "ties": item.ties}
            for item in result.items
        ],
        "circular_triads": cycles.circular,
        "triads": cycles.triads,
        "zeta": cycles.zeta,
        "cycles": [list(cycle) for cycle in cycles.cycles],
    }  # fmt: skip


def _join_names(names: Sequence[str]) -> str:
    return "{" + ", ".join(names[:6]) + (", …" if len(names) > 6 else "") + "}"


def _four(value: float | None) -> str:
    return "null" if value is None else format_score(value)


def _texts(*names: str) -> tuple[Column, ...]:
    return make_columns(*names, left=True)


LIST_FORMATS = make_formats(build_lists_report)
PAIR_FORMATS = make_formats(build_preferences_report)
SCORE_FORMATS = make_formats(build_preference_scores_report)
STRENGTH_FORMATS = make_formats(build_strengths_report)
