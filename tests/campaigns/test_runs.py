"""Submitting, checking, replacing and withdrawing runs."""

import gzip
import re
from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from campaigns import store
from campaigns.models import Campaign, Event, Run
from campaigns.services import jobs, matrices
from campaigns.services.campaigns import update_campaign
from campaigns.services.run_files import read_original_file
from campaigns.services.runs import latest_check_job, requeue_run_check, submit_run, withdraw_run
from tests.refusals import refusing
from tests.world.files import checked_run, run_text


def codes(run: Run) -> set[str]:
    return set(run.fault_report.counts)


def test_a_good_run_is_accepted_and_encoded(campaign, participant, team):
    run = checked_run(participant, campaign, team, description="BM25")
    assert (run.state, run.tag, run.lines) == ("accepted", "first", 6)
    assert run.report["found"] == {"documents": 6, "topics": 3, "tied": 0}
    table = matrices.load_run_table(run)
    assert (table.topics, table.docnos) == (("1", "2", "3"), ["d1", "d2"] * 3)
    assert latest_check_job(run).state == "done"
    codes_logged = Event.objects.filter(campaign=campaign, data__run=run.pk).values_list(
        "code", flat=True
    )
    assert sorted(codes_logged) == ["run.accepted", "run.submitted"]


@pytest.mark.parametrize("packed", [False, True])
def test_the_file_is_kept_as_it_came(campaign, participant, team, packed):
    data = gzip.compress(run_text()) if packed else run_text()
    run = checked_run(participant, campaign, team, data)
    assert run.state == "accepted"
    assert read_original_file(run) == data
    assert (run.sha256, run.size) == (store.sha256(data), len(data))
    assert run.file.endswith(".gz" if packed else ".packed.zst")


def list_stored() -> set[str]:
    return {file.name for file in store.list_blobs()}


def test_the_file_as_sent_goes_once_the_packed_one_has_a_row(
    campaign, participant, team, django_capture_on_commit_callbacks
):
    fields = {"actor": participant, "campaign": campaign, "team": team, "file_name": "f"}
    first, second = (submit_run(**fields, data=run_text()) for _ in range(2))
    sent = {first.file, second.file}
    assert len(sent) == 2 <= len(list_stored() & sent)
    assert all(store.get_blob(name) == run_text() for name in sent)
    stale = Run.objects.get(pk=first.pk)
    with django_capture_on_commit_callbacks(execute=True):
        jobs.run_here(latest_check_job(first))
    assert list_stored() & sent == {second.file}
    assert read_original_file(stale) == run_text()  # its row was read before the check
    with store.keep_files(), django_capture_on_commit_callbacks(execute=True):
        jobs.run_here(latest_check_job(second))
    assert second.file in list_stored()  # a copy of the database may name it
    second.refresh_from_db()
    assert (second.state, second.file) == ("rejected", stale.file)


def test_a_check_that_dies_leaves_the_file_as_sent(campaign, participant, team, monkeypatch):
    fields = {"actor": participant, "campaign": campaign, "team": team, "file_name": "f"}
    run = submit_run(**fields, data=run_text())
    job = latest_check_job(run)
    with monkeypatch.context() as patch:
        patch.setattr("campaigns.services.runs.check_run_file", lambda *_args, **_more: 1 / 0)
        jobs.run_here(job)
    assert read_original_file(Run.objects.get(pk=run.pk)) == run_text()
    requeue_run_check(actor=participant, run=run)
    jobs.run_here(latest_check_job(run))
    run.refresh_from_db()
    assert (run.state, read_original_file(run)) == ("accepted", run_text())


def test_files_that_were_packed_as_gzip_are_read_on(campaign, participant, team):
    run = checked_run(participant, campaign, team)
    run.file = store.put_blob(gzip.compress(run_text()), ".packed.gz")
    assert read_original_file(run) == run_text()


def test_a_bad_run_is_refused_with_every_fault(campaign, participant, team):
    run = checked_run(participant, campaign, team, run_text(docnos=("d1", "d1", "zz")))
    assert run.state == "rejected"
    assert codes(run) >= {"E10", "E11"}
    assert run.matrix == ""


def test_a_tag_is_used_once(campaign, participant, rival, team, other_team):
    checked_run(participant, campaign, team)
    second = checked_run(rival, campaign, other_team)
    assert (second.state, codes(second)) == ("rejected", {"E08"})


def test_of_two_runs_checked_at_once_one_wins_the_tag(
    campaign, participant, rival, team, other_team, monkeypatch
):
    """Both checks pass before either is settled: the database decides."""
    from campaigns.services import runs as services

    late: list[Run] = []
    settle = services.finish_run_check

    def settle_after_the_other(job, run, checked, matrix):
        if not late:
            late.append(run)
            checked_run(rival, campaign, other_team)
        settle(job, run, checked, matrix)

    monkeypatch.setattr(services, "finish_run_check", settle_after_the_other)
    first = checked_run(participant, campaign, team)
    assert (first.state, codes(first)) == ("rejected", {"E08"})
    assert campaign.runs.accepted().get().team == other_team
    assert latest_check_job(first).state == "done"


def test_a_declared_tag_must_stand_in_the_file(campaign, participant, team):
    run = checked_run(participant, campaign, team, tag="second")
    assert (run.state, run.tag, codes(run)) == ("rejected", "second", {"E07"})


def test_only_accepted_runs_count_towards_the_limit(campaign, organizer, participant, team):
    update_campaign(actor=organizer, campaign=campaign, max_runs_per_team=1)
    checked_run(participant, campaign, team, b"nonsense")
    pending = submit_run(
        actor=participant,
        campaign=campaign,
        team=team,
        data=run_text("late", docnos=["d9"]),
        file_name="l",
    )
    first = checked_run(participant, campaign, team)
    assert first.state == "accepted"
    jobs.run_here(latest_check_job(pending))
    pending.refresh_from_db()
    assert (pending.state, codes(pending)) == ("rejected", {"E18"})
    with refusing("quota"):
        checked_run(participant, campaign, team, run_text("third"))
    withdraw_run(actor=participant, run=first)
    assert checked_run(participant, campaign, team, run_text("third")).state == "accepted"


def test_replacing_keeps_the_record_and_frees_the_tag(campaign, organizer, participant, team):
    update_campaign(actor=organizer, campaign=campaign, max_runs_per_team=1)
    old = checked_run(participant, campaign, team)
    new = checked_run(participant, campaign, team, run_text(docnos=["d3"]), replaces=old)
    old.refresh_from_db()
    assert (old.state, new.state, new.tag) == ("replaced", "accepted", "first")
    assert read_original_file(old) == run_text()


def test_a_refused_replacement_changes_nothing(campaign, participant, team):
    old = checked_run(participant, campaign, team)
    new = checked_run(participant, campaign, team, b"junk", replaces=old)
    old.refresh_from_db()
    assert (old.state, new.state) == ("accepted", "rejected")


def test_a_replacement_of_a_run_that_went_is_refused(campaign, participant, team):
    old = checked_run(participant, campaign, team)
    fields = {"actor": participant, "campaign": campaign, "team": team, "file_name": "f"}
    new = submit_run(**fields, data=run_text("second"), replaces=old)
    withdraw_run(actor=participant, run=old)
    jobs.run_here(latest_check_job(new))
    new.refresh_from_db()
    assert (new.state, codes(new)) == ("rejected", {"E19"})
    with refusing("not-replaceable"):
        submit_run(**fields, data=run_text("third"), replaces=old)


def test_a_withdrawn_tag_is_free_for_the_same_team_only(
    campaign, participant, rival, team, other_team
):
    run = withdraw_run(actor=participant, run=checked_run(participant, campaign, team))
    assert run.state == "withdrawn"
    assert codes(checked_run(rival, campaign, other_team)) == {"E08"}
    assert checked_run(participant, campaign, team).state == "accepted"
    with refusing("not-accepted"):
        withdraw_run(actor=participant, run=run)


def test_after_the_deadline_only_organizers_submit_and_withdraw(
    campaign, organizer, participant, team
):
    run = checked_run(participant, campaign, team)
    past = timezone.now() - timedelta(minutes=1)
    update_campaign(actor=organizer, campaign=campaign, runs_deadline=past)
    for act in (
        lambda: checked_run(participant, campaign, team, run_text("b")),
        lambda: withdraw_run(actor=participant, run=run),
    ):
        with refusing("deadline"):
            act()
    assert checked_run(organizer, campaign, team, run_text("b")).state == "accepted"


def test_only_the_team_and_organizers_submit(campaign, assessor, rival, stranger, team):
    for actor in (assessor, rival, stranger):
        with pytest.raises(PermissionDenied):
            checked_run(actor, campaign, team)
    assert not Run.objects.exists()


def test_only_the_team_withdraws(campaign, participant, rival, team):
    run = checked_run(participant, campaign, team)
    with pytest.raises(PermissionDenied):
        withdraw_run(actor=rival, run=run)


def test_an_upload_is_bounded(campaign, participant, team, settings):
    settings.POOLBENCH_MAX_UPLOAD_BYTES = 5_000
    with refusing("too-large"):
        checked_run(participant, campaign, team, b"x" * 5_001)
    bomb = gzip.compress(b"1 Q0 d1 1 1 t\n" * 1_000)
    run = checked_run(participant, campaign, team, bomb)
    assert (run.state, codes(run)) == ("rejected", {"E02"})


def test_a_second_delivery_of_the_job_changes_nothing(campaign, participant, team):
    run = checked_run(participant, campaign, team)
    count = Event.objects.count()
    job = latest_check_job(run)
    type(job).objects.filter(pk=job.pk).update(state="queued")
    jobs.run_here(job)
    run.refresh_from_db()
    assert (run.state, Event.objects.count()) == ("accepted", count)


def test_withheld_topics_are_refused(campaign, participant, team):
    campaign.topics.filter(number="2").update(withheld=True)
    run = checked_run(participant, campaign, team)
    assert codes(run) == {"E16"}
    run = checked_run(participant, campaign, team, run_text(topics=["1", "3"]))
    assert (run.state, codes(run)) == ("accepted", set())


def test_the_campaigns_limits_reach_the_check(campaign, organizer, participant, team):
    update_campaign(actor=organizer, campaign=campaign, max_docs_per_topic=1)
    assert codes(checked_run(participant, campaign, team)) == {"E12"}
    update_campaign(
        actor=organizer, campaign=campaign, max_docs_per_topic=9, require_all_topics=True
    )
    run = checked_run(participant, campaign, team, run_text(topics=["1"]))
    assert codes(run) == {"E17"}


def test_with_every_topic_withheld_an_unknown_one_is_still_refused(campaign, participant, team):
    campaign.topics.update(withheld=True)
    run = checked_run(participant, campaign, team, b"99 Q0 d1 1 1.0 mine\n")
    assert (run.state, run.fault_report.counts["E09"]) == ("rejected", 1)


def test_without_documents_any_docno_is_taken(campaign, participant, team):
    campaign.documents.all().delete()
    assert checked_run(participant, campaign, team, run_text(docnos=["x"])).state == "accepted"


def test_the_same_ranking_twice_is_told(campaign, participant, team):
    checked_run(participant, campaign, team)
    again = checked_run(participant, campaign, team, run_text("again"))
    assert (again.state, codes(again)) == ("accepted", {"W09"})


def test_an_upload_that_is_sent_again_is_the_same_run(campaign, participant, team, organizer):
    """Also when it was checked, and after the deadline; other files and keys are other runs."""
    sent = checked_run(participant, campaign, team, key="k")
    past = timezone.now() - timedelta(hours=1)
    update_campaign(actor=organizer, campaign=campaign, runs_deadline=past)
    again = checked_run(participant, campaign, team, key="k")
    assert (again, again.state) == (sent, "accepted")
    assert Event.objects.filter(code="run.submitted").count() == 1
    Campaign.objects.update(runs_deadline=None)
    campaign.refresh_from_db()
    other_file = checked_run(participant, campaign, team, run_text("second"), key="k")
    other_key = checked_run(participant, campaign, team, key="l")
    without = checked_run(participant, campaign, team)
    assert len({run.pk for run in (sent, other_file, other_key, without)}) == 4
    assert [other_file.state, other_key.state, without.state] == [
        "accepted",
        "rejected",
        "rejected",
    ]


def test_of_the_same_upload_twice_at_once_one_is_stored(campaign, participant, team, monkeypatch):
    sent = checked_run(participant, campaign, team, key="k")
    looks = iter([None, sent])
    monkeypatch.setattr(
        "campaigns.services.runs.find_sent_run", lambda *_args, **_options: next(looks)
    )
    assert checked_run(participant, campaign, team, key="k") == sent
    assert Run.objects.count() == 1


def test_page_and_api_take_a_key(campaign, participant, team, as_user):
    client, address = as_user(participant), f"/c/{campaign.slug}/runs/upload/"
    key = re.search(r'name="key" value="([0-9a-f-]{36})"', client.get(address).content.decode())
    fields = {"team": team.pk, "kind": "automatic", "priority": 1, "key": key[1]}

    def post(url: str, **options: object):
        file = SimpleUploadedFile("run.txt", run_text())
        return client.post(url, fields | {"campaign": campaign.slug, "file": file}, **options)

    assert post(address).url == post(address).url
    fields["team"] = team.name
    headers = {"Idempotency-Key": "of my own"}
    answers = [post("/api/runs/", headers=headers).json() for _ in range(2)]
    assert answers[0]["id"] == answers[1]["id"]
    assert Run.objects.count() == 2
    fields["priority"] = 2
    refused = post("/api/runs/", headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (409, "key-used")
    fields["team"] = team.pk
    assert post(address).status_code == 302  # a form sent again, with another choice
    assert Run.objects.count() == 3
