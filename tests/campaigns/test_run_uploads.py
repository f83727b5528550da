"""Check only, several runs at once, the run form of a campaign, and the queue."""

import gzip
import json

import pytest
from django.urls import reverse

from campaigns.models import Event, Job, Run
from campaigns.queries.run_checks import find_check_places
from campaigns.services import jobs
from campaigns.services.campaigns import update_campaign
from campaigns.services.runs import (
    build_file_with_metadata,
    latest_check_job,
    submit_run,
    withdraw_run,
)
from poolbench.files.faults import FaultReport
from poolbench.runs.ir_metadata import read_ir_metadata
from tests.refusals import refusing
from tests.world.files import checked_run, run_form, run_text, upload

FIELDS = [
    {"name": "prior", "label": "Prior judgments", "kind": "choice", "choices": ["none", "earlier"],
     "required": True},
    {"name": "method.automatic", "label": "Automatic?", "kind": "yes_no", "required": True},
    {"name": "note", "label": "Note"},
]  # fmt: skip
BLOCK = (
    b"# ir_metadata.start\n# prior: earlier\n# method:\n#   automatic: true\n# ir_metadata.end\n"
)


@pytest.fixture
def post(as_user, participant, campaign, team):
    """``post(files, **fields)``: the answer to a form of the participant."""
    client = as_user(participant)

    def send(files, **fields):
        sent = run_form(team) | {"file": [upload(data, name) for name, data in files.items()]}
        return client.post(reverse("run-upload", args=[campaign.slug]), sent | fields)

    return send


@pytest.fixture
def asking(campaign, organizer):
    return update_campaign(actor=organizer, campaign=campaign, run_fields=FIELDS)


def test_check_only_stores_nothing_and_says_what_submission_would(post, team, participant):
    answer = post({"good.txt": run_text(), "bad.gz": gzip.compress(b"no run\n")}, check="1")
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "It would be accepted." in page
    assert "It would be rejected." in page
    assert 'id="2-fault-E03"' in page
    assert not Run.objects.exists()
    assert not Event.objects.filter(code__startswith="run.").exists()


def test_check_only_after_the_deadline_and_beyond_the_limit(post, campaign, organizer, team):
    update_campaign(actor=organizer, campaign=campaign, max_runs_per_team=0)
    page = post({"good.txt": run_text()}, check="1").content.decode()
    assert "But it cannot be submitted now." in page
    assert "Run limit reached" in page


def test_check_only_leaves_large_files_to_workers(post, settings):
    settings.POOLBENCH_CHECK_AT_ONCE_BYTES = 10
    answer = post({"good.txt": run_text()}, check="1")
    assert (answer.status_code, "check-run" in answer.content.decode()) == (422, True)


def test_several_files_are_runs_of_their_own(post, as_user, campaign, settings):
    settings.POOLBENCH_MAX_UPLOAD_BYTES = 5_000
    files = {"one.txt": run_text("one"), "bad.txt": b"no run\n", "two.txt": run_text("two")}
    answer = post(files, key="")
    states = dict(Run.objects.values_list("file_name", "state"))
    assert states == {"one.txt": "accepted", "bad.txt": "rejected", "two.txt": "accepted"}
    page = answer.client.get(answer.url).content.decode()
    for text in ("one.txt", "bad.txt", "#fault-E03", "#fault-W09"):
        assert text in page


def test_of_several_files_one_that_is_refused_loses_no_other(post, campaign, organizer):
    update_campaign(actor=organizer, campaign=campaign, max_runs_per_team=1)
    answer = post({"one.txt": run_text("one"), "two.txt": run_text("two", docnos=["d9"])})
    assert answer.status_code == 302
    assert [run.tag for run in Run.objects.all()] == ["one"]
    page = answer.client.get(answer.url).content.decode()
    assert "two.txt was not submitted. Run limit reached" in page
    again = post({"three": run_text("x"), "four": run_text("y")})
    assert (again.status_code, Run.objects.count()) == (422, 1)


def test_a_tag_is_for_one_file(post):
    answer = post({"one.txt": run_text("one"), "two.txt": run_text("two")}, tag="one")
    assert (answer.status_code, Run.objects.count()) == (422, 0)
    many = post({f"{n}.txt": run_text() for n in range(21)})
    assert "at most 20 files" in many.content.decode()


def test_places_in_the_queue(campaign, participant, team, as_user):
    fields = {"actor": participant, "campaign": campaign, "team": team, "file_name": "f"}
    runs = [submit_run(**fields, data=run_text(f"r{n}"), check_here=True) for n in range(3)]
    places = find_check_places([run.pk for run in runs])
    assert [str(places[run.pk]) for run in runs] == [f"waiting, {n} of 3" for n in (1, 2, 3)]
    Job.objects.filter(pk=latest_check_job(runs[0]).pk).update(state="running")
    Job.objects.filter(pk=latest_check_job(runs[1]).pk).update(state="failed")
    client = as_user(participant)
    page = client.get(reverse("runs", args=[campaign.slug])).content.decode()
    assert all(text in page for text in ("checking", "check failed", "waiting, 1 of 1"))
    shown = {row["id"]: row["check"] for row in client.get("/api/runs/").json()["results"]}
    assert shown[runs[2].pk] == {"state": "queued", "place": 1, "waiting": 1}
    assert shown[runs[1].pk]["state"] == "failed"
    jobs.run_here(latest_check_job(runs[2]))
    assert client.get(f"/api/runs/{runs[2].pk}/").json()["check"] is None


def test_the_run_form_is_asked_with_all_faults_at_once(post, asking):
    answer = post({"run": run_text()}, priority=0, **{"answer-prior": "perhaps"})
    page = answer.content.decode()
    assert (answer.status_code, Run.objects.count()) == (422, 0)
    for text in ("An answer is required.", "Select a valid choice", "greater than or equal to 1"):
        assert text in page
    post({"run": run_text()}, **{"answer-prior": "none", "answer-method.automatic": "no"})
    assert Run.objects.get().answers == {"prior": "none", "method.automatic": False}


def test_answers_are_read_from_the_file_and_written_into_it(post, asking, as_user):
    answer = post({"run.gz": gzip.compress(BLOCK + run_text())}, **{"answer-prior": "none"})
    run = Run.objects.get()
    assert run.answers == {"prior": "none", "method.automatic": True}
    assert run.ir_metadata == {"prior": "earlier", "method": {"automatic": True}}
    client = answer.client
    page = client.get(answer.url).content.decode()
    assert all(text in page for text in ("Prior judgments", "automatic: true", "?metadata"))
    address = reverse("run-file", args=[asking.slug, run.pk])
    assert gzip.decompress(client.get(address).getvalue()) == BLOCK + run_text()
    written = client.get(f"{address}?metadata").getvalue()
    assert written == client.get(f"/api/runs/{run.pk}/file/?metadata").getvalue()
    assert written.endswith(run_text())
    wanted = {"prior": "none", "method": {"automatic": True}, "tag": "first"}
    assert read_ir_metadata(written, FaultReport()) == wanted
    table = client.get(reverse("runs", args=[asking.slug]), {"column": "answer:prior"})
    assert ("Prior judgments" in (shown := table.content.decode()), ">none<" in shown) == (
        True,
        True,
    )
    listed = client.get(reverse("runs-download", args=[asking.slug])).getvalue().decode()
    heads, row = (line.split(",") for line in listed.splitlines()[2:4])
    assert dict(zip(heads, row, strict=True))["answer.method.automatic"] == "yes"


def test_a_run_without_metadata_has_no_such_file(campaign, participant, team):
    with refusing("no-metadata"):
        build_file_with_metadata(checked_run(participant, campaign, team))


def test_the_api_takes_answers_and_checks_only(asking, participant, team, as_user):
    client = as_user(participant)

    def send(**fields):
        body = {"campaign": asking.slug, "file": upload(run_text()), **fields}
        return client.post("/api/runs/", body)

    checked = send(check_only="true")
    assert (checked.status_code, checked.json()["accepted"]) == (200, True)
    refused = send(answers='{"prior": "x", "else": 1}')
    assert (refused.status_code, refused.json()["code"]) == (409, "run-form")
    assert set(refused.json()["fields"]) == {"prior", "else", "method.automatic"}
    for odd in ("[1]", "{", '{"prior": "\\ud800"}'):
        assert send(answers=odd).status_code in (400, 409)
    assert not Run.objects.exists()
    taken = send(answers=json.dumps({"prior": "none", "method.automatic": True}))
    assert (taken.status_code, taken.json()["answers"]["method.automatic"]) == (201, True)


def test_organizers_define_the_form(campaign, organizer, as_user):
    client, address = as_user(organizer), reverse("run-form", args=[campaign.slug])
    rows = {"fields-TOTAL_FORMS": 2, "fields-INITIAL_FORMS": 0}
    first = {"label": "Prior judgments", "name": "prior", "kind": "choice", "choices": "none; some"}
    row = {f"fields-0-{name}": value for name, value in first.items()}
    bad = client.post(address, rows | row | {"fields-1-label": "X", "fields-1-name": "A b",
                                             "fields-1-kind": "choice"})  # fmt: skip
    assert bad.status_code == 422
    assert "A b: the name must have" in bad.content.decode()
    assert "a choice needs 2 to 30" in bad.content.decode()
    empty = {"fields-1-kind": "text"}
    assert client.post(address, rows | row | empty).status_code == 302
    campaign.refresh_from_db()
    assert campaign.run_form[0].choices == ("none", "some")
    assert "none; some" in client.get(address).content.decode()
    with refusing("bad-settings"):
        update_campaign(actor=organizer, campaign=campaign, run_fields=[{"name": "x"}])
    api = f"/api/campaigns/{campaign.slug}/"
    sent = json.dumps({"run_fields": FIELDS})
    changed = client.patch(api, sent, content_type="application/json")
    assert [field["name"] for field in changed.json()["run_fields"]] == [
        field["name"] for field in FIELDS
    ]
    campaign.refresh_from_db()
    assert [field.kind for field in campaign.run_form] == ["choice", "yes_no", "text"]
    bad = client.patch(api, sent.replace("yes_no", "date"), content_type="application/json")
    assert bad.status_code == 400


def test_the_page_of_withdrawal_does_not_open_after_closing(
    campaign, organizer, participant, team, as_user
):
    run = checked_run(participant, campaign, team)
    update_campaign(actor=organizer, campaign=campaign, runs_deadline="2020-01-01T00:00Z")
    address = reverse("run-withdraw", args=[campaign.slug, run.pk])
    assert as_user(participant).get(address).url == run.get_absolute_url()
    assert "Withdraw run" not in as_user(participant).get(run.get_absolute_url()).content.decode()
    with refusing("deadline"):
        withdraw_run(actor=participant, run=run)
