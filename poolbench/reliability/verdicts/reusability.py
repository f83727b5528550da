"""The verdict on a collection: can it score runs that did not contribute to its pool?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from poolbench.evaluation.evaluate import TRUST_DEPTH
from poolbench.evaluation.judgments import Floats, Ints, Mask
from poolbench.evaluation.measures.family import Measure
from poolbench.evaluation.measures.names import parse_measure
from poolbench.evaluation.measures.titles import format_measure_title
from poolbench.number_formats import format_decimals, format_percent, is_reached
from poolbench.reliability.collection.inputs import PooledCollection
from poolbench.reliability.collection.kinds import SAME_KIND, find_kinds
from poolbench.reliability.collection.leave_one_group_out import score_without_group
from poolbench.reliability.collection.left_out_groups import (
    SMALL_MOVE,
    LeftOutGroups,
    find_different_runs,
    find_low_quantile,
    measure_left_out_groups,
)
from poolbench.statistics.estimate import nan_to_none
from poolbench.verdicts import Act, KeyFigure, Threshold, Verdict, VerdictState, finish_verdict

COLLECTION = "collection"
OURS = "Poolbench, decision 0068"
MOST_MOVED = Threshold(
    "collection-moved",
    0.1,
    "Share of the teams, and of the kinds, that move when left out, at most",
    "Zobel, SIGIR 1998; Buckley and Voorhees in TREC overviews leave out teams; a run moves by "
    "more than a place and 5 % of the runs, a tau of .9 with the others (Voorhees, IP&M 2000); "
    "the limit is ours",
)
MOST_CROSSED = Threshold(
    "collection-crossed",
    0.01,
    "Share of the significantly different pairs whose order changes, at most",
    "Poolbench, decision 0068; Holm, Scandinavian Journal of Statistics 1979",
)
LEAST_JUDGED = Threshold(
    "collection-judged",
    0.9,
    "Judged@k of contributing runs, one in ten aside, at least",
    "Poolbench, decision 0068; unjudged documents count as not relevant (Buckley and Voorhees, "
    "SIGIR 2004)",
)
LEAST_OF_TEAMS = Threshold(
    "collection-teams-judged", 0.85, "Judged@k of teams left out, one in ten aside, at least", OURS
)
LEAST_OF_KINDS = Threshold(
    "collection-kinds-judged", 0.7, "Judged@k of kinds left out, one in ten aside, at least", OURS
)
GOOD_TEAMS = Threshold(
    "collection-good-teams", 5, "Teams without which no collection is called reusable", OURS
)
GOOD_KINDS = Threshold(
    "collection-good-kinds", 3, "Kinds without which no collection is called reusable", OURS
)
GOOD_TOPICS = Threshold(
    "collection-good-topics", 10, "Topics without which no collection is called reusable", OURS
)
LEAST_TEAMS = Threshold("collection-teams", 3, "Teams for a verdict, at least", OURS)
LEAST_POOL = Threshold(
    "collection-pool", 0.5, "Share of the pool judged for a verdict, at least", OURS
)
NO_GROUPS = LeftOutGroups()
QUESTION = "Who can use these qrels, for which measures?"
THRESHOLDS = (
    MOST_MOVED, MOST_CROSSED, LEAST_JUDGED, LEAST_OF_TEAMS, LEAST_OF_KINDS, GOOD_TEAMS, GOOD_KINDS,
    GOOD_TOPICS, LEAST_TEAMS, LEAST_POOL,
)  # fmt: skip


@dataclass(frozen=True)
class CollectionReport:
    """``of_half``: teams left out of a pool half as deep, if the measure reads below pools.
    ``kinds``: the contributing runs of each kind, the largest first. ``judged`` is
    judged@``cut`` of each contributing run, ``others`` that of the runs that did not contribute.
    Of ``pooled`` documents ``unjudged`` ones have no grade.
    """

    measure: str
    cut: int
    topics: int
    runs: int
    by_team: LeftOutGroups = NO_GROUPS
    by_kind: LeftOutGroups = NO_GROUPS
    kinds: Sequence[Sequence[str]] = ()
    judged: Mapping[str, float | None] = field(default_factory=dict)
    others: Mapping[str, float | None] = field(default_factory=dict)
    pooled: int = 0
    unjudged: int = 0
    reason: str = ""
    of_half: LeftOutGroups = NO_GROUPS

    @property
    def teams(self) -> int:
        """How many contributed."""
        return len(self.by_team.places)

    @property
    def pool_judged(self) -> float:
        return 1 - self.unjudged / self.pooled if self.pooled else 0.0

    @property
    def low_judged(self) -> float:
        """Nine of ten contributing runs have this judged@k or more."""
        return find_low_quantile([share or 0.0 for share in self.judged.values()])

    def is_like_contributors(self, share: float) -> bool:
        """Whether judged@k of a new run is that of teams that were left out, one in ten aside."""
        return is_reached(self.by_team.low_judged, share)


def compute_collection(collection: PooledCollection, measure: Measure) -> CollectionReport:
    """Every team and every kind with a contributing run left out in turn, by a measure for which
    higher is better (``can_rank_by``).
    """
    cut = measure_cut(measure)
    (trust,) = parse_measure(f"judged_{cut}")
    scores = collection.score([measure, trust])
    different = find_different_runs(collection.tags, collection.score_topics([measure])[0])
    kinds = find_kinds(collection)
    pool, pooled = collection.pool, collection.is_pooled
    judged = (pool.place >= 0) & collection.is_judged[pool.place]

    def leave_out(
        groups: Ints, source: PooledCollection = collection, now: Floats = scores
    ) -> LeftOutGroups:
        without = score_without_group(source, [measure, trust], now, groups)
        left, share = without.T
        return measure_left_out_groups(
            collection.tags, groups, pooled, different, scores[:, 0], left, share, now[:, 0]
        )

    of_half = NO_GROUPS
    if can_read_below_pool(measure):
        half = collection.cut_pool(max(1, pool.depth // 2))
        of_half = leave_out(collection.by_team, half, half.score([measure, trust]))
    return CollectionReport(
        measure=format_measure_title(measure.name, over_topics=True),
        cut=cut,
        topics=len(collection.judged.topics),
        runs=len(collection.tags),
        by_team=leave_out(collection.by_team),
        by_kind=leave_out(kinds),
        kinds=_list_kinds(collection.tags, kinds),
        judged=_shares_by_tag(collection.tags, scores[:, 1], pooled),
        others=_shares_by_tag(collection.tags, scores[:, 1], ~pooled),
        pooled=len(judged),
        unjudged=int(np.count_nonzero(~judged)),
        reason="" if (~np.isnan(scores[pooled, 0])).any() else "no run has a score",
        of_half=of_half,
    )


def measure_cut(measure: Measure) -> int:
    """The cut-off of the measure, else that of judged@k with all scores."""
    cut = dict(measure.params).get("k")
    return cut if isinstance(cut, int) else TRUST_DEPTH


def can_read_below_pool(measure: Measure) -> bool:
    """Whether it has no cut-off. Reciprocal rank has none either, but reads to the first relevant
    document only: the replay finds its verdicts as right as those at a cut-off.
    """
    has_cut = isinstance(dict(measure.params).get("k"), int)
    return not has_cut and measure.family.name != "recip_rank"


def _list_kinds(tags: Sequence[str], kinds: Ints) -> list[list[str]]:
    members = [
        [tags[run] for run in np.flatnonzero(kinds == kind).tolist()]
        for kind in range(int(kinds.max(initial=-1)) + 1)
    ]
    return sorted(members, key=lambda runs: (-len(runs), runs))


def _shares_by_tag(tags: Sequence[str], shares: Floats, selected: Mask) -> dict[str, float | None]:
    return {tags[run]: nan_to_none(shares[run]) for run in np.flatnonzero(selected).tolist()}


def judge_collection(report: CollectionReport) -> Verdict:
    return finish_verdict(_decide_collection(report), THRESHOLDS)


def _decide_collection(report: CollectionReport) -> Verdict:
    if why := _find_obstacle(report):
        return Verdict(
            COLLECTION,
            VerdictState.UNKNOWN,
            f"Whether new runs are scored fairly cannot be determined: {why}.",
            "Leaving out a team shows how the runs of one that did not contribute would be scored, "
            f"once {format_percent(LEAST_POOL.value)} of the pool are judged.",
            _list_moved_figures(report),
            _list_collection_acts(report, VerdictState.UNKNOWN),
        )
    state, sentence = _judge_moves(report)
    return Verdict(
        COLLECTION,
        state,
        sentence,
        _write_collection_reason(report),
        _list_moved_figures(report),
        _list_collection_acts(report, state),
    )


def _find_obstacle(report: CollectionReport) -> str:
    """Why there is no answer, if there is none."""
    least_teams = int(LEAST_TEAMS.value)
    if not report.judged or report.reason:
        return report.reason or "no run contributed to the pool"
    if report.teams < least_teams:
        return f"{report.teams} of at least {least_teams} teams contributed to the pool"
    if not is_reached(LEAST_POOL.value, report.pool_judged):
        share = format_percent(report.pool_judged, limit=LEAST_POOL.value)
        return f"{share} of the pool is judged"
    return ""


def _judge_moves(report: CollectionReport) -> tuple[VerdictState, str]:
    measure, teams, kinds = report.measure, report.by_team, len(report.kinds)
    if fault := next(_list_faults_by_team(report), None):
        return VerdictState.AMBER, f"By {measure}, treat new runs with care: {fault}."
    if report.of_half.places:
        return VerdictState.UNKNOWN, (
            f"Whether new runs are scored fairly by {measure} cannot be determined: it reads below "
            f"the pool; left out of half of it, {_count_moved(report.of_half, 'teams')}."
        )
    scope = "kind" if kinds == 1 else f"{kinds} kinds"
    fair = f"New runs of the {scope} that contributed are scored fairly by {measure}"
    if fault := next(_list_faults_by_kind(report), None):
        return VerdictState.AMBER, f"{fair}; treat others with care: {fault}."
    return VerdictState.GOOD, (f"{fair}: left out in turn, {_count_moved(teams, 'teams')}.")


def _list_faults_by_team(report: CollectionReport) -> Iterator[str]:
    """What keeps new runs like the contributing ones from being scored fairly, worst first."""
    teams = report.by_team
    if not is_reached(LEAST_JUDGED.value, report.low_judged):
        low = _format_judged(report, report.low_judged, LEAST_JUDGED)
        yield f"some contributing runs have {low}"
    yield from _list_moves(teams, "teams")
    yield from _list_moves(report.of_half, "teams", " of a pool half as deep")
    if not is_reached(LEAST_OF_TEAMS.value, teams.low_judged):
        low = _format_judged(report, teams.low_judged, LEAST_OF_TEAMS)
        yield f"left out, some teams have {low}"
    if report.teams < GOOD_TEAMS.value:
        yield f"only {report.teams} teams contributed"
    if report.topics < GOOD_TOPICS.value:
        yield f"there are only {report.topics} topics"


def _list_faults_by_kind(report: CollectionReport) -> Iterator[str]:
    """What speaks against runs of another kind, worst first."""
    kinds = report.by_kind
    if len(report.kinds) < GOOD_KINDS.value:
        count = "1 kind" if len(report.kinds) == 1 else f"{len(report.kinds)} kinds"
        yield f"all {len(report.judged)} runs are of {count}"
    yield from _list_moves(kinds, "kinds")
    if not is_reached(LEAST_OF_KINDS.value, kinds.low_judged):
        low = _format_judged(report, kinds.low_judged, LEAST_OF_KINDS)
        yield f"left out, some kinds have {low}"


def _list_moves(groups: LeftOutGroups, name: str, of_what: str = "") -> Iterator[str]:
    if groups.moved_share > MOST_MOVED.value:
        places = _count_places(groups)
        yield f"left out{of_what}, {_count_moved(groups, name)} by more than {places}"
    if groups.crossed_share > MOST_CROSSED.value:
        pairs = f"{_count_crossed(groups)} significantly different runs"
        yield f"left out{of_what}, {name} pass {pairs}"


def _count_moved(groups: LeftOutGroups, name: str) -> str:
    verb = "moves" if groups.moved < 2 else "move"
    return f"{groups.moved or 'none'} of {len(groups.places)} {name} {verb}"


def _count_places(groups: LeftOutGroups) -> str:
    return "1 place" if groups.allowed == 1 else f"{groups.allowed} places"


def _count_crossed(groups: LeftOutGroups) -> str:
    return f"{groups.crossed} of {groups.different}"


def _format_judged(report: CollectionReport, share: float, limit: Threshold) -> str:
    return f"judged@{report.cut} of {format_decimals(share, 2, limit=limit.value)} or less"


def _write_collection_reason(report: CollectionReport) -> str:
    low = format_decimals(report.by_team.low_judged, 2)
    half = (
        f"{report.measure} depends on documents below the pool. Where the same held of a pool half "
        "as deep, a new run was out of place in 6 of 82 replayed campaigns. "
        if report.of_half.places
        else ""
    )
    return (
        "Each team, and each kind of runs, was left out in turn: its runs were scored without the "
        "documents that only they contributed (Zobel 1998). Runs are of one kind if on average "
        f"they share {format_percent(SAME_KIND)} of the documents that they contributed. Reusable "
        f"means that at most {format_percent(MOST_MOVED.value)} of the teams and of the kinds move "
        f"by more than {_count_places(report.by_team)} ({format_percent(SMALL_MOVE)} of the runs, "
        f"but 1 place at least) or pass significantly different runs. {half}A run that did not "
        f"contribute is like those that did if its judged@{report.cut} is {low} or more; its page "
        "says so."
    )


def _list_moved_figures(report: CollectionReport) -> tuple[KeyFigure, ...]:
    teams, kinds = report.by_team, report.by_kind
    share = f"judged@{report.cut}"
    low, of_kinds = (format_decimals(each.low_judged, 2) for each in (teams, kinds))
    undefined = report.reason or "no run contributed"
    return (
        _show_moved(teams, "teams", f"furthest: {teams.furthest}" if teams.furthest else ""),
        _show_moved(kinds, "kinds of runs", f"pass {_count_crossed(kinds)} different runs"),
        KeyFigure(
            f"{share} of teams left out, one in ten aside, at least",
            teams.low_judged if report.judged else None,
            low if report.judged else "–",
            f"of kinds left out: {of_kinds}, of contributing runs: "
            f"{format_decimals(report.low_judged, 2)}"
            if report.judged
            else undefined,
            good=(LEAST_OF_TEAMS.value, 1.0),
            word="judged@k",
        ),
        KeyFigure(
            "kinds of runs contributed to the pool",
            float(len(report.kinds)),
            f"{len(report.kinds)}",
            f"teams: {report.teams}, runs: {len(report.judged)}",
            good=(GOOD_KINDS.value, max(20.0, len(report.kinds))),
            scale=(0.0, max(20.0, float(len(report.kinds)))),
        ),
    )


def _show_moved(groups: LeftOutGroups, name: str, note: str) -> KeyFigure:
    known = bool(groups.places)
    return KeyFigure(
        f"of the {name} move when left out",
        groups.moved_share if known else None,
        f"{groups.moved} of {len(groups.places)}" if known else "–",
        note if known else "",
        good=(0.0, MOST_MOVED.value),
        word="leave-one-group-out",
    )


def _list_collection_acts(report: CollectionReport, state: VerdictState) -> tuple[Act, ...]:
    look = Act("Look at the qrels versions", "qrels-list")
    deeper = Act("Simulate a deeper pool", "simulation")
    if report.of_half.places and state is VerdictState.UNKNOWN and not _find_obstacle(report):
        return (Act("Rank the runs by a measure with a cut-off", "campaign-settings"), deeper)
    if state is VerdictState.UNKNOWN:
        rest = Act("Let the rest of the pool be judged", "judging", documents=report.unjudged)
        is_short = report.teams >= LEAST_TEAMS.value and report.unjudged
        return (rest,) if is_short else (Act("Look at runs and teams", "runs"),)
    return (look,) if state is VerdictState.GOOD else (deeper, look)
