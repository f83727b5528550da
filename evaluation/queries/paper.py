"""The results of a team for a paper, with nothing that its members may not see."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress

from django.contrib.auth.models import AnonymousUser

from campaigns.models import Campaign, Team, User
from campaigns.services.rows import AT_ONCE
from evaluation.models import LABELS, ScoreSet
from evaluation.queries.comparison import (
    MOST_DRAWS_BESIDE,
    SignificanceChoice,
    compare_all_runs,
    count_draws,
    get_fixed_test,
    mark_best_entries,
)
from evaluation.queries.kinds import find_pool
from evaluation.queries.leaderboard import (
    Leaderboard,
    LeaderboardEntry,
    get_leaderboard,
    rank_entries,
)
from evaluation.queries.score_sets import (
    ScoreReader,
    get_reader,
    list_score_sets_for,
    participant_reader,
)
from judging.models import Qrels
from judging.queries.judgments import qrels_table
from poolbench.cache import Cache
from poolbench.evaluation.comparison.marks import describe_test
from poolbench.evaluation.evaluate import product_version
from poolbench.evaluation.measures.titles import format_measure_title
from poolbench.evaluation.paper.results import (
    MOST_MEASURES,
    PaperConditions,
    PaperMeasure,
    PaperResults,
    PaperRun,
    PaperTopic,
    SignificantPairs,
    sort_by_lead,
)
from poolbench.files.natural_sort import natural_sort_key
from poolbench.statistics.box_plot import summarize_as_box
from pooling.models import Pool

DEFAULTS = ("ndcg_cut_10", "map", "P_10", "recip_rank")
TRUST = "judged_10"
_judged: Cache[tuple[object, ...], tuple[int, int]] = Cache(100)
"""By pool and qrels."""


@dataclass(frozen=True)
class PaperSource:
    """What a paper is made of: a score set and a team. Either is None where there is none yet;
    ``teams`` are those to choose from.
    """

    campaign: Campaign
    reader: ScoreReader
    score_set: ScoreSet | None
    team: Team | None
    teams: Sequence[Team]


class UnknownTeamError(LookupError):
    """The team does not exist, or is not the reader's."""


def find_paper_source(
    user: User | AnonymousUser,
    campaign: Campaign,
    name: str = "",
    pk: int | None = None,
    task: str = "",
) -> PaperSource:
    """The team ``name`` (by default the reader's, for organizers the first with runs), and the
    latest released scores; for organizers, where there are none, the latest.

    ``pk`` asks for another score set that the reader may open, ``task`` for those of a task.
    Raises ``UnknownTeamError`` for a
    team that is not the reader's own.
    """
    reader = get_reader(user, campaign)
    teams = list(campaign.teams.order_by("name"))
    if not reader.is_organizer:
        teams = [team for team in teams if reader.owns(team.pk)]
    sets = list_score_sets_for(campaign, reader)
    sets = sets.filter(task__slug=task) if task else sets
    score_set = sets.filter(pk=pk).first() if pk else find_current_set(list(sets))
    return PaperSource(campaign, reader, score_set, choose_team(teams, name), teams)


def find_current_set(sets: Sequence[ScoreSet]) -> ScoreSet | None:
    """The latest released one; without any, the latest."""
    released = [each for each in sets if each.released_at]
    return max(released, key=lambda each: (each.released_at, each.pk)) if released else (
        sets[0] if sets else None
    )  # fmt: skip


def choose_team(teams: Sequence[Team], name: str) -> Team | None:
    if not name:
        return teams[0] if teams else None
    named = [team for team in teams if team.name == name]
    if not named:
        raise UnknownTeamError(name)
    return named[0]


def get_paper_results(
    score_set: ScoreSet, team: Team, measures: Sequence[str] = ()
) -> PaperResults | None:
    """The results of ``team`` as its members see them, also for an organizer; None if no measure
    compares runs by topic.
    """
    reader = participant_reader(score_set.campaign, team)
    leaderboard = get_leaderboard(score_set, reader)
    names = choose_paper_measures(leaderboard, measures)
    if not names:
        return None
    ranked, undefined = rank_entries(leaderboard, names[0])
    own = [entry for entry in (*ranked, *undefined) if entry.own]
    signs = {name: mark_best_entries(leaderboard, rank_entries(leaderboard, name)[0], name)
             for name in names}  # fmt: skip
    results = PaperResults(
        team=team.name,
        measures=tuple(describe_measure(leaderboard, name) for name in names),
        runs=tuple(
            PaperRun(
                tag=entry.tag,
                means=tuple(entry.means[name] for name in names),
                places=tuple(leaderboard.find_place(entry, name) for name in names),
                marks=tuple(signs[name].get(entry.tag, "") for name in names),
                is_withdrawn=entry.withdrawn_at is not None,
                is_after_release=entry.after_release,
                intervals=tuple(
                    entry.estimates[name].estimate for name in names if entry.estimates
                ),
            )
            for entry in own
        ),
        spreads=tuple(leaderboard.best_median_worst(name) for name in names),
        count=len(leaderboard.means),
        topics=(),
        conditions=describe_conditions(leaderboard, own),
        notes=explain_marks(leaderboard, own, signs),
        pairs=count_significant_pairs(leaderboard, own, names[0]),
    )
    return replace(results, topics=list_paper_topics(leaderboard, own, results.main))


def choose_paper_measures(leaderboard: Leaderboard, requested: Sequence[str]) -> list[str]:
    """Of the measures that compare runs by topic: those requested, those of the campaign, or the
    usual ones; at most ``MOST_MEASURES``.
    """
    possible = list_paper_measures(leaderboard)
    own = leaderboard.score_set.campaign.measures
    for names in (requested, own, DEFAULTS, possible):
        chosen = [name for name in dict.fromkeys(names) if name in possible and name != TRUST]
        if chosen:
            return chosen[:MOST_MEASURES]
    return []


def list_paper_measures(leaderboard: Leaderboard) -> list[str]:
    return [m.name for m in leaderboard.measures if m.compares and m.name != TRUST]


def describe_measure(leaderboard: Leaderboard, name: str) -> PaperMeasure:
    title = format_measure_title(name)
    mean_title = format_measure_title(name, over_topics=True)
    return PaperMeasure(name, title, mean_title, leaderboard.better(name))


def list_paper_topics(
    leaderboard: Leaderboard, own: Sequence[LeaderboardEntry], measure: PaperMeasure
) -> tuple[PaperTopic, ...]:
    """The first own run by topic. How the scores of all runs are distributed is only for those
    who see all runs.
    """
    if not own:
        return ()
    titles = dict(leaderboard.score_set.campaign.topics.values_list("number", "title"))
    spreads = leaderboard.best_median_worst_by_topic(measure.name)
    values = leaderboard.values(own[0], measure.name)
    columns = leaderboard.tables[:, :, leaderboard.column(measure.name)].T
    topics = [
        PaperTopic(
            number,
            titles.get(number, ""),
            value,
            spread,
            measure.lead(value, spread.median),
            summarize_as_box(column) if leaderboard.reader.sees_all_runs else None,
        )
        for number, value, spread, column in zip(
            leaderboard.topics, values, spreads, columns, strict=True
        )
    ]
    topics.sort(key=lambda topic: natural_sort_key(topic.number))
    return sort_by_lead(topics)


def describe_conditions(
    leaderboard: Leaderboard, own: Sequence[LeaderboardEntry]
) -> PaperConditions:
    score_set = leaderboard.score_set
    qrels, campaign = score_set.qrels, score_set.campaign
    judged = own[0].means.get(TRUST) if own else None
    choice = get_fixed_test(score_set)
    return PaperConditions(
        campaign=campaign.title,
        slug=campaign.slug,
        qrels=qrels.version,
        qrels_sha256=qrels.sha256,
        label=score_set.label,
        topics=len(score_set.topics),
        judged=judged,
        pool=describe_pool(score_set),
        test=describe_fixed_test(leaderboard, choice),
        evaluated=score_set.created_at.date(),
        provenance={"product": product_version(), **score_set.provenance},
        website=campaign.website,
        citation=campaign.citation.strip(),
        late=score_set.runs.filter(run__after_release=True).count(),
        task=str(score_set.task or ""),
        reading=score_set.label_reading if score_set.kind in LABELS else "",
    )


def describe_fixed_test(leaderboard: Leaderboard, choice: SignificanceChoice) -> str:
    """The preregistered test in words, where it was or could be computed."""
    measures = [measure.name for measure in leaderboard.measures if measure.compares]
    if not measures or not can_test(leaderboard, choice):
        return ""
    return describe_test(compare_all_runs(leaderboard, measures[0], choice))


def can_test(leaderboard: Leaderboard, choice: SignificanceChoice) -> bool:
    """Whether there are pairs, and the test is quick enough for a page."""
    draws, pairs, topics = count_draws(leaderboard, choice)
    return pairs > 0 and draws * pairs * topics <= MOST_DRAWS_BESIDE


def describe_pool(score_set: ScoreSet) -> str:
    """The latest pool before the qrels were frozen, by its spec in words, and how much of it has a
    grade in them.
    """
    pool = find_pool(score_set.qrels, score_set.task)
    if pool is None:
        return ""
    judged, size = count_judged_documents(pool, score_set.qrels)
    return f"{pool.method} (pool {pool.version}, {judged:,} of {size:,} documents judged)"


def count_judged_documents(pool: Pool, qrels: Qrels) -> tuple[int, int]:
    """How many documents of the pool have a grade, and how many it has."""

    def count() -> tuple[int, int]:
        table = qrels_table(qrels)
        rows, graded = map(table.rows, range(len(table.topics))), table.grades >= 0
        judged = {
            number: set(compress(table.docnos[own], graded[own].tolist()))
            for number, own in zip(table.topics, rows, strict=True)
        }
        numbers = dict(pool.campaign.topics.values_list("pk", "number"))
        by_topic = {pk: judged.get(number, set()) for pk, number in numbers.items()}
        documents = pool.items.order_by().values_list("topic", "docno")
        counts = Counter(
            docno in by_topic[topic] for topic, docno in documents.iterator(chunk_size=AT_ONCE)
        )
        return counts[True], counts.total()

    if pool.is_adaptive:
        # It grows.
        return count()
    return _judged.get_or_compute((pool.pk, pool.frozen_at, qrels.sha256), count)


def explain_marks(
    leaderboard: Leaderboard, own: Sequence[LeaderboardEntry], signs: dict[str, dict[str, str]]
) -> tuple[str, ...]:
    """What the marks of own runs mean. Runs that are not shown were not compared with."""
    tags = {entry.tag for entry in own}
    used = {sign for by_tag in signs.values() for tag, sign in by_tag.items() if tag in tags}
    test = describe_fixed_test(leaderboard, get_fixed_test(leaderboard.score_set))
    among = "run of the campaign" if leaderboard.reader.sees_all_runs else "run of the team"
    notes = []
    if "*" in used:
        notes.append(f"*: significantly better than every other {among}.")
    if "†" in used:
        notes.append(f"†: significantly worse than the best {among}.")
    return (*notes, *([f"Significance: {test}."] if test and notes else []))


def count_significant_pairs(
    leaderboard: Leaderboard, own: Sequence[LeaderboardEntry], name: str
) -> SignificantPairs | None:
    """Only for those who see all runs: otherwise nothing is said of the others."""
    choice = get_fixed_test(leaderboard.score_set)
    if not own or not leaderboard.reader.sees_all_runs or not can_test(leaderboard, choice):
        return None
    best, sign = str(own[0].run), -1.0 if leaderboard.lower_is_better(name) else 1.0
    leads = [
        sign * (row.difference or 0.0) * (1.0 if row.first == best else -1.0)
        for row in compare_all_runs(leaderboard, name, choice).different
        if best in (row.first, row.second)
    ]
    worse = sum(lead > 0 for lead in leads)
    return SignificantPairs(len(leaderboard.means) - 1, worse, len(leads) - worse)
