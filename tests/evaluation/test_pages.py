"""What each reader gets, before and after release, under each board.

Beta's tags and team name must not leak to Alpha's member, but where the board shows names.
"""

import json
from types import SimpleNamespace

import pytest

from campaigns import store
from campaigns.models import Campaign
from campaigns.services import jobs
from campaigns.templatetags.figures import show_bar
from evaluation.models import ScoreSet
from evaluation.queries.leaderboard import Leaderboard, get_leaderboard
from evaluation.queries.score_sets import get_reader
from evaluation.services.release import release_scores
from evaluation.services.scoring import score_campaign
from evaluation.templatetags.measures import show_interval, show_score_cells
from evaluation.views.cells import ScoreCell
from tests.csv_reading import csv_body, csv_conditions
from tests.pages import read_page, read_words
from tests.poolbench.commands.conftest import run_on_files
from tests.world.files import accepted_run, qrels_release

OTHERS = ("beta", "Beta")


@pytest.fixture
def small(campaign, score_set, alpha, beta, beta2):
    """The pages of the small campaign by name."""
    home, at = "/c/small/results/scores/", f"/c/small/results/scores/{score_set.pk}/"
    return SimpleNamespace(
        home=home,
        set=at,
        csv=f"{at}scores.csv",
        long=f"{at}scores.csv?shape=long",
        json=f"{at}scores.json",
        compare=f"{at}compare/",
        own=f"{at}run/{alpha.pk}/",
        other=f"{at}run/{beta.pk}/",
        other_csv=f"{at}run/{beta.pk}/scores.csv",
        of_set=(at, f"{at}scores.csv", f"{at}scores.csv?shape=long", f"{at}scores.json"),
    )


def board(campaign: Campaign, value: str) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(board=value)


def names_others(response) -> bool:
    text = read_page(response)
    return any(word in text for word in OTHERS)


def test_an_organizer_sees_every_run_before_release(as_user, organizer, small):
    answer = as_user(organizer).get(small.home)
    text = read_page(answer)
    assert answer.status_code == 200
    assert all(tag in text for tag in ("alpha-one", "beta-secret", "beta-other"))
    assert "Not released" in text
    assert "Averaged over" in text


@pytest.mark.parametrize("value", Campaign.Board.values)
def test_a_participant_sees_nothing_before_release(as_user, participant, campaign, small, value):
    board(campaign, value)
    client = as_user(participant)
    answer = client.get(small.home)
    assert answer.status_code == 200
    assert "Scores not released yet" in read_page(answer)
    assert not names_others(answer)
    assert "alpha-one" not in read_page(answer)
    hidden = (*small.of_set, small.compare, small.own, small.other, small.other_csv)
    assert [client.get(url).status_code for url in hidden] == [404] * len(hidden)


def test_a_participant_sees_own_runs_beside_the_spread(
    as_user, organizer, participant, score_set, small
):
    release_scores(actor=organizer, score_set=score_set)
    client = as_user(participant)
    for url in (small.home, *small.of_set, small.own, f"{small.own}scores.txt"):
        answer = client.get(url)
        assert answer.status_code == 200, url
        assert "alpha-one" in read_page(answer), url
        assert not names_others(answer), url
    assert "Median" in read_page(client.get(small.home))
    assert client.get(small.other).status_code == 404
    assert client.get(small.other_csv).status_code == 404


def test_pseudonyms_show_the_board_without_names(
    as_user, organizer, participant, campaign, score_set, small
):
    board(campaign, "pseudonyms")
    release_scores(actor=organizer, score_set=score_set)
    client = as_user(participant)
    for url in (small.home, *small.of_set, small.compare):
        assert not names_others(client.get(url)), url
    shown = json.loads(client.get(small.json).content)["runs"]
    assert len(shown) == 3
    assert sum(run["own"] for run in shown) == 1
    others = {run["team"] for run in shown if not run["own"]}
    assert len(others) == 1
    assert client.get(small.other).status_code == 404


def test_pseudonyms_come_in_their_own_order(
    as_user, organizer, participant, campaign, other_team, alpha, qrels
):
    """True tags from a to l, submitted in that order: neither order may show through."""
    board(campaign, "pseudonyms")
    campaign.refresh_from_db()
    tags = [f"{letter}-run" for letter in "abcdefghijkl"]
    runs = [accepted_run(other_team, tag, f"1 Q0 d1 1 1 {tag}\n") for tag in tags]
    made = score_campaign(actor=organizer, campaign=campaign, qrels=qrels)
    release_scores(actor=organizer, score_set=made)
    shown = get_leaderboard(made, get_reader(participant, campaign))
    assert [entry.tag for entry in shown.entries] == sorted(entry.tag for entry in shown.entries)
    numbers = [entry.run for entry in shown.entries if not entry.own]
    assert sorted(numbers) == [run.pk for run in runs]
    assert numbers != sorted(numbers)


def test_names_show_the_whole_board(as_user, organizer, participant, campaign, score_set, small):
    board(campaign, "names")
    release_scores(actor=organizer, score_set=score_set)
    client = as_user(participant)
    assert names_others(client.get(small.home))
    assert client.get(small.other).status_code == 404


def test_a_participant_compares_only_runs_of_the_board(
    as_user, organizer, participant, campaign, score_set, small, alpha, beta
):
    release_scores(actor=organizer, score_set=score_set)
    client = as_user(participant)
    both = f"{small.compare}?a={alpha.pk}&b={beta.pk}"
    assert client.get(both).status_code == 404
    board(campaign, "pseudonyms")
    assert client.get(both).status_code == 404
    offered = [tag for tag, _ in client.get(small.compare).context["runs"]]
    others = [tag for tag in offered if tag != "alpha-one"]
    answer = client.get(f"{small.compare}?a=alpha-one&b={others[0]}")
    assert (answer.context["a"].tag, answer.context["b"].tag) == ("alpha-one", others[0])
    assert f'value="{beta.pk}"' not in read_page(answer)


def test_participants_read_the_set_released_last(
    as_user, organizer, participant, campaign, score_set, small
):
    release_scores(actor=organizer, score_set=score_set)
    newer = qrels_release(campaign, "1 0 d1 1\n", version=2)
    later = score_campaign(actor=organizer, campaign=campaign, qrels=newer)
    client = as_user(participant)
    assert "qrels 1" in read_page(client.get(small.home))
    release_scores(actor=organizer, score_set=later)
    assert "qrels 2" in read_page(client.get(small.home))
    assert client.get(small.set).status_code == 404
    assert as_user(organizer).get(small.set).status_code == 200


def test_the_preview_shows_an_organizer_what_participants_will_see(as_user, organizer, small):
    text = read_page(as_user(organizer).get(f"{small.home}?as=participant"))
    assert "alpha-one" in text
    assert "beta-secret" not in text
    assert "Release scores" not in text


def test_the_evaluate_form_queues_a_job(as_user, organizer, campaign, alpha, qrels):
    client = as_user(organizer)
    form = {"qrels": qrels.pk, "measures": "AP P@5"}
    answer = client.post("/c/small/results/scores/evaluate/", form)
    job = campaign.jobs.get(kind="evaluation.evaluate")
    assert answer.url == f"/c/small/results/scores/?job={job.pk}"
    jobs.run_here(job)
    assert ScoreSet.objects.get().measures == ["map", "P_5", "judged_10"]


def test_the_evaluate_form_says_which_measures_are_unknown(
    as_user, organizer, campaign, alpha, qrels
):
    form = {"qrels": qrels.pk, "measures": "nope bpref_10"}
    text = read_page(as_user(organizer).post("/c/small/results/scores/evaluate/", form))
    assert "nope: unknown measure" in text
    assert "Write bpref-10 with a hyphen" in text
    assert not campaign.jobs.exists()


def test_the_run_page_shows_value_best_median_and_worst(as_user, organizer, small):
    answer = as_user(organizer).get(f"{small.own}?measure=map")
    rows = {row.name: row for row in answer.context["topics"]}
    first = rows["1"]
    spread = first.spread
    assert (first.value, spread.best, spread.median, spread.worst) == (0.5, 1.0, 0.5, 0.0)
    assert "0.5000 1.0000 0.5000 0.0000" in read_words(answer)
    assert list(rows) == ["1", "2", "3"]


def test_an_undefined_value_is_a_dash_with_its_reason(as_user, organizer, small):
    answer = as_user(organizer).get(f"{small.own}?measure=judged_10")
    third = answer.context["topics"][2]
    assert (third.value, third.spread.median) == (None, 1.0)
    assert "– – 1.0000 –" in read_words(answer)
    assert "undefined (1 topic): nothing is retrieved" in read_words(answer)


def test_compare_counts_wins_losses_and_ties(as_user, organizer, small, alpha, beta):
    url = f"{small.compare}?a={alpha.pk}&b={beta.pk}&measure=map"
    told = as_user(organizer).get(url).context
    assert (told["wins"], told["losses"], told["ties"], told["mean"]) == (1, 1, 1, 0.0)
    assert [pair.topic for pair in told["pairs"]] == ["2", "3", "1"]
    assert [pair.difference for pair in told["pairs"]] == [0.5, 0.0, -0.5]


def test_trec_eval_text_is_what_the_command_prints(as_user, organizer, alpha, qrels, small):
    files = [str(store.find_blob_path(name)) for name in (qrels.path, alpha.file)]
    text = read_page(as_user(organizer).get(f"{small.own}scores.txt"))
    assert text == run_on_files("evaluate", *files, "-q").out
    assert text.splitlines()[0] == "num_ret               \t1\t4"
    assert "map                   \tall\t0.5000\n" in text


def test_downloads_hold_every_value(as_user, organizer, small):
    client = as_user(organizer)
    wide = csv_body(read_page(client.get(small.csv))).splitlines()
    assert wide[0].split(",")[:2] == ["run", "team"]
    assert wide[1].startswith("alpha-one,Alpha,3.0,5.0")
    assert len(wide) == 4
    long = read_page(client.get(small.long))
    assert "alpha-one,map,1,0.5" in long.splitlines()
    assert "alpha-one,judged_10,3," in long.splitlines()
    assert csv_conditions(long)["qrels_version"] == 1
    told = json.loads(client.get(small.json).content)
    assert told["spread"]["map"] == {"best": 0.5, "median": 0.5, "worst": 0.0}
    assert told["conditions"]["qrels_version"] == 1
    run = json.loads(client.get(f"{small.own}scores.json").content)["runs"][0]
    assert run["topics"]["3"]["judged_10"] is None
    assert run["conditions"]["topics_averaged"] == 3


def test_the_leaderboard_sorts_by_any_column(as_user, organizer, small):
    client = as_user(organizer)

    def tags(sort: str) -> list[str]:
        rows = client.get(f"{small.home}?m=bpref&sort={sort}").context["rows"]
        return [row.entry.tag for row in rows]

    assert tags("bpref") == ["alpha-one", "beta-secret", "beta-other"]
    assert tags("-bpref") == ["beta-other", "beta-secret", "alpha-one"]
    assert tags("run") == ["alpha-one", "beta-other", "beta-secret"]
    assert tags("-team")[-1] == "alpha-one"
    assert tags("nonsense") == tags("bpref")


def test_low_judged_runs_are_marked(as_user, organizer, campaign, team, qrels):
    accepted_run(team, "unjudged", "1 Q0 x1 1 2 t\n1 Q0 x2 2 1 t\n")
    score_campaign(actor=organizer, campaign=campaign, qrels=qrels)
    answer = as_user(organizer).get("/c/small/results/scores/")
    assert answer.context["low"] == 1
    assert "fewer than 80 % of the top 10" in read_page(answer)


def test_a_row_of_scores_is_escaped_and_marked_cell_by_cell():
    cells = [
        ScoreCell("0.9000", 0.9, bar=90.04, best=True),
        ScoreCell("<–>", None, title='a "b"', interval="0.1 to 0.2"),
        ScoreCell("0.2000", 0.2, low=True),
    ]
    interval = show_interval("0.1 to 0.2", 'a "b"')
    assert 'title="a &quot;b&quot;" lang="en">0.1 to 0.2<' in interval
    parts = [
        f'<td class="num best" data-value="0.9">0.9000{show_bar(90.04)}</td>',
        f'<td class="num opt" data-value="">&lt;–&gt;{interval}</td>',
        '<td class="num opt" data-value="0.2">0.2000</td>',
    ]
    assert 'class="bar-fill" width="90.0"' in parts[0]
    assert show_score_cells(cells, hides_low=True) == "".join(parts)
    marked = '<td class="num opt" data-value="0.2"><span class="tag late">0.2000</span></td>'
    assert show_score_cells(cells, hides_low=False) == "".join([*parts[:2], marked])


@pytest.mark.parametrize(("name", "places"), [("map", [1, 3, None, 1, 4]),
                                              ("set_E", [3, 2, None, 3, 1])])  # fmt: skip
def test_equal_scores_share_the_better_place(name, places):
    values = [0.5, 0.4, None, 0.5, 0.25]
    names = SimpleNamespace(measures=[name])
    rows = [SimpleNamespace(means={name: value}, estimates={}) for value in values]
    shown = Leaderboard(
        names, SimpleNamespace(sees_all_runs=True), rows, [], None, [row.means for row in rows]
    )
    assert [shown.find_place(row, name) for row in rows] == places


def test_empty_pages_say_what_comes_next(as_user, organizer, participant, campaign):
    text = read_page(as_user(organizer).get("/c/small/results/scores/"))
    assert "No qrels to score with" in text
    qrels_release(campaign)
    assert "No accepted runs" in read_page(as_user(organizer).get("/c/small/results/scores/"))
    assert "not released yet" in read_page(as_user(participant).get("/c/small/results/scores/"))


def test_the_campaigns_own_measures_stand_in_its_own_order(as_user, organizer, score_set, campaign):
    Campaign.objects.filter(pk=campaign.pk).update(measures=["ndcg", "map", "recip_rank"])
    answer = as_user(organizer).get(score_set.get_absolute_url())
    shown = [column.name for column in answer.context["columns"]]
    assert shown[:3] == ["ndcg", "map", "recip_rank"]
    assert answer.context["sort"] == "ndcg"


def test_the_newest_scores_come_first_for_organizers(
    as_user, organizer, participant, campaign, qrels, score_set
):
    release_scores(actor=organizer, score_set=score_set)
    newer = score_campaign(actor=organizer, campaign=campaign, qrels=qrels)
    answer = as_user(organizer).get("/c/small/results/scores/")
    assert answer.context["score_set"] == newer
    assert [found.pk for found in answer.context["sets"]] == [newer.pk, score_set.pk]
    assert "Latest scores not released" in read_page(as_user(organizer).get("/c/small/"))
    text = read_page(answer)
    assert "Release scores" in text
    assert as_user(participant).get("/c/small/results/scores/").context["score_set"] == score_set


NEUTRAL = ["unj_10", "judged_5", "judged_10", "num_ret", "num_rel", "rbp_resid", "cwl_items"]


def test_measures_without_a_better_side_mark_no_run(
    as_user, organizer, campaign, alpha, beta, beta2
):
    names = [*NEUTRAL, "map", "set_E"]
    made = score_campaign(
        actor=organizer, campaign=campaign, qrels=qrels_release(campaign), measures=names
    )
    asked = "&".join(f"m={name}" for name in names)
    for sort in NEUTRAL:
        url = f"/c/small/results/scores/{made.pk}/?{asked}&sort={sort}"
        context = as_user(organizer).get(url).context
        columns = [column.name for column in context["columns"]]
        assert set(columns) == set(names)
        for row in context["rows"]:
            assert not row.best
            marked = {name for name, cell in zip(columns, row.cells, strict=True) if cell.best}
            assert marked <= {"map", "set_E"}
        summary = {
            word: dict(zip(columns, texts, strict=True))
            for word, texts in context["summary"].items()
        }
        assert {summary["Best"][name] for name in NEUTRAL} == {"–"}
        assert {summary["Worst"][name] for name in NEUTRAL} == {"–"}
        assert summary["Median"]["num_ret"] == "5"
        assert summary["Best"]["map"] != "–"
    shown = get_leaderboard(made, get_reader(organizer, campaign))
    values = [mean["set_E"] for mean in shown.means]
    assert shown.best_median_worst("set_E").as_dict()["best"] == min(values) < max(values)
    told = as_user(organizer).get(f"/c/small/results/scores/{made.pk}/scores.json").json()
    assert told["spread"]["unj_10"]["best"] is None
    page = as_user(organizer).get(f"{made.get_absolute_url()}run/{alpha.pk}/?measure=unj_10")
    assert not any(row.tops for row in page.context["topics"])
    assert [row.name for row in page.context["means"] if row.tops and row.name in NEUTRAL] == []
    assert "lowest to highest" in read_page(page)


def test_the_highest_grade_is_in_the_provenance(as_user, organizer, small):
    text = read_words(as_user(organizer).get(small.set))
    assert "Highest grade 3 ( the campaign's scale )" in text


def test_the_file_of_a_chart_is_in_english(as_user, organizer, small):
    url, client = f"{small.own}?chart=topics.svg", as_user(organizer)
    german, english = (client.get(url, headers={"accept-language": code}) for code in ("de", "en"))
    assert german.content == english.content
    assert "by topic, compared with all 3 runs." in german.content.decode()
