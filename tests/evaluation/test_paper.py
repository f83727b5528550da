"""A team's results for a paper: what is in them, and nothing of other teams beyond the board."""

import io
import json
import re
import zipfile
from dataclasses import replace
from hashlib import sha256

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from campaigns.models import Campaign
from campaigns.services.campaigns import update_campaign
from evaluation.queries.paper import get_paper_results
from evaluation.services.release import release_scores
from evaluation.services.scoring import score_campaign
from poolbench.charts import png
from poolbench.evaluation.paper.citation import write_bibtex, write_conditions
from poolbench.evaluation.paper.files import build_paper_charts, iter_paper_files, pack_paper
from poolbench.evaluation.paper.report import RUNS_FORMATS, TOPICS_FORMATS
from poolbench.evaluation.paper.verdict import format_ordinal, judge_paper
from poolbench.verdicts import MOST_WORDS, VerdictState
from pooling.models import Pool
from tests.confirming import api
from tests.csv_reading import csv_conditions, csv_rows
from tests.examples import ALL
from tests.pages import read_page
from tests.refusals import refusing
from tests.world.files import make_pool, qrels_release, ranked_run

TOPICS = [str(n) for n in range(1, 13)]
RUNS = {
    "alpha-good": ("Alpha", "d1 d2"),
    "alpha-poor": ("Alpha", "d3 d4"),
    "beta-secret": ("Beta", "d2 d1"),
    "beta-other": ("Beta", "d4 d2 d1"),
}
SECRETS = re.compile(r"beta-secret|beta-other|Beta\b")


@pytest.fixture(autouse=True)
def _small_pictures(monkeypatch):
    monkeypatch.setattr(png, "DPI", png.DPI if ALL else 48)


@pytest.fixture
def scored(organizer, campaign, team, other_team):
    """Alpha has the best and the worst of four runs over twelve topics."""
    text = "".join(f"{topic} 0 d1 1\n{topic} 0 d2 0\n" for topic in TOPICS)
    qrels = qrels_release(campaign, text)
    for tag, (name, order) in RUNS.items():
        turned = {"2": " ".join(reversed(order.split()))}
        ranked = dict.fromkeys(TOPICS, order) | turned
        ranked_run(campaign.teams.get(name=name), tag, ranked)
    names = ["map", "P_10", "recip_rank", "judged_10"]
    return score_campaign(actor=organizer, campaign=campaign, qrels=qrels, measures=names)


@pytest.fixture
def released(organizer, scored):
    return release_scores(actor=organizer, score_set=scored)


def set_board(score_set, board: str) -> None:
    Campaign.objects.filter(pk=score_set.campaign_id).update(board=board)
    score_set.campaign.refresh_from_db()


def results_of(score_set, name="Alpha", **more):
    results = get_paper_results(score_set, score_set.campaign.teams.get(name=name), **more)
    assert results is not None
    return results


def get(client, who, campaign, name="paper", args=(), **query):
    client.force_login(who)
    return client.get(reverse(name, args=[campaign.slug, *args]), query)


def unzip(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}


def test_own_runs_stand_beside_all_runs(scored):
    results = results_of(scored)
    assert [run.tag for run in results.runs] == ["alpha-good", "alpha-poor"]
    assert [measure.mean_title for measure in results.measures] == ["MAP", "P@10", "MRR"]
    good = results.runs[0]
    assert good.places[0] is None
    set_board(scored, "pseudonyms")
    assert results_of(scored).runs[0].places[0] == 1
    # Eleven topics with the document first, one with it second.
    assert good.means[0] == pytest.approx((11 + 0.5) / 12)
    assert results.count == 4
    assert results.spreads[0].best == good.means[0]
    assert results.topics[-1].number == "2"
    assert results.topics[0].number == "1"
    leads = [topic.lead for topic in results.topics]
    assert leads == sorted(leads, reverse=True)


def test_the_verdict_leads_with_the_number(scored):
    own = judge_paper(results_of(scored))
    assert own.sentence.startswith("alpha-good has MAP 0.958 against a median of 0.465, and beats")
    assert "Place" not in [figure.label for figure in own.figures]
    set_board(scored, "pseudonyms")
    verdict = judge_paper(results_of(scored))
    assert verdict.state is VerdictState.GOOD
    assert verdict.sentence.startswith("alpha-good is 1st of 4 runs by MAP with 0.958")
    assert "on 11 of 12 topics" in verdict.sentence
    assert len(verdict.sentence.split()) <= MOST_WORDS
    assert "largest loss is on topic 2" in verdict.reason
    beta = judge_paper(results_of(scored, "Beta"))
    assert len(beta.sentence.split()) <= MOST_WORDS


def test_verdicts_of_all_states(scored):
    results = results_of(scored)
    poor = replace(results, runs=results.runs[1:])
    worse = replace(poor, topics=tuple(replace(topic, lead=-0.1) for topic in results.topics))
    assert judge_paper(worse).state is VerdictState.BAD
    assert judge_paper(poor).state is VerdictState.AMBER
    assert judge_paper(replace(results, runs=())).state is VerdictState.UNKNOWN
    few = judge_paper(replace(results, count=2))
    assert few.state is VerdictState.UNKNOWN
    assert "2 runs" in few.sentence
    assert "3 runs" in few.reason


def test_places_are_written_as_one_says_them():
    assert [format_ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 102, 111)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th",
    ]  # fmt: skip


@pytest.mark.parametrize("board", Campaign.Board.values)
def test_nothing_names_other_teams(client, participant, organizer, released, board):
    """Best, median and worst are values; no file and no page has a tag or a team of others."""
    set_board(released, board)
    results = results_of(released)
    for name, content in iter_paper_files(results):
        if isinstance(content, str):
            assert not SECRETS.search(content), name
        else:
            assert not SECRETS.search(content.decode("latin-1")), name
    for who, query in ((participant, {}), (organizer, {"team": "Alpha"})):
        page = get(client, who, released.campaign, **query)
        assert page.status_code == 200
        body = read_page(page).partition("<main")[2]
        shown = re.sub(r'<option value="Beta"[^>]*>\s*Beta\s*</option>', "", body)
        shown = shown if who is organizer else body
        assert not SECRETS.search(shown)


@pytest.mark.parametrize(
    ("board", "has_all"), [("own", False), ("pseudonyms", True), ("names", True)]
)
def test_how_scores_are_distributed_is_only_for_those_who_see_all_runs(released, board, has_all):
    set_board(released, board)
    results = results_of(released)
    assert any(topic.box for topic in results.topics) is has_all
    assert (results.pairs is not None) is has_all
    charts = [chart.name for chart in build_paper_charts(results)]
    assert charts == (["topics", "boxes"] if has_all else ["topics"])
    among = "run of the campaign" if has_all else "run of the team"
    assert all(among in note for note in results.notes if note[0] in "*†")
    assert ("significantly better than" in judge_paper(results).reason) is has_all


def test_marks_compare_with_the_runs_that_are_shown(released):
    set_board(released, "own")
    alpha = results_of(released)
    assert [run.marks[0] for run in alpha.runs] == ["*", "†"]
    beta = results_of(released, "Beta")
    assert beta.pairs is None
    set_board(released, "names")
    beta = results_of(released, "Beta")
    assert beta.runs[0].marks[0] == "†"
    assert beta.pairs is not None
    assert beta.pairs.better >= 1
    assert beta.pairs.others == 3


def test_nothing_is_shown_before_the_release(client, participant, organizer, scored):
    page = get(client, participant, scored.campaign)
    assert page.status_code == 200
    assert "No scores yet" in read_page(page)
    download = get(client, participant, scored.campaign, "paper-download", ["runs", "csv"])
    assert download.status_code == 404
    assert api(participant).get(reverse("api-score-set-paper", args=[scored.pk])).status_code == 404
    text = read_page(get(client, organizer, scored.campaign, team="Alpha"))
    assert "Not released" in text
    assert "alpha-good" in text


def test_a_team_without_runs_and_few_runs_say_so(client, organizer, campaign, released):
    campaign.teams.create(name="Empty")
    text = read_page(get(client, organizer, campaign, team="Empty"))
    assert "Empty has no run with a score" in text


def test_tables_have_the_best_in_bold_and_marks(scored):
    set_board(scored, "names")
    results = results_of(scored)
    latex = RUNS_FORMATS["latex"](results)
    assert r"alpha-good & \textbf{0.958}$^{\ast}$ & " in latex
    assert "\\midrule\nBest of 4 & 0.958" in latex
    assert "Significance: paired t test, Holm correction over 6 run pairs, level 0.05." in latex
    markdown = RUNS_FORMATS["markdown"](results)
    assert "| alpha-good | **0.958**\\* |" in markdown
    rows = csv_rows(RUNS_FORMATS["csv"](results))
    assert [row["run"] for row in rows] == ["alpha-good", "alpha-poor"]
    assert float(rows[0]["map"]) == results.runs[0].means[0]
    assert (
        "Scores are means over 12 topics"
        in csv_conditions(RUNS_FORMATS["csv"](results))["sentence"]
    )
    data = json.loads(RUNS_FORMATS["json"](results))
    assert data["runs"][0]["measures"]["map"]["mark"] == "*"
    two = RUNS_FORMATS["markdown"](results, 2)
    assert "**0.96**" in two
    assert len(csv_rows(TOPICS_FORMATS["csv"](results))) == 12


def test_the_sentence_on_conditions_has_all_of_them(scored):
    text = write_conditions(results_of(scored))
    for part in (
        "12 topics", "qrels 1 (sha256 " + scored.qrels.sha256[:12], "grade 1 or higher",
        "gains are", "unjudged documents count as not relevant (judged@10 of alpha-good:",
        "MAP, P@10, MRR",
        "paired t test, Holm correction over 6 run pairs, level 0.05", "Poolbench 0",
        "profile poolbench", f"on {scored.created_at:%Y-%m-%d}",
    ):  # fmt: skip
        assert part in text
    results = results_of(scored)
    for judged, said in ((0.8999, "0.8999"), (0.9, "0.90"), (0.9996, "0.9996"), (1.0, "1.00")):
        shown = replace(results, conditions=replace(results.conditions, judged=judged))
        assert f"(judged@10 of alpha-good: {said})" in write_conditions(shown)


def test_conditions_say_how_much_of_the_pool_is_judged(campaign, scored):
    pool = make_pool(campaign, {"1": ["d1", "d2", "d3", "d4"], "2": ["d1", "d9"]})
    Pool.objects.filter(pk=pool.pk).update(frozen_at=scored.qrels.frozen_at)
    text = write_conditions(results_of(scored))
    assert "(pool 1, 3 of 6 documents judged)." in text


def test_titles_cannot_break_out_of_bibtex(scored):
    conditions = replace(results_of(scored).conditions, campaign="A_{b} & 50 % \\x", slug="a--b")
    text = write_bibtex(conditions)
    assert r"{{A\_\{b\} \& 50 \% \textbackslash{}x}}" in text
    assert re.match(r"@misc\{a--b\d{4},", text)
    braces = [len(re.findall(rf"(?<!\\)\{brace}", text)) for brace in "{}"]
    assert braces[0] == braces[1]
    ends_with_year = replace(conditions, slug=f"task-{conditions.evaluated.year}")
    assert write_bibtex(ends_with_year).startswith(f"@misc{{{ends_with_year.slug},")


def test_the_citation_is_the_one_that_the_organizers_prefer(scored, organizer):
    def cite(**changes):
        campaign = Campaign.objects.get(pk=scored.campaign_id)
        update_campaign(actor=organizer, campaign=campaign, **changes)
        scored.campaign.refresh_from_db()
        return write_bibtex(results_of(scored).conditions)

    text = cite(website="https://trec.example/2026?a={b}", citation="Ada & Bob, Overview, 2026")
    assert "  url    = {https://trec.example/2026?a=%7Bb%7D},\n" in text
    assert r"note   = {Ada \& Bob, Overview, 2026. Qrels 1, sha256 " in text
    entry = "@inproceedings{ada26,\n  title = {The {TREC} Overview},\n}"
    text = cite(citation=f"  {entry}\n")
    assert text.startswith(f"{entry}\n\n@software{{poolbench")
    assert "@misc" not in text
    assert r"note   = {@misc\{a, title = \{b\}. Qrels 1" in cite(citation="@misc{a, title = {b}")
    with refusing("bad-settings", match="website: Enter a valid URL"):
        cite(website="javascript:alert(1)")


def test_the_archive_is_the_same_each_time_and_complete(scored):
    set_board(scored, "names")
    results = results_of(scored)
    packed = pack_paper(results)
    assert packed == pack_paper(results)
    files = unzip(packed)
    figures = [
        f"figure-{name}.{end}" for name in ("topics", "boxes") for end in ("svg", "png", "csv")
    ]
    tables = [
        f"{name}.{end}" for name in ("runs", "topics") for end in ("csv", "json", "md", "tex")
    ]
    assert set(files) == {
        *figures, *tables, "README.txt", "conditions.txt", "conditions.tex", "citation.bib",
        "SHA256SUMS",
    }  # fmt: skip
    for line in files["SHA256SUMS"].decode().splitlines():
        digest, name = line.split("  ")
        assert sha256(files[name]).hexdigest() == digest
    assert len(files["SHA256SUMS"].splitlines()) == len(files) - 1
    assert judge_paper(results).sentence in files["README.txt"].decode()
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert archive.namelist() == sorted(archive.namelist())
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_page_api_and_command_give_the_same_archive(client, participant, released, tmp_path):
    page = get(client, participant, released.campaign, "paper-download", ["all", "zip"])
    assert page.headers["Content-Type"] == "application/zip"
    sent = api(participant).get(reverse("api-score-set-paper-zip", args=[released.pk]))
    assert sent.content == page.content
    file = tmp_path / "paper.zip"
    slug = released.campaign.slug
    call_command("paper", campaign=slug, team="Alpha", output=file)
    assert file.read_bytes() == page.content
    data = api(participant).get(reverse("api-score-set-paper", args=[released.pk])).json()
    assert data["verdict"]["sentence"].startswith("alpha-good has MAP")
    with pytest.raises(CommandError, match="Unknown team: Gamma"):
        call_command("paper", campaign=slug, team="Gamma", output=file)
    with pytest.raises(CommandError, match="Unknown campaign: none"):
        call_command("paper", campaign="none", team="Alpha", output=file)


def test_the_page_keeps_the_choice_of_measures(client, participant, released):
    page = get(client, participant, released.campaign, m="recip_rank", decimals="2")
    text = read_page(page)
    assert "has MRR" in text
    assert "m=recip_rank&amp;decimals=2" in text
    assert [measure.name for measure in page.context["results"].measures] == ["recip_rank"]
    odd = get(client, participant, released.campaign, m="nonsense", decimals="99")
    assert next(iter(odd.context["results"].measures)).name == "map"
    unknown = get(client, participant, released.campaign, "paper-download", ["none", "csv"])
    assert unknown.status_code == 404
    assert get(client, participant, released.campaign, team="Gamma").status_code == 404
