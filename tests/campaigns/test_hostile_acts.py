"""Acts of organizers and teams in an order, or with contents, that nobody meant."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from campaigns.models import Campaign
from campaigns.services.campaigns import close_submissions, reopen_submissions, update_campaign
from campaigns.services.errata import correct_texts
from poolbench.texts.text_diff import MOST_LINES, diff_lines
from tests.pages import read_page
from tests.refusals import refusal, refusing
from tests.world.files import checked_run, run_text

DAY = timedelta(days=1)


@pytest.mark.parametrize("is_closed", [True, False])
def test_closing_ends_the_longer_time_of_a_team(
    organizer, participant, campaign, team, as_user, is_closed
):
    checked_run(participant, campaign, team)
    if is_closed:
        close_submissions(actor=organizer, campaign=campaign)
    else:
        update_campaign(actor=organizer, campaign=campaign, runs_deadline=timezone.now() + DAY)
    before = campaign.runs_deadline
    reopen_submissions(
        actor=organizer, campaign=campaign, until=timezone.now() + 7 * DAY, team=team
    )
    assert "Close submission" in read_page(as_user(organizer).get("/c/small/runs/"))
    close_submissions(actor=organizer, campaign=campaign)
    team.refresh_from_db()
    with refusing("deadline"):
        checked_run(participant, campaign, team, run_text(tag="late"))
    assert (Campaign.objects.get().runs_deadline == before) == is_closed
    assert "Close submission" not in read_page(as_user(organizer).get("/c/small/runs/"))


def test_a_key_sent_with_another_form_is_another_submission(participant, campaign, team):
    rejected = checked_run(participant, campaign, team, tag="other", key="k")
    sent = checked_run(participant, campaign, team, key="k")
    assert (rejected.state, sent.state) == ("rejected", "accepted")
    assert checked_run(participant, campaign, team, key="k") == sent
    assert checked_run(participant, campaign, team, key="k", replaces=sent).replaces == sent


def test_settings_can_be_saved_after_submission_was_reopened_beyond_judging(organizer, campaign):
    now = timezone.now()
    dates = {"runs_deadline": now + DAY, "judging_deadline": now + 2 * DAY}
    update_campaign(actor=organizer, campaign=campaign, **dates)
    reopen_submissions(actor=organizer, campaign=campaign, until=now + 3 * DAY)
    update_campaign(actor=organizer, campaign=Campaign.objects.get(), title="New")
    with refusing("bad-settings", "Judging would end before runs close"):
        update_campaign(
            actor=organizer, campaign=Campaign.objects.get(), judging_deadline=now + 2.5 * DAY
        )


def test_a_correction_is_of_what_it_names_and_as_long_as_a_topic(organizer, campaign):
    acts = {"actor": organizer, "campaign": campaign}
    for name in ("000001", "10000", "٠"):
        with refusing("nothing-to-correct"):
            correct_texts(**acts, kind="grade", name=name, texts={"label": "New"})
    long = {"title": "x" * 5001}
    assert refusal(correct_texts, **acts, kind="topic", name="1", texts=long) == "too-long"


def test_a_form_that_is_older_than_a_correction_does_not_undo_it(organizer, campaign, as_user):
    client, address = as_user(organizer), f"{reverse('erratum-new', args=['small'])}?kind=topic"
    topic = campaign.topics.get(number="1")
    texts = {"title": topic.title, "description": topic.description, "narrative": "Mine"}
    seen = client.get(f"{address}&name=1").context["form"]["seen"].initial
    correct_texts(
        actor=organizer, campaign=campaign, kind="topic", name="1", texts={"title": "Theirs"}
    )
    page = read_page(client.post(f"{address}&name=1", texts | {"seen": seen}))
    assert "Another correction came first." in page
    topic.refresh_from_db()
    assert (topic.title, topic.narrative != "Mine") == ("Theirs", True)
    assert campaign.errata.count() == 1


def test_long_texts_are_compared_in_linear_time():
    same = "a\n" * MOST_LINES
    assert [line.kind for line in diff_lines(same, same + "b")].count("same") == 0
    assert [line.kind for line in diff_lines(same, same)].count("same") == MOST_LINES
