"""Pairs of runs and measures beside one another: pages and files, what is kept and refused."""

import json
import re
from html import unescape
from re import sub

import numpy as np
import pytest
from django.urls import reverse

from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from campaigns.services.snapshots import compute_report
from evaluation.models import RunScores, ScoreSet
from evaluation.queries import comparison
from evaluation.queries.comparison import (
    SignificanceChoice,
    compare_all_runs,
    get_fixed_test,
    get_test_choice,
    values_by_run_and_topic,
)
from evaluation.queries.leaderboard import get_leaderboard
from evaluation.queries.score_sets import ScoreReader
from evaluation.services.release import release_scores
from evaluation.services.scoring import score_campaign
from evaluation.views.run_pairs import MOST_PAIRS
from poolbench.evaluation import significance_tests
from poolbench.evaluation.comparison.compare import compare_all, compare_pair
from poolbench.evaluation.comparison.registry import CORRECTIONS, FAMILY_TESTS, TESTS
from tests.csv_reading import csv_conditions, csv_rows
from tests.pages import read_page, read_words
from tests.poolbench.shapes import places
from tests.world.files import accepted_run, qrels_release, ranked_run


@pytest.fixture
def scored(organizer, campaign, team, other_team):
    """Three runs over six topics: good finds the document first, fair second, poor never."""
    topics = [str(n) for n in range(1, 7)]
    qrels = qrels_release(campaign, "".join(f"{t} 0 d1 1\n{t} 0 d2 0\n" for t in topics))
    for who, tag, order in (
        (team, "good", "d1 d2"),
        (team, "fair", "d2 d1"),
        (other_team, "poor", "d2 d3"),
    ):
        # One topic is turned round, so that differences have a spread.
        turned = {"1": " ".join(reversed(order.split()))}
        ranked_run(who, tag, dict.fromkeys(topics, order) | turned)
    accepted_run(other_team, "late", "1 Q0 d1 1 1 late\n2 Q0 d2 1 1 late\n")
    return score_campaign(actor=organizer, campaign=campaign, qrels=qrels, measures=["map", "P_5"])


def get(client, who, name, score_set, **query):
    client.force_login(who)
    args = query.pop("args", [])
    return client.get(reverse(name, args=[score_set.campaign.slug, score_set.pk, *args]), query)


def test_the_tests_of_a_campaign_are_those_of_the_core():
    assert {name for name, _ in significance_tests.TESTS} == {*TESTS, *FAMILY_TESTS}
    assert {name for name, _ in significance_tests.CORRECTIONS} == set(CORRECTIONS)


def test_the_campaigns_choice_is_fixed_and_any_other_exploratory(campaign):
    score_set = ScoreSet(campaign=campaign)
    assert not get_fixed_test(score_set).exploratory
    assert not get_test_choice(score_set, "t", "holm").exploratory
    assert get_test_choice(score_set, "sign", "").exploratory
    assert get_test_choice(score_set, "", "none").exploratory
    campaign.test = "tukey-hsd"
    assert get_fixed_test(score_set).correction == "none"
    assert not get_test_choice(score_set, "", "holm").exploratory


def test_all_pairs_are_shown_best_run_first(client, organizer, scored):
    page = get(client, organizer, "pairs", scored, measure="map")
    text = read_page(page)
    assert [tag for tag, *_ in page.context["map"]] == ["good", "fair", "late", "poor"]
    assert len(page.context["table"]) == 6 < MOST_PAIRS
    assert "preregistered by the campaign before the first scores" in text
    assert "Exploratory" not in text
    assert text.count('class="whisker"') == 4 + 1  # and the one of the legend


def test_another_test_is_marked_exploratory(client, organizer, scored):
    text = read_page(get(client, organizer, "pairs", scored, test="sign"))
    assert "<strong>Exploratory.</strong>" in text
    assert "Paired t test" in text


@pytest.mark.parametrize("test", [*TESTS, *FAMILY_TESTS])
def test_every_test_has_its_page(client, organizer, scored, test):
    assert get(client, organizer, "pairs", scored, test=test).status_code == 200


def test_what_is_no_test_is_not_found(client, organizer, scored):
    for query in ({"test": "z"}, {"correction": "z"}, {"measure": "z"}):
        assert get(client, organizer, "pairs", scored, **query).status_code == 404


def test_the_pairs_are_files_too(client, organizer, scored):
    answer = get(client, organizer, "pairs-download", scored, args=["csv"], measure="map")
    text = read_page(answer)
    rows = csv_rows(text)
    assert len(rows) == 6
    assert csv_conditions(text)["measures"]["map"]["test"] == "t"
    answer = get(client, organizer, "pairs-download", scored, args=["json"], measure="map")
    content = json.loads(answer.content)
    assert content["scores"]["good"]["qrels_sha256"] == scored.qrels.sha256
    told = content["measures"]["map"]
    assert told["conditions"]["correction"] == "holm"
    assert len(told["pairs"]) == 6


def test_a_participant_compares_only_runs_on_the_board(client, organizer, participant, scored):
    release_scores(actor=organizer, score_set=scored)
    text = read_page(get(client, participant, "pairs", scored))
    assert "poor" not in text
    assert "fair" in text
    own = read_page(get(client, participant, "measures-compared", scored))
    assert " of 6</td>" in own


def test_the_verdict_bounds_the_runs_of_its_scores(scored):
    report = compute_report(scored.campaign, "leaderboard").report
    # d3, which only poor retrieves: relevant, it makes good's 1 on five topics ½, and ½ on one ¼.
    assert (report.unjudged, report.depth) == (6, 10)
    assert report.low == pytest.approx((5 * 0.5 + 0.25) / 6)
    high = dict(zip(report.tags, report.high, strict=True))
    assert high["fair"] == pytest.approx((5 * 0.5 + 1) / 6)
    assert high["poor"] == pytest.approx((5 * 0.25 + 0.5) / 6)
    assert report.count_contenders() == 1


def test_two_runs_have_the_campaigns_verdict_and_the_rest_as_exploratory(client, organizer, scored):
    page = get(client, organizer, "compare", scored, a="good", b="poor", measure="map")
    text = read_page(page)
    board = get_leaderboard(scored, ScoreReader(True, frozenset(), "own"))
    good, poor = (board.find_by_name(tag) for tag in ("good", "poor"))
    wanted = compare_pair(*values_by_run_and_topic(board, [good, poor], "map"), test="t")
    assert page.context["verdict"].p_value == wanted.outcome.p_value
    assert page.context["pairs_tested"] == 6
    assert "Exploratory: other tests" in text
    assert "Precision and recall" in text
    assert page.context["curve_rows"][0] == (0.0, (pytest.approx(0.9167, abs=5e-5), 0.0))


def test_the_curves_of_a_topic_are_drawn_on_request(client, organizer, scored):
    run = scored.runs.get(run__tag="fair").run_id
    page = get(client, organizer, "run-scores", scored, args=[run], topic="2")
    assert page.context["curve_rows"][0] == (0.0, (0.5,))
    assert "Precision and recall, topic 2" in read_page(page)
    assert get(client, organizer, "run-scores", scored, args=[run], topic="99").status_code == 404


def test_measures_are_compared_by_rankings_and_power(client, organizer, scored):
    page = get(client, organizer, "measures-compared", scored, by="tau-ap", m=["map", "P_5"])
    assert page.context["names"] == ["map", "P_5"]
    assert page.context["directed"]
    assert [column.name for column, _ in page.context["powers"]] == ["map", "P_5"]


def test_a_board_without_two_runs_says_so(client, organizer, campaign, team):
    accepted_run(team, "only", "1 Q0 d1 1 1 only\n")
    alone = score_campaign(
        actor=organizer, campaign=campaign, qrels=qrels_release(campaign), measures=["map"]
    )
    for name in ("pairs", "measures-compared", "compare"):
        assert "No two runs" in read_page(get(client, organizer, name, alone))


def test_the_conditions_tell_the_test_and_the_share_judged(client, organizer, scored):
    assert scored.conditions["comparison"]["test"] == "t"
    assert scored.measures == ["map", "P_5", "judged_10"]
    page = read_words(get(client, organizer, "pairs", scored))
    assert "Paired t test, correction Holm , level 0.05" in page


def test_no_page_shows_a_bare_name_that_could_mean_two_things(client, organizer, score_set, alpha):
    for name, args in (("score-set", []), ("run-scores", [alpha.pk]), ("compare", [])):
        text = read_page(get(client, organizer, name, score_set, args=args))
        assert not re.search(r">\s*bpref(-10)?\s*</", text), name
        assert "bpref (trec_eval)" in text


def test_what_unjudged_documents_leave_open_is_told_on_request(client, organizer, score_set, alpha):
    page = get(client, organizer, "run-scores", score_set, args=[alpha.pk], measure="P_5")
    assert page.context["unjudged_documents"] == 1
    assert "Bounds from unjudged documents" in read_page(page)
    query = {"measure": "P_5", "bounds": "1"}
    page = get(client, organizer, "run-scores", score_set, args=[alpha.pk], **query)
    # Topic 1 is N R . R: 2 of 5, or 3 if the open document is relevant.
    assert page.context["topic_bounds"]["1"] == "0.4000 to 0.6000"
    assert page.context["bounds"] == "0.2000 to 0.2667"


def test_what_was_tested_does_not_depend_on_who_looks(client, organizer, participant, scored):
    release_scores(actor=organizer, score_set=scored)
    runs = {row.run.tag: row.run_id for row in scored.runs.select_related("run")}
    query = {"a": runs["good"], "b": runs["fair"], "measure": "map"}
    seen = [get(client, who, "compare", scored, **query) for who in (organizer, participant)]
    rows = [page.context["verdict"] for page in seen]
    assert rows[0] == rows[1]
    assert [page.context["pairs_tested"] for page in seen] == [6, 6]
    turned = {"a": runs["fair"], "b": runs["good"], "measure": "map"}
    other = get(client, organizer, "compare", scored, **turned).context["verdict"]
    assert (other.difference, other.wins) == (-rows[0].difference, rows[0].losses)
    assert (other.statistic, other.adjusted) == (-rows[0].statistic, rows[0].adjusted)


def test_a_place_is_shown_to_those_who_see_all_runs(client, organizer, participant, scored):
    """It tells how many runs of others are better."""
    release_scores(actor=organizer, score_set=scored)
    page = get(client, participant, "score-set", scored, sort="map")
    rows = [(row.entry.tag, row.place) for row in page.context["rows"]]
    assert rows == [("good", None), ("fair", None)]
    assert '<span class="rank">1' not in read_page(page)
    Campaign.objects.update(board=Campaign.Board.PSEUDONYMS)
    page = get(client, participant, "score-set", scored, sort="map")
    own = [(row.entry.tag, row.place) for row in page.context["rows"] if row.entry.own]
    assert own == [("good", 1), ("fair", 2)]


def test_less_is_better_where_it_is(client, organizer, campaign, score_set, qrels):
    made = score_campaign(
        actor=organizer, campaign=campaign, qrels=qrels, measures=["search_length", "set_E"]
    )
    board = get(client, organizer, "score-set", made, sort="set_E").context
    means = [row.entry.means["set_E"] for row in board["rows"]]
    assert means == sorted(means)
    assert board["rows"][0].best
    page = get(client, organizer, "pairs", made, measure="set_E")
    assert [tag for tag, *_ in page.context["map"]] == [row.entry.tag for row in board["rows"]]


def test_values_below_0_and_above_1_have_their_picture(client, organizer, campaign, alpha, qrels):
    made = score_campaign(actor=organizer, campaign=campaign, qrels=qrels, measures=["utility"])
    chart = get(client, organizer, "run-scores", made, args=[alpha.pk]).context["chart"]
    heights = places(chart, "rect", "bar-own", "height")
    assert min(heights) >= (0,)
    assert len({*heights}) > 1


def test_scores_without_a_comparable_measure_are_no_comparison(
    client, organizer, campaign, alpha, beta, qrels
):
    made = score_campaign(actor=organizer, campaign=campaign, qrels=qrels, measures=["num_q"])
    for name in ("pairs", "measures-compared", "compare"):
        assert get(client, organizer, name, made).status_code == 404
    with pytest.raises(ActionRefused, match="Measures without a numeric value"):
        score_campaign(actor=organizer, campaign=campaign, qrels=qrels, measures=["relstring"])


def test_measures_of_other_means_are_not_compared_topic_by_topic(
    client, organizer, campaign, alpha, beta, qrels
):
    made = score_campaign(
        actor=organizer, campaign=campaign, qrels=qrels, measures=["gm_map", "map(mean=median)"]
    )
    assert get(client, organizer, "pairs", made).status_code == 404


def test_settings_do_not_offer_to_change_a_fixed_test(client, organizer, scored):
    client.force_login(organizer)
    url = reverse("campaign-settings", args=[scored.campaign.slug])
    page = client.get(url)
    assert "These settings are fixed" in read_page(page)
    assert all(page.context["form"].fields[name].disabled for name in ("test", "alpha"))


ORGANIZER = ScoreReader(True, frozenset(), "own")


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
    assert get(client, organizer, "pairs", score_set, test="bootstrap").status_code == 200
    assert get(client, organizer, "measures-compared", score_set).status_code == 200
    many = get(client, organizer, "measures-compared", score_set, test="bootstrap")
    assert many.status_code == 409
    assert "poolbench compare" in read_page(many)
    monkeypatch.setattr(comparison, "MOST_DRAWS", three_pairs_of_three_topics - 1)
    assert get(client, organizer, "pairs", score_set, test="bootstrap").status_code == 409
    assert get(client, organizer, "pairs", score_set, test="sign").status_code == 200
    score_set.campaign.test = "bootstrap"
    score_set.campaign.save()
    assert get(client, organizer, "pairs", score_set, test="bootstrap").status_code == 200


def test_a_topic_is_won_by_the_better_value_though_it_is_the_lower(
    client, organizer, campaign, alpha, beta, beta2, qrels
):
    score_set = score_campaign(actor=organizer, campaign=campaign, qrels=qrels, measures=["set_E"])
    board = get_leaderboard(score_set, ORGANIZER)
    first, second = (
        board.values(board.find_by_name(tag), "set_E") for tag in (alpha.tag, beta2.tag)
    )
    assert [a < b for a, b in zip(first, second, strict=True)] == [True, True, False]
    shown = read_page(get(client, organizer, "pairs", score_set, measure="set_E"))
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
