"""Replay the rules of the verdicts on campaigns whose truth is known, and count wrong answers.

verdicts_replay.py                     300 simulated campaigns, the seeds of the report
verdicts_replay.py --tuning            the seeds on which rules and thresholds were tuned
verdicts_replay.py --data DATA         also parts of TREC-COVID and DL 2019, and its assessors
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.verdict_campaigns import (  # noqa: E402
    CUT,
    ReplayCampaign,
    TenScorer,
    draw_real_campaign,
    judging_order,
    load_real,
    mask_grades,
    own_grades,
    paired_p,
    read_machines,
    read_people,
    simulate_campaign,
    topic_docnos,
)
from poolbench.evaluation.comparison.compare import compare_all  # noqa: E402
from poolbench.evaluation.leader_verdict import LeaderboardReport, judge_leaderboard  # noqa: E402
from poolbench.judging.agreement.labels import MISSING, LabelTable  # noqa: E402
from poolbench.judging.agreement.panel import agreement_report  # noqa: E402
from poolbench.judging.agreement.report import AgreementReport, RankingEffect  # noqa: E402
from poolbench.reliability.disagreement.ballots import ABSENT  # noqa: E402
from poolbench.reliability.verdicts.agreement import (  # noqa: E402
    COEFFICIENT,
    judge_agreement,
)
from poolbench.reliability.verdicts.ranking_draws import (  # noqa: E402
    correlate_rankings,
    draw_rest_of_pool,
    measure_second_opinions,
    rank_competitors,
    summarize_taus,
)
from poolbench.reliability.verdicts.reusability import (  # noqa: E402
    CollectionReport,
    judge_collection,
    measure_left_out_moves,
)
from poolbench.reliability.verdicts.stopping import STILL, StoppingReport, judge_stopping  # noqa: E402
from poolbench.statistics.draws import ResamplingOptions  # noqa: E402
from poolbench.statistics.proportions import wilson_estimate  # noqa: E402
from poolbench.verdicts import ANSWERS, VerdictState  # noqa: E402

TUNING, REPORT = 1_000_000, 5_000_000
"""The first seeds. Rules were also tuned on those from 2,000,000 and 4,000,000 on."""
DRAWS = 100
MOMENTS = np.array([0.3, 0.5, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98])
SAME, PRACTICALLY_SAME = 0.95, 0.9
Said = tuple[VerdictState, bool]
"""What was said, and whether "good" would have been wrong."""


# ---------- leaderboard: wrong if the first is not first by noiseless judgments of everything


def replay_leaderboard(campaign: ReplayCampaign, seed: int) -> Said:
    generator = np.random.default_rng([seed, 1])
    scorer, pool = campaign.scorer, campaign.pool()
    share = float(generator.choice([1.0, 1.0, 1.0, 0.95, 0.85]))
    judged = [mask & (generator.random(len(mask)) < share) for mask in pool]
    grades = mask_grades(campaign.grades(), judged)
    table = scorer.by_topic(grades)
    means = scorer.means(table)
    order = np.argsort(-means, kind="stable")
    tags = [str(run) for run in range(len(means))]
    row_p = first_two_p(table.T, tags, order)
    figures = LeaderboardReport(
        "nDCG@10", CUT, len(table), [tags[at] for at in order], means[order].tolist(),
        scorer.judged(grades)[order].tolist(), "t", row_p,
    )  # fmt: skip
    true = scorer.means(scorer.by_topic(campaign.truth))
    return judge_leaderboard(figures).state, bool(true[order[0]] < true.max() - 1e-9)


def first_two_p(values: np.ndarray, tags: list[str], order: np.ndarray) -> float | None:
    compared = compare_all(values, tags, test="t", correction="holm")
    pair = {tags[order[0]], tags[order[1]]}
    return next((row.adjusted for row in compared.rows if {row.first, row.second} == pair), None)


# ---------- agreement: wrong if the ranking by noiseless judgments of the same documents has tau
# below .9, or that by another assessor of the same kind


def replay_agreement(campaign: ReplayCampaign, seed: int) -> Said:
    scorer, pool = campaign.scorer, campaign.pool()
    own = mask_grades(campaign.grades(), pool)
    labels = shared_labels(campaign, pool)
    report = judge_labels(scorer, own, labels, seed)
    now = scorer.means(scorer.by_topic(own))
    true = scorer.means(scorer.by_topic(mask_grades(campaign.truth, pool)))
    other = [
        said[(first + 1) % len(said), np.arange(said.shape[1])]
        for said, first in zip(campaign.opinions, campaign.first, strict=True)
    ]
    again = scorer.means(scorer.by_topic(mask_grades(other, pool)))
    taus = correlate_rankings(now, np.stack([true, again]))
    return judge_agreement(report).state, bool((taus < PRACTICALLY_SAME).any())


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
    return LabelTable(tuple(map(str, range(people))), tuple(pairs), grades, (0, 1, 2))


def judge_labels(
    scorer: TenScorer, own: list[np.ndarray], labels: LabelTable, seed: int
) -> AgreementReport:
    """``own``: by topic, the grades that the campaign ranks by."""
    opinions = measure_second_opinions(scorer, own, labels, DRAWS, seed)
    report = agreement_report(labels, 1, draws=ResamplingOptions(seed, 100), most_assessors=1)
    return replace(report, effect=RankingEffect(opinions))


# ---------- stopping: wrong if tau with the ranking after the whole pool is judged is below .95,
# or another run is first then, and significantly better than the one that is first now


def replay_stopping(campaign: ReplayCampaign, seed: int) -> Iterator[tuple[float, Said]]:
    generator = np.random.default_rng([seed, 2])
    scorer, pool, grades = campaign.scorer, campaign.pool(), campaign.grades()
    rank = judging_order(campaign, pool, generator)
    total = sum(int(mask.sum()) for mask in pool)
    final = scorer.by_topic(mask_grades(grades, pool))
    for moment in MOMENTS:
        count = round(moment * total)
        own = judged_until(grades, rank, count)
        figures = stopping_figures(scorer, campaign, (grades, rank, pool), count, own, seed)
        yield moment, (judge_stopping(figures).state, ranking_moved(scorer, own, final))


def judged_until(grades: list[np.ndarray], rank: list[np.ndarray], count: int) -> list[np.ndarray]:
    return mask_grades(grades, [ranks < count for ranks in rank])


def stopping_figures(
    scorer: TenScorer, campaign: ReplayCampaign, state: tuple, count: int, own: list, seed: int
) -> StoppingReport:
    grades, rank, pool = state
    in_pool = [np.where(mask, g, 0)[mask] for g, mask in zip(own, pool, strict=True)]
    unjudged = sum(int((g == ABSENT).sum()) for g in in_pool)
    untouched = sum(bool(len(g)) and bool((g == ABSENT).all()) for g in in_pool)
    still = int(STILL.value)
    moved, span = None, 0
    if count > still:
        span = still
        before = judged_until(grades, rank, count - still)
        moved = most_places_moved(scorer, before, own)
    reason = "documents are not judged in random order" if campaign.order == "prioritized" else ""
    tau = None
    if not reason and count >= 100 and not untouched and moved is not None:
        tau = summarize_taus(*draw_rest(scorer, own, pool, seed))
    return StoppingReport(
        "nDCG@10", CUT, len(scorer.tops[0]), count, count, unjudged, untouched, moved=moved,
        span=span, tau=tau and tau.value, tau_low=tau.low if tau else 0.0,
        pooled_judged=scorer.judged(own).tolist(), reason=reason,
    )  # fmt: skip


def draw_rest(scorer: TenScorer, own: list, pool: list, seed: int) -> tuple:
    """The draws over the pool alone: documents outside of it stay unjudged."""
    inside = [np.flatnonzero(mask) for mask in pool]

    class PoolScorer(TenScorer):
        def score(self, topic: int, grades: np.ndarray) -> np.ndarray:
            whole = np.full((len(grades), len(pool[topic])), ABSENT)
            whole[:, inside[topic]] = grades
            return super().score(topic, whole)

    narrow = PoolScorer(scorer.tops)
    return draw_rest_of_pool(
        narrow, [g[at] for g, at in zip(own, inside, strict=True)], DRAWS, seed
    )


def most_places_moved(scorer: TenScorer, before: list, after: list) -> int:
    """Over the topics that had a judgment before."""
    had = [at for at, own in enumerate(before) if (own != ABSENT).any()]
    ranks = [
        rank_competitors(
            scorer.means(scorer.by_topic(each)[had if each is before else slice(None)])[None]
        )[0]
        for each in (before, after)
    ]
    return int(np.abs(ranks[0] - ranks[1]).max())


def ranking_moved(scorer: TenScorer, own: list, final: np.ndarray) -> bool:
    now, then = scorer.means(scorer.by_topic(own)), scorer.means(final)
    if float(correlate_rankings(now, then[None])[0]) < SAME:
        return True
    old, new = int(now.argmax()), int(then.argmax())
    if old == new or not np.any(final[:, old] != final[:, new]):
        return False
    return bool(paired_p(final[:, [new]] - final[:, [old]])[0] <= 0.05)


# ---------- collection: wrong if a run of a team that did not contribute is more than one place
# from where it would be with every document judged by the same assessors


def replay_collection(campaign: ReplayCampaign, seed: int) -> Said:  # noqa: ARG001
    scorer, everything = campaign.scorer, campaign.all_scorer
    pool, grades = campaign.pool(), campaign.grades()
    own = mask_grades(grades, pool)
    figures = collection_figures(campaign, scorer, own)
    short, full = (everything.means(everything.by_topic(g)) for g in (own, grades))
    old = ~campaign.newcomer
    wrong = False
    for run in np.flatnonzero(campaign.newcomer):
        places = [1 + int((scores[old] > scores[run] + 1e-9).sum()) for scores in (short, full)]
        wrong |= abs(places[0] - places[1]) > 1
    return judge_collection(figures).state, wrong


def collection_figures(campaign: ReplayCampaign, scorer: TenScorer, own: list) -> CollectionReport:
    teams = campaign.teams[~campaign.newcomer]
    names = np.unique(teams)
    table = scorer.by_topic(own)
    scores = scorer.means(table)
    own_team = np.searchsorted(names, teams)
    without_by_topic, left_out = [], []
    for at, grades in enumerate(own):
        brought = np.zeros((len(names), len(grades)), bool)
        for number, team in enumerate(names):
            top = campaign.listed[at][~campaign.newcomer][teams == team][:, : campaign.depth]
            brought[number, top[top >= 0]] = True
        alone = brought & (brought.sum(axis=0) == 1)
        remaining = np.where(alone, ABSENT, grades[None])
        without_by_topic.append(scorer.score(at, remaining))
        left_out.append(scorer.judged_shares(at, remaining)[own_team, np.arange(len(teams))])
    without = scorer.means(np.array(without_by_topic))
    own_without = without[own_team, np.arange(len(teams))]
    moves = measure_left_out_moves(
        [*map(str, range(len(teams)))], [*map(str, teams)], table, scores, own_without
    )
    return CollectionReport(
        "nDCG@10", CUT, len(scores), len(names), moves, scorer.judged(own).tolist(),
        left_out=np.mean(left_out, axis=0).tolist(),
    )  # fmt: skip


# ---------- tables


def tally(rows: list[Said]) -> str:
    """The states in percent, and how often "good" was wrong, with Wilson's interval."""
    states = Counter(state for state, _ in rows)
    good = [wrong for state, wrong in rows if state is VerdictState.GOOD]
    estimate = wilson_estimate(sum(good), len(good))
    shares = " | ".join(f"{100 * states[state] / len(rows):.0f} %" for state in ANSWERS)
    if not good:
        return f"{len(rows)} | {shares} | – | –"
    low, high = (100 * (end or 0.0) for end in (estimate.low, estimate.high))
    base = 100 * sum(wrong for _, wrong in rows) / len(rows)
    return (
        f"{len(rows)} | {shares} | {sum(good)} of {len(good)} = "
        f"{100 * sum(good) / len(good):.1f} % ({low:.1f} to {high:.1f}) | {base:.0f} %"
    )


def replay(campaigns: Iterator[ReplayCampaign], seeds: range, *, people: bool) -> dict[str, list]:
    results: dict[str, list[Said]] = defaultdict(list)
    for seed, campaign in zip(seeds, campaigns, strict=True):
        results["leaderboard"].append(replay_leaderboard(campaign, seed))
        results["collection"].append(replay_collection(campaign, seed))
        if people:
            results["agreement"].append(replay_agreement(campaign, seed))
        moments = [row for _, row in replay_stopping(campaign, seed)]
        results["stopping, each moment"] += moments
        first = next((row for row in moments if row[0] is VerdictState.GOOD), moments[-1])
        results["stopping, first good"].append(first)
    return results


def print_results(title: str, results: dict[str, list[Said]]) -> None:
    print(f"\n{title}\n")
    print("| verdict | cases | good | amber | bad | unknown | wrong good | wrong if always good |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for name, rows in sorted(results.items() if any(results.values()) else ()):
        print(f"| {name} | {tally(rows)} |")


def print_assessors(data: Path) -> None:
    """The agreement verdict on real second judgments of DL 2019, over its 37 runs."""
    listed, truth, _, judged = load_real(data, "dl19")
    print("\nAgreement on DL 2019, 37 runs by nDCG@10; tau with the ranking by NIST\n")
    print(
        "| judgments | documents | alpha | tau, second opinions | low | verdict | tau with NIST |"
    )
    print("|---|--:|--:|--:|--:|---|--:|")
    machines, people = read_machines(data), read_people(data)
    topics, docnos = topic_docnos(data)
    rows = [("8 people", list(people.values()))]
    names = sorted(machines)
    rows += [
        (f"{a[:28]} and {b[:28]}", [machines[a], machines[b]])
        for at, a in enumerate(names)
        for b in names[at + 1 :]
    ]
    for name, tables in rows:
        own, labels = own_grades(tables, topics, docnos, truth)
        scorer = TenScorer(listed)
        report = judge_labels(scorer, own, labels, 0)
        verdict = judge_agreement(report)
        alpha, opinions = report.overall[COEFFICIENT], report.effect.second_opinions
        now = scorer.means(scorer.by_topic(own))
        true = scorer.means(scorer.by_topic(mask_grades(truth, judged)))
        tau = float(correlate_rankings(true, now[None])[0])
        print(
            f"| {name} | {alpha.n} | {alpha.value:.2f} | {opinions.value:.2f} "
            f"| {opinions.low:.2f} | {verdict.state.value} | {tau:.2f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tuning", action="store_true")
    parser.add_argument("--campaigns", type=int, default=300, help="simulated")
    parser.add_argument("--parts", type=int, default=100, help="of each real campaign")
    parser.add_argument("--data", type=Path)
    args = parser.parse_args()
    first = TUNING if args.tuning else REPORT
    seeds = range(first, first + args.campaigns)
    began = time.perf_counter()
    results = replay(map(simulate_campaign, seeds), seeds, people=True)
    # "Good" is rare here, so that its rate needs more campaigns than the others.
    for seed in range(seeds.stop, seeds.stop + 3 * args.campaigns // 2):
        results["leaderboard"].append(replay_leaderboard(simulate_campaign(seed), seed))
    print_results("Simulated", results)
    if args.data:
        for name in ("trec-covid-r1", "dl19"):
            seeds = range(first, first + args.parts)
            parts = (draw_real_campaign(args.data, name, seed) for seed in seeds)
            print_results(f"Parts of {name}", replay(parts, seeds, people=False))
        print_assessors(args.data)
    print(f"\n{time.perf_counter() - began:.0f} seconds")


if __name__ == "__main__":
    main()
