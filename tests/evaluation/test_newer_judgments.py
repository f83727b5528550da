"""Judgments that came after the released qrels: how many, and what to do, on three pages."""

from django.urls import reverse

from campaigns.lifecycle.head import list_pending_tasks
from campaigns.lifecycle.status import get_campaign_status
from evaluation.services.release import release_scores
from judging.queries.newer_judgments import count_newer_judgments
from judging.services.imports import import_judgments
from judging.services.qrels import freeze_qrels
from tests.pages import read_page

TASK = "3 judgments are newer than the released qrels: freeze a version, evaluate"


def list_labels(campaign, user) -> list[str]:
    return [str(task.label) for task in list_pending_tasks(get_campaign_status(campaign, user))]


def test_newer_judgments_are_counted_and_say_what_to_do(
    as_user, organizer, assessor, campaign, score_set
):
    release_scores(actor=organizer, score_set=score_set)
    assert count_newer_judgments(score_set.qrels) == 0
    assert TASK not in list_labels(campaign, organizer)
    given = {"actor": organizer, "campaign": campaign, "assessor": assessor}
    import_judgments(**given, rows=[("1", "n1", 1), ("1", "n2", 0), ("1", "n3", 1)])
    import_judgments(**given, rows=[("1", "n3", 0)])
    assert count_newer_judgments(score_set.qrels) == 3
    campaign.topics.update(withheld=True)
    assert count_newer_judgments(score_set.qrels) == 0
    campaign.topics.update(withheld=False)
    assert TASK in list_labels(campaign, organizer)
    client, slug = as_user(organizer), campaign.slug
    for page in (
        reverse("qrels-list", args=[slug]), reverse("score-set", args=[slug, score_set.pk])
    ):  # fmt: skip
        assert "3 judgments are newer than qrels 1." in read_page(client.get(page)), page
    assert TASK in read_page(client.get(campaign.get_absolute_url()))
    freeze_qrels(actor=organizer, campaign=campaign, policy="maximum")
    assert TASK not in list_labels(campaign, organizer)
    assert "are newer than" not in read_page(client.get(reverse("qrels-list", args=[slug])))
    page = read_page(client.get(reverse("score-set", args=[slug, score_set.pk])))
    assert "Evaluate the runs by qrels 2" in page
    assert "Freeze a version" not in page
