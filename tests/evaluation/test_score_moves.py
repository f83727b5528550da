"""Score set against score set: places, turned pairs and scores, as counted one by one."""

from itertools import combinations
from random import Random

import pytest
from django.urls import reverse

from evaluation.services.scoring import score_campaign
from judging.services.imports import import_judgments
from judging.services.qrels import freeze_qrels
from poolbench.evaluation.comparison.moves import compare_rankings
from tests.pages import read_page, read_words


@pytest.mark.parametrize("lower", [False, True])
def test_moves_are_those_counted_by_hand(lower):
    random = Random(7)  # noqa: S311
    for _ in range(20):
        before, after = (
            {r: random.choice((None, 0.1, 0.2, 0.3, 0.4)) for r in "abcdef"} for _ in "xy"
        )
        before.pop("a"), after.pop("f")
        both = [run for run in "bcde" if None not in (before[run], after[run])]
        moves = compare_rankings(before, after, lower=lower)
        sign = -1 if lower else 1
        turned = tied = 0
        for one, two in combinations(both, 2):
            was, now = (sign * (each[one] - each[two]) for each in (before, after))
            turned += was * now < 0
            tied += (was == 0) != (now == 0)
        pairs = len(both) * (len(both) - 1) // 2
        assert (moves.pairs, moves.turned, moves.tied) == (pairs, turned, tied)
        by_run = {move.run: move for move in moves.runs}
        assert set(by_run) == set("abcdef")
        for run in both:
            first, second = (
                1 + sum(sign * each[other] > sign * each[run] for other in both)
                for each in (before, after)
            )
            assert (by_run[run].first, by_run[run].second) == (first, second)
            assert by_run[run].moved == first - second
            assert by_run[run].difference == after[run] - before[run]
        assert all(by_run[run].first is None for run in set("abcdef") - set(both))


def test_the_sentence_says_what_turned_and_by_how_much():
    moves = compare_rankings(
        {"a": 0.5, "b": 0.4, "c": 0.3, "d": 0.1}, {"a": 0.2, "b": 0.4, "c": 0.3}
    )
    assert moves.describe("MAP") == (
        "By MAP, 2 of 3 pairs of the 3 runs scored in both changed order; scores moved by "
        "−0.1000 on average. "
        "Runs gained up to 1 and lost up to 2 places."
    )
    assert moves.tau.value == pytest.approx(-1 / 3)
    same = compare_rankings({"a": 0.5, "b": 0.4}, {"a": 0.5, "b": 0.4})
    assert same.describe("MAP").startswith(
        "By MAP, 0 of 1 pairs of the 2 runs scored in both changed"
    )
    assert same.describe("MAP").endswith("No run gained or lost a place.")
    assert (
        compare_rankings({"a": 0.5}, {"a": 0.4}).describe("MAP").startswith("Fewer than two runs")
    )


@pytest.fixture
def two_sets(organizer, campaign, assessor, assessor2, alpha, beta, beta2):
    """By the first qrels beta-secret is best; by the second, of more assessors, alpha-one."""

    def evaluate(who, policy, *rows, **more):
        import_judgments(actor=organizer, campaign=campaign, assessor=who, rows=rows)
        qrels = freeze_qrels(actor=organizer, campaign=campaign, policy=policy)
        return score_campaign(actor=organizer, campaign=campaign, qrels=qrels, **more)

    first = evaluate(assessor, "single", ("1", "d1", 2), ("1", "d3", 0), ("1", "d4", 0))
    return first, evaluate(
        assessor2, "maximum", ("1", "d3", 3), ("1", "d1", 0), measures=["map", "P_5"]
    )


def test_a_page_says_what_moved_since_the_earlier_scores(two_sets, as_user, organizer):
    first, second = two_sets
    client = as_user(organizer)
    page = client.get(reverse("score-set-changes", args=["small", second.pk]), {"measure": "map"})
    means = [
        {row.run.tag: row.means["map"] for row in each.runs.select_related("run")}
        for each in two_sets
    ]
    assert means == [
        {"alpha-one": 0.5, "beta-secret": 1.0, "beta-other": 0.0},
        {"alpha-one": 1.0, "beta-secret": 0.5, "beta-other": 0.0},
    ]
    rows = [(run.tag, m.first, m.second, m.difference) for run, m in page.context["rows"]]
    assert rows == [("alpha-one", 2, 1, 0.5), ("beta-secret", 1, 2, -0.5), ("beta-other", 3, 3, 0)]
    words = read_words(page)
    assert "From qrels 1 (single) to qrels 2 (maximum). By MAP, 1 of 3 pairs" in words
    assert "Runs gained up to 1 and lost up to 1 place." in words
    assert list(page.context["compared"].by_measure()) == ["map", "P_5"]
    # tau-b: 2 pairs in the same order, 1 turned.
    assert "0.3333" in words
    board = read_words(client.get(second.get_absolute_url()))
    assert "Since qrels 1 (single): By MAP, 1 of 3 pairs of the 3 runs scored in both" in board
    assert "Since qrels" not in read_words(client.get(first.get_absolute_url()))


def test_what_is_not_there_is_not_compared(two_sets, page):
    first, second = two_sets
    alone = page.get(reverse("score-set-changes", args=["small", first.pk]))
    assert "No earlier score set" in read_page(alone)
    address = reverse("score-set-changes", args=["small", second.pk])
    for query in ({"measure": "judged_10"}, {"since": str(second.pk)}, {"since": "x"}):
        assert page.get(address, query).status_code == 404
