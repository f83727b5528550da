"""Replay the rules of the verdicts on campaigns whose truth is known, and count wrong answers.

verdicts_replay.py --campaigns 8       the next 8 campaigns of each simulated kind
verdicts_replay.py --data DATA         also parts of real campaigns
verdicts_replay.py --only stopping --kinds "few topics" --counts COUNTS

Counts are added to ``verdict_counts.csv``, from which ``verdict_tables.py`` writes the tables of
the documentation: each run goes on with the campaign after the last one that was counted.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.verdict_campaigns import (  # noqa: E402
    SIMULATED,
    ReplayCampaign,
    judging_order,
    mask_grades,
    paired_p,
)
from benchmarks.verdict_real_campaigns import EIGHT, FEW_RUNS, REAL, draw_campaign  # noqa: E402
from benchmarks.verdict_scorer import CUT, MEASURES, TOP_TEN  # noqa: E402
from benchmarks.verdict_tables import (  # noqa: E402
    ALIKE,
    COUNTS,
    FIRST,
    Counts,
    count_answer,
    print_tables,
    read_counts,
    write_counts,
)
from poolbench.evaluation.comparison.compare import compare_all  # noqa: E402
from poolbench.evaluation.lead_bounds import compute_lead_bounds  # noqa: E402
from poolbench.evaluation.leader_verdict import LeaderboardReport, judge_leaderboard  # noqa: E402
from poolbench.evaluation.measures.names import parse_measure  # noqa: E402
from poolbench.judging.agreement.labels import MISSING, LabelTable  # noqa: E402
from poolbench.judging.agreement.panel import agreement_report  # noqa: E402
from poolbench.judging.agreement.report import RankingEffect  # noqa: E402
from poolbench.reliability.disagreement.ballots import ABSENT  # noqa: E402
from poolbench.reliability.verdicts.agreement import judge_agreement  # noqa: E402
from poolbench.reliability.verdicts.ranking_draws import (  # noqa: E402
    correlate_rankings,
    draw_rest_of_pool,
    measure_second_opinions,
    rank_competitors,
)
from poolbench.reliability.verdicts.reusability import compute_collection, judge_collection  # noqa: E402
from poolbench.reliability.verdicts.stopping import (  # noqa: E402
    STILL,
    StoppingReport,
    judge_stopping,
    summarize_rest,
)
from poolbench.statistics.draws import ResamplingOptions  # noqa: E402
from poolbench.statistics.estimate import Estimate  # noqa: E402
from poolbench.verdicts import VerdictState  # noqa: E402

REPORT = 5_000_000
"""The first seed. Rules were tuned on those from 1,000,000, 2,000,000 and 4,000,000 on."""
DRAWS, MOST_DRAWS = 100, 500
MOST_PLACES = 20_000_000
"""Places of documents in runs scored for the draws of one moment, beyond which they are fewer."""
MOMENTS = np.array([0.5, 0.7, 0.8, 0.84, 0.88, 0.92, 0.95, 0.98])
SAME, PRACTICALLY_SAME = 0.95, 0.9
Said = tuple[str, VerdictState, bool]
"""The measure, what was said, and whether "good" would have been wrong."""


# ---------- leaderboard: "good" is wrong if the first is not first by noiseless judgments of
# everything, red wrong if it is, and tau with that ranking at least .9


def replay_leaderboard(campaign: ReplayCampaign, seed: int) -> Iterator[Said]:
    """Of every second campaign with the runs that did not contribute."""
    generator = np.random.default_rng([seed, 1])
    share = float(generator.choice([1.0, 1.0, 1.0, 0.95, 0.85]))
    judged = [mask & (generator.random(len(mask)) < share) for mask in campaign.pool()]
    runs = np.ones_like(campaign.newcomer) if seed % 2 else ~campaign.newcomer
    grades = mask_grades(campaign.grades(), judged)
    truth = campaign.make_scorer(runs).measure(campaign.truth)
    tags = [f"{run:03d}" for run in np.flatnonzero(runs)]
    for title, true in truth.items():
        report = build_leader_report(campaign, grades, runs, title)
        first = tags.index(report.tags[0])
        behind = bool(true[first] < true.max() - 1e-9)
        state = judge_leaderboard(report).state
        if state is VerdictState.BAD and not behind:
            now = np.array([report.scores[report.tags.index(tag)] for tag in tags])
            behind = bool(correlate_rankings(true, now[None])[0] < PRACTICALLY_SAME)
        yield title, state, behind


def build_leader_report(
    campaign: ReplayCampaign, grades: list[np.ndarray], runs: np.ndarray, title: str
) -> LeaderboardReport:
    """Of the ``runs`` of a mask."""
    collection = campaign.build_collection(grades, runs)
    measure, trust = (parse_measure(name)[0] for name in (MEASURES[title], f"judged_{CUT}"))
    scores = collection.score([measure, trust])
    order = np.argsort(-scores[:, 0], kind="stable")
    matrices, places = campaign.encode_runs(grades)
    ranked = [matrices[collection.tags[at]] for at in order]
    bounds = compute_lead_bounds(
        ranked, collection.judged, places, collection.options, measure, CUT
    )
    means, judged = scores[order].T.tolist()
    values = collection.score_topics([measure])[0]
    return LeaderboardReport(
        title, CUT, len(values), [collection.tags[at] for at in order], means, judged, "t",
        first_two_p(values.T, list(collection.tags), order), unjudged=bounds.unjudged,
        low=bounds.low, high=bounds.high,
    )  # fmt: skip


def first_two_p(values: np.ndarray, tags: list[str], order: np.ndarray) -> float | None:
    compared = compare_all(values, tags, test="t", correction="holm")
    pair = {tags[order[0]], tags[order[1]]}
    return next((row.adjusted for row in compared.rows if {row.first, row.second} == pair), None)


# ---------- agreement: "good" is wrong if the ranking by noiseless judgments of the same documents
# has tau below .9, or that by another assessor of the same kind; red is wrong if neither


def replay_agreement(campaign: ReplayCampaign, seed: int) -> Iterator[Said]:
    pool = campaign.pool()
    own = mask_grades(campaign.grades(), pool)
    labels = shared_labels(campaign, pool)
    other = [
        said[np.where(second < 0, (first + 1) % len(said), second), np.arange(said.shape[1])]
        for said, first, second in zip(
            campaign.opinions, campaign.first, campaign.second, strict=True
        )
    ]
    scorer = campaign.make_scorer()
    now, true, again = (
        scorer.measure(mask_grades(each, pool))
        for each in (campaign.grades(), campaign.truth, other)
    )
    report = agreement_report(
        labels, campaign.level, draws=ResamplingOptions(seed, 100), most_assessors=1
    )
    for title in MEASURES:
        one = campaign.make_scorer(titles=(title,))
        opinions = measure_second_opinions(one, own, labels, DRAWS, seed)
        state = judge_agreement(replace(report, effect=RankingEffect(opinions))).state
        taus = correlate_rankings(now[title], np.stack([true[title], again[title]]))
        yield title, state, bool((taus < PRACTICALLY_SAME).any())


def shared_labels(campaign: ReplayCampaign, pool: list[np.ndarray]) -> LabelTable:
    """The documents of the pool with a second assessor."""
    people = len(campaign.opinions[0])
    pairs, columns = [], []
    for at, said in enumerate(campaign.opinions):
        for document in np.flatnonzero(pool[at] & (campaign.second[at] >= 0)).tolist():
            column = np.full(people, MISSING)
            for who in (campaign.first[at][document], campaign.second[at][document]):
                column[who] = said[who, document]
            pairs.append((str(at), str(document)))
            columns.append(column)
    grades = np.array(columns, np.int32).reshape(-1, people).T
    scale = tuple(range(1 + max(int(said.max()) for said in campaign.opinions)))
    return LabelTable(tuple(map(str, range(people))), tuple(pairs), grades, scale)


# ---------- stopping: "good" is wrong if tau with the ranking after the whole pool is judged is
# below .95, or another run is first then, and significantly better than the one that is first now;
# red is wrong if neither


def replay_stopping(campaign: ReplayCampaign, seed: int) -> Iterator[Said]:
    """Of each moment and, named ``first good``, of the one at which judging would have stopped."""
    generator = np.random.default_rng([seed, 2])
    campaign = campaign.restrict_to_pool()
    pool = campaign.pool()
    rank = judging_order(campaign, pool, generator)
    scorer = campaign.make_scorer()
    final = scorer.split(scorer.by_topic(campaign.grades()))
    stopped: dict[str, tuple[VerdictState, bool]] = {}
    for moment in MOMENTS:
        count = round(moment * sum(map(len, pool)))
        for title, scores, report in stopping_reports(campaign, rank, count, seed):
            said = judge_stopping(report).state, ranking_moved(scores, final[title])
            yield title, *said
            if title not in stopped or stopped[title][0] is not VerdictState.GOOD:
                stopped[title] = said
    for title, said in stopped.items():
        yield title + FIRST, *said


def stopping_reports(
    campaign: ReplayCampaign, rank: list[np.ndarray], count: int, seed: int
) -> Iterator[tuple[str, np.ndarray, StoppingReport]]:
    """By measure after ``count`` judgments of the pool: the scores, and the report."""
    grades, scorer = campaign.grades(), campaign.make_scorer()
    own = judged_until(grades, rank, count)
    unjudged = sum(int((row == ABSENT).sum()) for row in own)
    untouched = sum(bool(len(row)) and bool((row == ABSENT).all()) for row in own)
    span = int(STILL.value) if count > STILL.value else 0
    before = judged_until(grades, rank, count - span)
    had = [at for at, row in enumerate(before) if (row != ABSENT).any()]
    past = scorer.split(scorer.means(scorer.by_topic(before)[had]))
    judged = scorer.judged(own).tolist()
    reason = "documents are not judged in random order" if campaign.order == "prioritized" else ""
    means = scorer.measure(own)
    taus = {}
    if not reason and count >= 100 and not untouched:
        taus = dict(draw_taus(campaign, own, seed))
    for title, scores in means.items():
        ranks = rank_competitors(np.stack([past[title], scores]))
        moved = int(np.abs(ranks[0] - ranks[1]).max()) if span else None
        tau = taus.get(title)
        report = StoppingReport(
            title, CUT, len(scores), count, count, unjudged, untouched, moved=moved, span=span,
            tau=tau and tau.value, tau_low=tau.low if tau else 0.0, pooled_judged=judged,
            reason=reason,
        )  # fmt: skip
        yield title, scores, report


def draw_taus(
    campaign: ReplayCampaign, own: list[np.ndarray], seed: int
) -> Iterator[tuple[str, Estimate]]:
    """By measure; those that read as many documents share their draws."""
    for titles in (sorted(TOP_TEN), sorted(set(MEASURES) - TOP_TEN)):
        scorer = campaign.make_scorer(titles=titles)
        places = sum(rows.size for rows in scorer.listed)
        draws = int(np.clip(MOST_PLACES // places, DRAWS, MOST_DRAWS))
        drawn = draw_rest_of_pool(scorer, own, draws, seed)
        now, then = map(scorer.split, drawn)
        for title in titles:
            yield title, summarize_rest(now[title], then[title])


def judged_until(grades: list[np.ndarray], rank: list[np.ndarray], count: int) -> list[np.ndarray]:
    return mask_grades(grades, [ranks < count for ranks in rank])


def ranking_moved(now: np.ndarray, final: np.ndarray) -> bool:
    """``now`` by run, ``final`` by topic and run."""
    then = final.mean(axis=0)
    if float(correlate_rankings(now, then[None])[0]) < SAME:
        return True
    old, new = int(now.argmax()), int(then.argmax())
    if old == new or not np.any(final[:, old] != final[:, new]):
        return False
    return bool(paired_p(final[:, [new]] - final[:, [old]])[0] <= 0.05)


# ---------- collection: "good" is wrong if a run of a team that did not contribute is further from
# where it would be with every document judged by the same assessors than the rule calls a move


def replay_collection(campaign: ReplayCampaign, seed: int) -> Iterator[Said]:  # noqa: ARG001
    """Also, named ``judged alike``, where the page finds judged@k of all new runs like that of
    contributing teams.
    """
    own = mask_grades(campaign.grades(), campaign.pool())
    collection = campaign.build_collection(own)
    everything = campaign.make_scorer(np.ones_like(campaign.newcomer))
    short, full = everything.measure(own), everything.measure(campaign.grades())
    share = float(everything.judged(own)[campaign.newcomer].min())
    for title, name in MEASURES.items():
        report = compute_collection(collection, parse_measure(name)[0])
        places = count_places(campaign.newcomer, short[title], full[title])
        said = judge_collection(report).state, places > report.by_team.allowed
        yield title, *said
        if report.is_like_contributors(share):
            yield title + ALIKE, *said


def count_places(newcomer: np.ndarray, short: np.ndarray, full: np.ndarray) -> int:
    """The most that a newcomer moves among the other runs."""
    places = [
        [1 + int((scores[~newcomer] > score + 1e-9).sum()) for score in scores[newcomer]]
        for scores in (short, full)
    ]
    return max(abs(a - b) for a, b in zip(*places, strict=True))


# ---------- tables

REPLAYS = {
    "leaderboard": replay_leaderboard,
    "agreement": replay_agreement,
    "stopping": replay_stopping,
    "collection": replay_collection,
}


def replay(kind: str, name: str, counts: Counts, args: argparse.Namespace) -> None:
    """As many campaigns as begin within ``args.seconds``, counted one by one."""
    ends = time.perf_counter() + args.seconds
    for _ in range(args.campaigns):
        if time.perf_counter() > ends:
            break
        seed = REPORT + counts.campaigns[kind, name]
        for title, state, wrong in REPLAYS[name](draw_campaign(kind, seed, args.data), seed):
            count_answer(counts, kind, name, title, state, wrong=wrong)
        counts.campaigns[kind, name] += 1
        write_counts(args.counts, counts)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    kinds = [*SIMULATED, *REAL, *(name + FEW_RUNS for name in REAL)]
    parser.add_argument("--campaigns", type=int, default=8, help="of each kind")
    parser.add_argument("--seconds", type=float, default=np.inf, help="for each kind, about")
    parser.add_argument("--kinds", help=f"separated by semicolons: {'; '.join(kinds)}")
    parser.add_argument("--only", help=f"verdicts, separated by commas: {', '.join(REPLAYS)}")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--counts", type=Path, default=COUNTS)
    args = parser.parse_args()
    counts = read_counts(args.counts)
    for name in args.only.split(",") if args.only else REPLAYS:
        for kind in args.kinds.split(";") if args.kinds else kinds if args.data else SIMULATED:
            # Only there a second person has judged.
            if name == "agreement" and kind.removesuffix(FEW_RUNS) in set(REAL) - {EIGHT}:
                continue
            replay(kind, name, counts, args)
    print_tables(counts)


if __name__ == "__main__":
    main()
