"""Letters: who gets which, what they say, and what they do not say."""

import re
from datetime import timedelta

import pytest
from django.core import mail as django_mail
from django.db import transaction
from django.utils import timezone

from campaigns.models import Campaign, Mail, Team, User
from campaigns.models.mail import MAIL_KINDS
from campaigns.services import mail as service
from campaigns.services.campaigns import reopen_submissions, update_campaign
from campaigns.services.errata import correct_texts
from campaigns.services.mail import queue_mail, send_queued_mails
from campaigns.services.reminders import queue_run_reminders
from evaluation.services.release import release_scores
from judging.services.adjudication import list_pairs_to_adjudicate, open_round
from judging.services.reminders import queue_judging_reminders
from tests.conftest import on_layers
from tests.world.site import submit

pytestmark = pytest.mark.usefixtures("addresses")
DAY = timedelta(days=1)
pool = on_layers("pool", "campaign")
plan = on_layers("plan", "campaign", "assessor", "pool")
double_plan = on_layers("double_plan", "campaign", "assessor", "assessor2", "pool")
disputes = on_layers("disputes", "double_plan")


def read_kinds(user: User) -> list[str]:
    return list(Mail.objects.filter(user=user).order_by("pk").values_list("kind", flat=True))


def test_a_team_reads_that_its_run_was_accepted_and_no_other_team_does(participant, rival, team):
    run = submit(participant, team, "alpha-one", {"1": "d1 d2"})
    told = Mail.objects.get()
    assert (told.user, told.kind, told.address) == (
        participant, "run_accepted", "participant@example.org",
    )  # fmt: skip
    assert told.subject == "Run alpha-one accepted: Small Task"
    assert f"http://localhost:8000/c/small/runs/{run.pk}/" in told.body
    assert "member of a team in Small Task" in told.body


def test_a_rejected_run_has_its_first_error_in_plain_text(participant, team):
    submit(participant, team, "a<b>&c", {"99": "d1"})
    told = Mail.objects.get()
    assert (told.kind, told.subject) == ("run_rejected", "Run a<b>&c rejected: Small Task")
    assert "the check found 2 errors" in told.body
    assert "a<b>&c.txt:1:15: E05 Invalid run tag: a<b>&c." in told.body
    assert "&amp;" not in told.body


def test_an_act_that_is_undone_queues_nothing(participant, team):
    with transaction.atomic():
        submit(participant, team, "alpha-one", {"1": "d1 d2"})
        transaction.set_rollback(True)
    assert not Mail.objects.exists()


def test_a_later_deadline_is_told_to_those_who_have_it(campaign, organizer, participant, rival):
    now = timezone.now()
    Campaign.objects.update(runs_deadline=now - DAY)
    campaign.refresh_from_db()
    given = {"actor": organizer, "campaign": campaign}
    reopen_submissions(**given, until=now + 9 * DAY)
    reopen_submissions(
        **given, until=now + 20 * DAY, team=campaign.teams.get(name=rival_team(rival))
    )
    update_campaign(**given, runs_deadline=now + 10 * DAY)
    assert read_kinds(participant) == ["submissions_reopened", "submissions_extended"]
    assert read_kinds(rival) == [
        "submissions_reopened", "submissions_extended", "submissions_extended",
    ]  # fmt: skip
    assert f"{now + 20 * DAY:%Y}" in Mail.objects.filter(user=rival)[1].body


def rival_team(user: User) -> str:
    return user.memberships.get().team.name


def test_a_correction_reaches_those_whom_it_concerns(
    campaign, organizer, participant, plan, assessor, assessor2
):
    given = {"actor": organizer, "campaign": campaign, "reason": "A typo."}
    correct_texts(**given, kind="topic", name="1", texts={"title": "first"})
    assert read_kinds(participant) == read_kinds(assessor) == ["text_corrected"]
    assert read_kinds(assessor2) == []
    told = Mail.objects.filter(user=assessor).get()
    assert told.subject == "Correction, Topic 1: Small Task"
    assert "Reason: A typo." in told.body
    assert "/c/small/setup/errata/#c1" in told.body
    correct_texts(**given, kind="grade", name="1", texts={"meaning": "new"})
    assert (len(read_kinds(participant)), len(read_kinds(assessor2))) == (1, 1)


def test_adjudicators_of_a_round_are_asked(campaign, organizer, disputes, restore):
    adjudicator = restore("adjudicator")
    pairs = list_pairs_to_adjudicate(campaign, min_difference=1, crossing=False)
    open_round(actor=organizer, campaign=campaign, pairs=pairs, adjudicators=[adjudicator])
    told = Mail.objects.get()
    assert (told.user, told.address, told.state) == (adjudicator, "", Mail.State.QUEUED)
    assert f"with {len(pairs)} documents" in " ".join(told.body.split())
    assert "/c/small/adjudicate/" in told.body


def test_released_scores_wait_and_no_mail_has_one(participant, rival, organizer, score_set):
    Mail.objects.all().delete()
    release_scores(actor=organizer, score_set=score_set)
    assert send_queued_mails() == 0
    assert read_kinds(participant) == read_kinds(rival) == ["scores_released"]
    text = "".join(Mail.objects.values_list("body", flat=True))
    assert not re.search(r"0\.\d|alpha|beta", text, re.IGNORECASE)
    assert service.cancel_mails(kind="scores_released", key=Mail.objects.first().key) == 2
    Mail.objects.update(send_after=timezone.now())
    assert send_queued_mails() == 0


def test_teams_are_reminded_twice_before_their_deadline(campaign, participant, rival):
    now = timezone.now()
    Campaign.objects.update(runs_deadline=now + 3 * DAY + timedelta(minutes=1))
    assert queue_run_reminders() == 0
    Campaign.objects.update(runs_deadline=now + 2 * DAY)
    Team.objects.filter(members__user=rival).update(runs_deadline=now + 9 * DAY)
    assert [queue_run_reminders(), queue_run_reminders()] == [1, 0]
    assert read_kinds(participant) == ["runs_deadline"]
    Campaign.objects.update(runs_deadline=now + DAY)
    Team.objects.filter(members__user=rival).update(runs_deadline=now + DAY / 2)
    assert [queue_run_reminders(), queue_run_reminders()] == [2, 0]
    assert "0 accepted runs. The limit is 5 runs." in " ".join(Mail.objects.last().body.split())
    Campaign.objects.update(runs_deadline=now - DAY)
    Team.objects.update(runs_deadline=None)
    assert queue_run_reminders() == 0


def test_assessors_with_documents_are_reminded_before_judging_closes(plan, assessor, assessor2):
    now = timezone.now()
    Campaign.objects.update(judging_deadline=now + 2 * DAY)
    assert queue_judging_reminders() == 1
    told = Mail.objects.get()
    assert (told.user, told.kind) == (assessor, "judging_deadline")
    assert "About 9 documents" in told.body
    # Looked at once an hour; the same deadline is told once.
    Campaign.objects.update(judging_deadline=now + DAY / 2)
    assert queue_judging_reminders() == 0
    Campaign.objects.update(reminded_at=now - timedelta(hours=1))
    assert queue_judging_reminders() == 1
    Campaign.objects.update(reminded_at=None)
    assert queue_judging_reminders() == 0


def test_documents_that_wait_for_a_week_are_told_once(plan, assessor):
    assert queue_judging_reminders() == 0
    type(plan).objects.update(created_at=timezone.now() - 8 * DAY)
    Campaign.objects.update(reminded_at=None)
    assert queue_judging_reminders() == 1
    assert Mail.objects.get().kind == "documents_wait"
    Campaign.objects.update(reminded_at=None)
    assert queue_judging_reminders() == 0


@pytest.mark.parametrize("field", ["closed_at", "removal_at"])
def test_a_closed_campaign_reminds_nobody(plan, participant, assessor, field):
    soon = timezone.now() + DAY
    Campaign.objects.update(runs_deadline=soon, judging_deadline=soon, **{field: soon})
    assert [queue_run_reminders(), queue_judging_reminders()] == [0, 0]


def test_a_paused_plan_reminds_nobody(plan, assessor):
    type(plan).objects.update(created_at=timezone.now() - 8 * DAY, state="paused")
    assert queue_judging_reminders() == 0


@pytest.mark.parametrize("kind", MAIL_KINDS)
@pytest.mark.parametrize("language", ["en", "de"])
def test_every_kind_is_a_letter(kind, language, campaign, organizer, team):
    """First line, greeting, one link, and why one gets it; no part of a template is left."""
    organizer.mail_language = language
    erratum = correct_texts(
        actor=organizer, campaign=campaign, kind="topic", name="1", texts={"title": "x"}
    )
    Mail.objects.all().delete()
    at = timezone.now()
    context = {
        "team": team, "tag": "t", "errors": 2, "warnings": 1, "first": "E07 <odd>", "runs": 1,
        "limit": 5, "deadline": at, "until": at, "erratum": erratum, "pairs": 3, "since": at,
        "documents": 4, "subject": "S", "text": "T", "sender": "Ann",
        "qrels": {"version": 2, "pairs": 3, "sha256": "0f"},
        "request": {"name": "N", "reason": "R", "affiliation": "A", "contact": "C",
                    "user": organizer},
    }  # fmt: skip
    queue_mail(kind, [organizer], key="k", campaign=campaign, context=context, path="/p/")
    told = Mail.objects.get()
    start, _, end = told.body.partition("http://localhost:8000/p/")
    assert told.subject
    assert "organizer,\n\n" in start.splitlines(keepends=True)[0] + "\n\n"
    assert end.startswith("\n\n--\n")
    assert end.strip().endswith(".")
    assert "Small Task" in end
    assert not re.search(r"[{%}]|\n\n\n|  |&lt;", told.body)
    sent = service.build_message(told).body
    assert max(map(len, sent.splitlines())) <= 72 + 60 * ("/reminders/" in sent)


def test_the_same_occasion_reaches_nobody_twice(campaign, participant, rival):
    User.objects.filter(pk=rival.pk).update(email="")
    people = list(User.objects.filter(pk__in=[participant.pk, rival.pk]))
    for _again in range(2):
        queue_mail("qrels_released", [*people, *people], key="1", campaign=campaign)
    assert Mail.objects.count() == 2
    assert send_queued_mails() == 1
    states = dict(Mail.objects.values_list("user", "state"))
    assert states == {participant.pk: "sent", rival.pk: "no_email"}


def test_nobody_who_cannot_sign_in_gets_mail(campaign, participant):
    participant.is_active = False
    assert queue_mail("qrels_released", [participant], key="1", campaign=campaign) == []


def test_headers_cannot_be_injected(campaign, participant, organizer):
    """Not by a title or a name, nor by an address that no form would take."""
    campaign.title = "Task\r\nBcc: all@example.org\r\n\r\nx"
    queue_mail("scores_released", [participant], key="1", campaign=campaign)
    Mail.objects.create(
        campaign=campaign, user=organizer, address="a@example.org\nBcc: b@example.org",
        kind="message", key="2", subject="s", body="b",
    )  # fmt: skip
    assert send_queued_mails() == 1
    (sent,) = django_mail.outbox
    assert set(sent.message().keys()) == {
        "Content-Type", "MIME-Version", "Content-Transfer-Encoding", "Subject", "From", "To",
        "Date", "Message-ID", "Auto-Submitted",
    }  # fmt: skip
    assert sent.recipients() == ["participant@example.org"]
    assert Mail.objects.get(key="2").state == Mail.State.FAILED
