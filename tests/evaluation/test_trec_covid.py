"""The real campaign: 143 runs of 56 teams on 30 topics, cut to 50 documents a topic."""

import csv
import gzip

import pytest

from campaigns.models import Run
from campaigns.services.people import get_or_create_team
from evaluation.models import RunScores
from evaluation.services.scoring import score_campaign
from tests.world.files import accepted_run, qrels_release

PUBLISHED = {"ndcg@10": "ndcg_cut_10", "p@5": "P_5"}


@pytest.fixture
def covid(data_dir, organizer, campaign):
    folder = data_dir / "trec-covid-r1"
    with (folder / "leaderboard.csv").open() as lines:
        rows = {row["run"]: row for row in csv.DictReader(lines)}
    for path in sorted((folder / "runs-top50").iterdir()):
        text = gzip.decompress(path.read_bytes()).decode()
        tag = text.split("\n", 1)[0].split()[5]
        team = get_or_create_team(actor=organizer, campaign=campaign, name=rows[tag]["team"])
        accepted_run(team, tag, text)
    qrels = qrels_release(campaign, (folder / "qrels-covid-round1.txt").read_text())
    return score_campaign(actor=organizer, campaign=campaign, qrels=qrels), rows


@pytest.mark.full  # small campaigns agree with trec_eval in test_whole_way
def test_the_leaderboard_is_the_published_one(as_user, organizer, covid):
    score_set, rows = covid
    assert Run.objects.count() == 143
    differing = {
        (row.run.tag, name)
        for row in RunScores.objects.filter(score_set=score_set).select_related("run")
        for name, ours in PUBLISHED.items()
        if f"{row.means[ours]:.4f}" != rows[row.run.tag][name]
    }
    # Published as .1731, which trec_eval does not confirm either.
    assert differing == {("BERT", "ndcg@10")}
    client = as_user(organizer)
    answer = client.get("/c/small/results/scores/")
    assert len(answer.context["rows"]) == 143
    assert answer.context["rows"][0].entry.tag == "run1"
