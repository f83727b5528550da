"""Interleaving, preferences from clicks, and what they say about runs and documents."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from poolbench.files.name_lists import choose_named
from poolbench.files.streams import read_bytes
from poolbench.notebooks import Frame, ResultTable, make_frame
from poolbench.preferences.click_log import read_click_log
from poolbench.preferences.formats import PAIR_COLUMNS
from poolbench.preferences.interleaved_runs import InterleavedRuns, interleave_runs
from poolbench.preferences.preference_pairs import (
    PreferenceRecord,
    count_clicked_pairs,
    group_preferences,
)
from poolbench.preferences.preference_score import (
    PreferenceScore,
    count_own_lists,
    list_rankings,
    score_run_by_preferences,
)
from poolbench.preferences.preference_table import PreferenceFile, read_preferences
from poolbench.preferences.strengths import StrengthReport, compute_strengths
from poolbench.runs.inputs import File, RunLike, RunsLike, read_run, read_runs, source_name
from poolbench.statistics.draws import ResamplingOptions

PreferencesLike: TypeAlias = "File | PreferenceFile | Iterable[tuple[str, str, str]]"


@dataclass(frozen=True)
class ClickPreferences(ResultTable):
    """Preferences derived from ``sessions`` of clicks."""

    records: tuple[PreferenceRecord, ...]
    sessions: int

    def __repr__(self) -> str:
        return f"<ClickPreferences: {len(self.records)} pairs from {self.sessions} sessions>"

    def to_frame(self) -> Frame:
        """A row per pair: topic, better, worse, times, tie, judge."""
        rows = [(r.topic, r.better, r.worse, r.times, int(r.tie), r.judge) for r in self.records]
        return make_frame(rows, columns=list(PAIR_COLUMNS))


@dataclass(frozen=True)
class PreferenceScores(ResultTable):
    """The shares of preferences that runs keep."""

    runs: tuple[PreferenceScore, ...]

    def __getitem__(self, tag: str) -> PreferenceScore:
        """The run with this tag."""
        return choose_named({score.run: score for score in self.runs}, tag, "run")

    def to_frame(self) -> Frame:
        """A row per run: macro and micro with intervals, kept, preferences, own_lists."""
        rows: list[dict[str, Any]] = [
            {
                "macro": score.macro.value, "macro_low": score.macro.low,
                "macro_high": score.macro.high, "micro": score.micro.value,
                "micro_low": score.micro.low, "micro_high": score.micro.high,
                "kept": score.satisfied, "preferences": score.total, "own_lists": score.own_lists,
            }
            for score in self.runs
        ]  # fmt: skip
        return make_frame(rows, index=[score.run for score in self.runs])


def interleave(
    a: RunLike, b: RunLike, *, method: str = "team-draft", seed: int = 0, depth: int | None = 10
) -> InterleavedRuns:
    """Interleave two runs into one list per topic.

    Parameters
    ----------
    a, b
        Runs as in ``read_run``.
    method : str
        ``"team-draft"``, ``"balanced"`` or ``"alternating"``.
    seed : int
        Draws who starts; the list of a topic depends on seed and topic only.
    depth : int, optional
        Documents of a list; None: until one run ends.

    Returns
    -------
    InterleavedRuns
        ``lists[topic]`` has ``documents`` and ``by``; ``to_frame()`` a row per document.

    Raises
    ------
    InvalidFile, ValueError

    Examples
    --------
    >>> import poolbench as pb
    >>> a, b = {"1": {"x": 2.0, "y": 1.0}}, {"1": {"y": 2.0, "z": 1.0}}
    >>> pb.interleave(a, b, seed=1).lists["1"].documents
    ('y', 'x')
    """
    first, second = read_run(a), read_run(b)
    return interleave_runs(
        (first.tag, list_rankings(first)),
        (second.tag, list_rankings(second)),
        method=method,
        seed=seed,
        depth=depth,
    )


def click_preferences(clicks: File) -> ClickPreferences:
    """Derive preferences from clicks: a clicked document above those that stood higher and were
    not clicked.

    Parameters
    ----------
    clicks : path or bytes
        A click log: JSON Lines with session, topic, shown, clicks.

    Returns
    -------
    ClickPreferences
        ``records``, ``sessions``; ``to_frame()`` has a row per pair.

    Raises
    ------
    InvalidFile
        With every fault by line and column.

    Examples
    --------
    >>> import poolbench as pb
    >>> log = b'{"session": "s", "topic": "1", "shown": ["a", "b"], "clicks": ["b"]}'
    >>> pb.click_preferences(log)
    <ClickPreferences: 1 pairs from 1 sessions>
    """
    log = read_click_log(read_bytes(clicks), file=source_name(clicks))
    return ClickPreferences(tuple(count_clicked_pairs(log.pairs)), log.sessions)


def score_preferences(
    runs: RunsLike, preferences: PreferencesLike, *, seed: int = 0, resamples: int = 10_000
) -> PreferenceScores:
    """Score runs by the share of preferences that they keep.

    Parameters
    ----------
    runs : dict by run tag, or iterable
        See ``read_runs``.
    preferences : path, bytes, or iterable of (topic, better, worse)
        A table or a click log.
    seed, resamples : int
        Of the intervals, which resample topics.

    Returns
    -------
    PreferenceScores
        ``to_frame()`` has a row per run; ``own_lists`` above 0 marks a run whose lists were
        clicked.

    Raises
    ------
    InvalidFile, ValueError

    Examples
    --------
    >>> import poolbench as pb
    >>> scores = pb.score_preferences({"x": {"1": {"a": 2.0, "b": 1.0}}}, [("1", "a", "b")])
    >>> scores["x"].macro.value
    1.0
    """
    table = load_preferences(preferences)
    grouped, sampling = group_preferences(table.records), ResamplingOptions(seed, resamples)
    scores = []
    for run in read_runs(runs):
        rankings = list_rankings(run)
        own = count_own_lists(table.log, run.tag, rankings) if table.log else 0
        scores.append(score_run_by_preferences(run.tag, rankings, grouped, sampling, own))
    return PreferenceScores(tuple(scores))


def bradley_terry(preferences: PreferencesLike, *, prior: float = 0.0) -> StrengthReport:
    """Bradley–Terry strengths of the documents of each topic, with cycles.

    Parameters
    ----------
    preferences : path, bytes, or iterable of (topic, better, worse)
        A table or a click log.
    prior : float
        Wins and losses of each document against one of strength 0; above 0 every strength is
        defined.

    Returns
    -------
    StrengthReport
        ``topics`` with ``result`` and ``cycles``; ``to_frame()`` has a row per document.

    Raises
    ------
    InvalidFile, ValueError

    Examples
    --------
    >>> import poolbench as pb
    >>> pairs = [("1", "a", "b")] * 3 + [("1", "b", "a")]
    >>> round(pb.bradley_terry(pairs).topics[0].result.items[0].strength.value, 3)
    0.549
    """
    return compute_strengths(load_preferences(preferences).records, prior)


def load_preferences(source: PreferencesLike) -> PreferenceFile:
    """The preferences of a file or of tuples."""
    if isinstance(source, PreferenceFile):
        return source
    if isinstance(source, Iterable) and not isinstance(source, str | bytes):
        return PreferenceFile(tuple(PreferenceRecord(*pair) for pair in source))
    return read_preferences(read_bytes(source), file=source_name(source))
