"""Score the runs in files against judgments, on one core or several."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from poolbench.commands.files import FileResult
from poolbench.commands.notes import iter_leading_zero_hints, read_scored_run
from poolbench.commands.processes import map_in_order
from poolbench.evaluation.evaluate import ScoredRun, evaluate, score_match
from poolbench.evaluation.judgments import JudgmentTable
from poolbench.evaluation.matching import (
    MatchedRun,
    describe_no_common_topic,
    join_matches,
    match_tables,
)
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.options import ScoringOptions
from poolbench.runs.run_pieces import OddRunError, RunSpan, iter_run_pieces, split_run
from poolbench.runs.tables import QrelsTable, RunTable

Share = RunSpan | str
"""What one process does at a time: a part of a run, or a whole one."""
Outcome = MatchedRun | FileResult[ScoredRun] | None


@dataclass(frozen=True)
class RunScorer:
    """How to score. Without ``judged``, if those were rejected, runs are only read; ``before`` are
    the qrels of earlier rounds. Results omit the measures, which are the same for all runs.
    """

    judged: JudgmentTable | None
    before: QrelsTable | None
    measures: Sequence[Measure]
    options: ScoringOptions

    def score_files(self, paths: Sequence[str], processes: int) -> Iterator[FileResult[ScoredRun]]:
        """The scores of each of ``paths``, in their order; a large run is read by all
        ``processes``.
        """
        shares = [self._list_shares(path, processes) for path in paths]
        listed = [one for own in shares for one in own]
        outcomes = map_in_order(self._do_share, listed, processes)
        for path, own in zip(paths, shares, strict=True):
            yield self._join(path, [next(outcomes) for _ in own])

    def _list_shares(self, path: str, processes: int) -> Sequence[Share]:
        if self.judged is None or self.before is not None:
            return [path]
        try:
            return split_run(path, processes)
        except OddRunError:
            return [path]

    def _do_share(self, share: Share) -> Outcome:
        if isinstance(share, str):
            return self._score_whole(share)
        try:
            match = match_tables(iter_run_pieces(share), self._qrels, self.options)
        except OddRunError:
            return self._score_whole(share.path) if share.is_whole else None
        return self._score_match(share.path, match) if share.is_whole else match

    def _join(self, path: str, outcomes: Sequence[Outcome]) -> FileResult[ScoredRun]:
        if isinstance(outcomes[0], FileResult):
            return outcomes[0]
        matches = [each for each in outcomes if isinstance(each, MatchedRun)]
        topics = [topic for match in matches for topic in match.topics]
        is_one = len({match.tag for match in matches}) == 1
        if len(matches) < len(outcomes) or len(set(topics)) < len(topics) or not is_one:
            return self._score_whole(path)
        return self._score_match(path, join_matches(matches, self._qrels))

    @property
    def _qrels(self) -> JudgmentTable:
        assert self.judged is not None  # noqa: S101 -- for mypy
        return self.judged

    def _score_whole(self, path: str) -> FileResult[ScoredRun]:
        def score(run: RunTable, judged: JudgmentTable) -> ScoredRun:
            return _drop_measures(
                evaluate(run, judged, self.measures, self.options, remove=self.before)
            )

        return read_scored_run(path, self.judged, score, iter_leading_zero_hints)

    def _score_match(self, path: str, match: MatchedRun) -> FileResult[ScoredRun]:
        hints = [f"{path}: {text}" for text in iter_leading_zero_hints(match, self._qrels)]
        if fault := describe_no_common_topic(match, self._qrels.topics):
            return FileResult(None, [f"{path}: {fault}.", *hints], rejected=True)
        scored = score_match(match, self._qrels, self.measures, self.options)
        return FileResult(_drop_measures(scored), hints)


def _drop_measures(scored: ScoredRun) -> ScoredRun:
    return replace(scored, measures=(), spellings=())
