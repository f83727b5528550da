"""The page *Why the score changed*: sums, and who sees what. Costs a second: two score sets."""

import pytest

from evaluation.queries.score_changes import compare_run_scores, explain_run_topic
from evaluation.queries.score_sets import get_reader
from evaluation.services.release import release_scores
from evaluation.services.scoring import score_campaign
from tests.pages import read_words
from tests.world.files import QRELS, qrels_release

pytestmark = pytest.mark.django_db
NEWER = QRELS.replace("1 0 d3 0", "1 0 d3 1") + "1 0 d7 1\n1 0 d9 2\n2 0 d8 1\n"
"""Of topic 1, alpha has d3 at rank 1 and d9 at rank 3, but not d7; of topic 2 it has not d8."""


@pytest.fixture
def later(organizer, campaign, score_set):
    return score_campaign(
        actor=organizer, campaign=campaign, qrels=qrels_release(campaign, NEWER, 2)
    )


def address(score_set, run) -> str:
    campaign = score_set.campaign
    return f"/c/{campaign.slug}/results/scores/{score_set.pk}/run/{run.pk}/changes/"


def test_the_parts_add_up_to_the_stored_scores(organizer, campaign, score_set, later, alpha):
    reader = get_reader(organizer, campaign)
    for name in ("map", "ndcg_cut_10", "P_10", "bpref", "recip_rank"):
        changes = compare_run_scores(later, alpha, reader, name=name)
        old, new = (each.runs.get(run=alpha).means[name] for each in (score_set, later))
        assert (changes.mean_before, changes.mean_after) == (old, new)
        assert sum(each.part for each in changes.topics) == pytest.approx(new - old, abs=1e-12)
        for each in changes.topics:
            found = explain_run_topic(changes, each.topic)
            assert found.total == pytest.approx((each.after or 0) - (each.before or 0), abs=1e-12)


def test_organizers_see_all_documents(as_user, organizer, score_set, later, alpha):
    words = read_words(as_user(organizer).get(address(later, alpha) + "?measure=map&topic=1"))
    assert "Documents of topic 1" in words
    # AP: 1/2, then 3 relevant with d3 at 1, 4 with d9 at 3, 5 with d7 nowhere.
    assert "1 d3 0 1" in words
    assert "3 d9 – 2" in words
    assert "– d7 – 1" in words
    again = as_user(organizer).get(address(score_set, alpha))
    assert "No earlier scores of this run" in read_words(again)


def test_teams_see_released_scores_of_own_runs_and_documents_they_retrieved(
    as_user, organizer, participant, rival, score_set, later, alpha
):
    page = address(later, alpha)
    release_scores(actor=organizer, score_set=score_set)
    assert as_user(participant).get(page).status_code == 404
    release_scores(actor=organizer, score_set=later)
    assert as_user(rival).get(page).status_code == 404
    member = as_user(participant)
    words = read_words(member.get(page + "?measure=map&topic=1"))
    assert "3 d9 – 2" in words
    assert "d7" not in words
    assert "1 document that the run did not retrieve" in words
    assert "Why the score changed" in read_words(member.get(page.removesuffix("changes/")))


def test_earlier_scores_that_were_not_released_stay_unseen(
    as_user, organizer, participant, score_set, later, alpha
):
    release_scores(actor=organizer, score_set=later)
    page = as_user(participant).get(address(later, alpha))
    assert "No earlier scores of this run" in read_words(page)
    asked = as_user(participant).get(address(later, alpha) + f"?since={score_set.pk}")
    assert asked.status_code == 404


@pytest.mark.parametrize("query", ["since=0", "measure=nope", "measure=num_rel", "topic=99"])
def test_what_there_is_not_is_404(as_user, organizer, later, alpha, query):
    assert as_user(organizer).get(f"{address(later, alpha)}?{query}").status_code == 404
