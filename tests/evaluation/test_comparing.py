"""What is kept of comparisons, what is refused, and the order of a board's tables."""

from __future__ import annotations

from html import unescape
from re import sub

import numpy as np
from django.urls import reverse

from evaluation.models import RunScores, ScoreSet
from evaluation.queries import comparison
from evaluation.queries.comparison import SignificanceChoice, compare_all_runs
from evaluation.queries.leaderboard import get_leaderboard
from evaluation.queries.score_sets import ScoreReader
from evaluation.services.scoring import score_campaign
from poolbench.evaluation.comparison.compare import compare_all
from tests.pages import read_page

ORGANIZER = ScoreReader(True, frozenset(), "own")


def page(client, who, name, score_set, **query):
    client.force_login(who)
    return client.get(reverse(name, args=[score_set.campaign.slug, score_set.pk]), query)


def test_each_correction_is_that_of_all_pairs(score_set):
    board = get_leaderboard(score_set, ORGANIZER)
    tags = [str(run) for run in board.runs]
    for correction in ("holm", "bh", "none", "holm"):
        found = compare_all_runs(
            board, "map", SignificanceChoice("t", correction, 0.05, exploratory=True)
        )
        values = board.tables[:, :, board.column("map")]
        wanted = compare_all(values, tags, correction=correction, seed=score_set.pk)
        assert found == wanted


def test_what_is_kept_of_comparisons_is_bounded(score_set, monkeypatch):
    board = get_leaderboard(score_set, ORGANIZER)
    pairs = len(board.runs) * (len(board.runs) - 1) // 2
    # Each measure without a correction and with Holm's.
    monkeypatch.setattr(comparison.COMPARISONS, "bound", 3 * 2 * pairs)
    for name in ("map", "P_5", "ndcg", "map", "P_10", "bpref"):
        compare_all_runs(board, name, SignificanceChoice("t", "holm", 0.05, exploratory=False))
    stored = {key[2] for key in comparison.COMPARISONS.list_keys()}
    assert stored >= {"map", "P_10", "bpref"}
    assert "P_5" not in stored


def test_random_draws_for_very_many_pairs_are_only_made_for_the_fixed_test(
    client, organizer, score_set, monkeypatch
):
    three_pairs_of_three_topics = 3 * 3 * 10_000
    monkeypatch.setattr(comparison, "MOST_DRAWS", three_pairs_of_three_topics)
    assert page(client, organizer, "pairs", score_set, test="bootstrap").status_code == 200
    assert page(client, organizer, "measures-compared", score_set).status_code == 200
    many = page(client, organizer, "measures-compared", score_set, test="bootstrap")
    assert many.status_code == 409
    assert "poolbench compare" in read_page(many)
    monkeypatch.setattr(comparison, "MOST_DRAWS", three_pairs_of_three_topics - 1)
    assert page(client, organizer, "pairs", score_set, test="bootstrap").status_code == 409
    assert page(client, organizer, "pairs", score_set, test="sign").status_code == 200
    score_set.campaign.test = "bootstrap"
    score_set.campaign.save()
    assert page(client, organizer, "pairs", score_set, test="bootstrap").status_code == 200


def test_a_topic_is_won_by_the_better_value_though_it_is_the_lower(
    client, organizer, campaign, alpha, beta, beta2, qrels
):
    score_set = score_campaign(actor=organizer, campaign=campaign, qrels=qrels, measures=["set_E"])
    board = get_leaderboard(score_set, ORGANIZER)
    first, second = (
        board.values(board.find_by_name(tag), "set_E") for tag in (alpha.tag, beta2.tag)
    )
    assert [a < b for a, b in zip(first, second, strict=True)] == [True, True, False]
    shown = read_page(page(client, organizer, "pairs", score_set, measure="set_E"))
    row = shown[shown.index(f'<tr><th scope="row">{alpha.tag}</th><td>{beta2.tag}</td>') :]
    text = sub(r"<[^>]+>", " ", unescape(row[: row.index("</tr>")]))
    assert " 2, 0, 1 " in text


def test_measures_of_a_board_stand_in_the_order_of_its_tables(organizer, campaign, alpha, qrels):
    kept = score_campaign(actor=organizer, campaign=campaign, qrels=qrels, measures=["map", "ndcg"])
    turned = ScoreSet.objects.create(
        campaign=campaign,
        qrels=qrels,
        topics=kept.topics,
        measures=kept.measures[::-1],
        conditions=kept.conditions,
        created_by=organizer,
    )
    row = kept.runs.get()
    packed = np.ascontiguousarray(row.table[:, ::-1], "<f8").tobytes()
    RunScores.objects.create(score_set=turned, run=alpha, means=row.means, packed=packed)
    before, after = (get_leaderboard(each, ORGANIZER) for each in (kept, turned))
    for name in kept.measures:
        assert after.measure(name).name == name
        assert after.as_scored_run(after.entries[0]).by_topic(name) == before.as_scored_run(
            before.entries[0]
        ).by_topic(name)
