"""The pages: who may open them, what they show, what a post does."""

import json
import re
from datetime import timedelta
from functools import partial

from django.urls import reverse
from django.utils import timezone

from campaigns.forms.settings import GRADE_PRESETS
from campaigns.models import ApiToken, Campaign, Document, Invitation, Job, Run, User
from campaigns.services import people
from campaigns.services.events import log_event
from campaigns.services.jobs import run_here
from campaigns.services.tokens import find_token
from poolbench.pooling.spec_file import read_spec
from tests.confirming import confirm
from tests.csv_reading import csv_rows
from tests.pages import read_page, read_words
from tests.world.files import checked_run, run_form, run_text, upload


def settings_form(**changes):
    scale = [("0", "no", "a", "0"), ("1", "yes", "y", "1"), ("", "", "", "")]
    form = {"title": "T", "relevance_level": 1, "max_docs_per_topic": 100, "board": "own"}
    form |= {"test": "t", "correction": "holm", "alpha": "0.05"}
    form |= {"scale-TOTAL_FORMS": len(scale), "scale-INITIAL_FORMS": 2}
    for row, fields in enumerate(scale):
        names = ("value", "label", "key", "gain")
        form |= {f"scale-{row}-{n}": v for n, v in zip(names, fields, strict=True)}
    return form | changes


def test_an_organizer_makes_a_campaign(organizer, as_user):
    client = as_user(organizer)
    assert client.get("/campaigns/new/").status_code == 200
    answer = client.post("/campaigns/new/", settings_form(runs_deadline="2030-01-02T03:04"))
    assert answer.url == "/c/t/"
    made = Campaign.objects.get()
    assert [(g.value, g.key) for g in made.grades.all()] == [(0, "a"), (1, "y")]
    assert made.runs_deadline.isoformat() == "2030-01-02T03:04:00+00:00"
    assert client.get(answer.url).status_code == 200


def test_a_scale_is_filled_in_by_a_button_that_keeps_the_rest(organizer, as_user):
    form = settings_form(title="Kept", preset="binary")
    page = read_page(as_user(organizer).post("/campaigns/new/", form))
    assert 'value="Kept"' in page
    assert page.count('name="scale-') - 4 == 5 * 4  # two grades, an empty row, the template
    assert not Campaign.objects.exists()


def test_a_new_campaign_asks_from_which_grade_on_documents_are_relevant(organizer, as_user):
    client = as_user(organizer)
    level = re.compile(r'<input type="number" name="relevance_level"(?: value="(\d)")?')
    assert level.search(read_page(client.get("/campaigns/new/")))[1] is None
    for preset, wanted in (("binary", "1"), ("three", "1"), ("four", "2")):
        filled = client.post("/campaigns/new/", settings_form(preset=preset))
        assert level.search(read_page(filled))[1] == wanted
        relevant = [g.meaning for g in GRADE_PRESETS[preset] if g.value >= int(wanted)]
        assert not any("does not answer" in meaning for meaning in relevant)
    client.post("/campaigns/new/", settings_form(relevance_level=""))
    assert not Campaign.objects.exists()


def test_a_bad_scale_is_explained_in_the_form(organizer, as_user):
    answer = as_user(organizer).post("/campaigns/new/", settings_form(relevance_level=5))
    assert "The relevance level 5 is not a grade of the scale" in read_page(answer)


def test_all_faults_of_the_settings_are_told_in_one_answer(campaign, organizer, as_user):
    wrong = settings_form(measures="ndcg_cut10", relevance_level=5)
    wrong |= {"scale-1-key": "u", "alpha": "0.9", "runs_deadline": "2030-02-01T00:00"}
    wrong["judging_deadline"] = "2030-01-31T00:00"
    for url in ("/campaigns/new/", reverse("campaign-settings", args=["small"])):
        page = read_page(as_user(organizer).post(url, wrong))
        for fault in (
            "Key u belongs to the judging screen",
            "The relevance level 5 is not a grade of the scale",
            "ndcg_cut10",
            "less than or equal to 0.5",
            "Judging would end before runs close",
        ):
            assert fault in page.partition("<fieldset")[0], fault
    assert "see its rows" in read_page(as_user(organizer).post(url, wrong | {"scale-1-gain": "x"}))


def test_the_log_is_filtered_and_in_words(campaign, organizer, assessor, as_user):
    log_event(campaign, assessor, "pool.frozen", "pool 9", parameters={"n": 2, "share": 0.25})
    log_event(campaign, organizer, "plan.closed", "", tags=["a_b", "c"], is_late=False, until=None)
    url = reverse("events", args=["small"])
    words = read_words(as_user(organizer).get(url))
    assert "parameters: n 2, share 0.25" in words
    assert "tags: a_b, c; is late: no; until: none" in words
    for query in ({"action": "pool.frozen"}, {"user": "assessor"}):
        answer = as_user(organizer).get(url, query)
        assert "pool 9" in {event.subject for event in answer.context["page_obj"]}
        assert "plan.closed" not in {event.code for event in answer.context["page_obj"]}
        assert "Pool frozen (1)" in read_words(answer)
        assert "selected" in read_page(answer)
    address = f"{reverse('events-download', args=['small'])}?action=pool.frozen"
    assert f'href="{address}"' in read_page(as_user(organizer).get(f"{url}?action=pool.frozen"))
    (row,) = csv_rows(as_user(organizer).get(address).getvalue().decode())
    assert json.loads(row.pop("details")) == {"parameters": {"n": 2, "share": 0.25}}
    assert {**row, "at": ""} == {
        "at": "", "user": "assessor", "code": "pool.frozen", "action": "Pool frozen",
        "object": "pool 9",
    }  # fmt: skip
    everything = as_user(organizer).get("/c/small/people/log.csv").getvalue().decode()
    assert len(csv_rows(everything)) == campaign.events.count() > 2


def test_a_wrong_level_is_told_at_once_although_the_scale_stays(
    campaign, organizer, assessor, as_user
):
    campaign.judgments.create(
        topic=campaign.topics.first(), docno="d1", assessor=assessor, revision=1, kind="grade",
        grade=1, source="screen",
    )  # fmt: skip
    url, wrong = reverse("campaign-settings", args=["small"]), settings_form(measures="x_9")
    page = read_page(as_user(organizer).post(url, wrong | {"relevance_level": 9}))
    assert "Values and gains cannot be changed because judgments use them" in page
    assert "The relevance level 9 is not a grade of the scale" in page
    assert "x_9: unknown measure" in page


def test_settings_are_saved(campaign, organizer, as_user):
    url = reverse("campaign-settings", args=["small"])
    answer = as_user(organizer).post(url, settings_form(title="Renamed", require_all_topics="on"))
    assert answer.status_code == 302
    campaign.refresh_from_db()
    assert (campaign.title, campaign.slug) == ("Renamed", "small")
    assert campaign.require_all_topics
    assert campaign.grades.count() == 2


def test_markdown_is_shown_without_scripts(campaign, organizer, as_user):
    campaign.description = "# Big\n\n**bold** <script>alert(1)</script> [x](javascript:alert(1))"
    campaign.save()
    page = read_page(as_user(organizer).get("/c/small/"))
    assert "<h3>Big</h3>" in page
    assert "<strong>bold</strong>" in page
    assert "<script>alert" not in page
    assert 'href="javascript' not in page


def test_the_life_of_an_invitation(campaign, organizer, client):
    client.force_login(organizer)
    form = {"role": "participant", "team": "Delta", "uses": 1, "days": 7}
    assert client.post("/c/small/people/invite/", form).status_code == 302
    page = read_page(client.get("/c/small/people/"))
    link = re.search(r'value="http://testserver(/join/[^"]+)"', page)[1]
    client.logout()
    page = read_page(client.get(link))
    assert "Delta" in page
    assert "participant" in page
    bad = client.post(link, {"name": "Ann", "username": "ann", "password1": "a", "password2": "a"})
    assert "too short" in read_page(bad)
    assert not User.objects.filter(username="ann").exists()
    word = "correct horse battery"
    good = {"name": "Ann", "username": "ann", "password1": word, "password2": word}
    assert client.post(link, good).url == "/c/small/"
    member = campaign.members.get(user__username="ann")
    assert (member.team.name, member.user.shown_name) == ("Delta", "Ann")
    assert client.get("/c/small/").status_code == 200
    client.logout()
    answer = client.get(link)
    assert answer.status_code == 410
    assert "already been used" in read_page(answer)


def test_somebody_with_an_account_accepts_by_post(campaign, organizer, stranger, as_user):
    made = people.create_invitation(actor=organizer, campaign=campaign, role="assessor")
    link = reverse("join", args=[people.sign_invitation_token(made)])
    client = as_user(stranger)
    assert client.get(link).status_code == 200
    assert not stranger.memberships.exists()
    assert client.post(link).url == "/c/small/"
    assert stranger.memberships.get().role == "assessor"


def test_a_revoked_and_a_forged_link_are_explained(campaign, organizer, as_user, client):
    made = people.create_invitation(actor=organizer, campaign=campaign, role="viewer")
    link = reverse("join", args=[people.sign_invitation_token(made)])
    as_user(organizer).post(reverse("invitation-revoke", args=["small", made.pk]))
    assert not Invitation.objects.exists()
    client.logout()
    assert (client.get(link).status_code, client.get("/join/x/").status_code) == (410, 404)


def test_members_are_added_and_removed(campaign, organizer, stranger, as_user):
    client = as_user(organizer)
    form = {"username": "stranger", "role": "participant", "team": "Neu"}
    assert client.post("/c/small/people/add/", form).status_code == 302
    member = stranger.memberships.get()
    assert confirm(client, reverse("member-remove", args=["small", member.pk])).status_code == 302
    assert not stranger.memberships.exists()
    nobody = client.post("/c/small/people/add/", form | {"username": "nobody"})
    assert "No account has this username" in read_page(nobody)


def test_topics_are_imported_listed_and_deleted(campaign, organizer, as_user):
    client, home = as_user(organizer), "/c/small/setup/topics/"
    file = upload(b"7\tseventh\n", "t.tsv")
    assert client.post(f"{home}import/", {"file": file}).url == home
    assert "seventh" in read_page(client.get(f"{home}?q=sev"))
    assert "seventh" in read_page(client.get(reverse("topic", args=["small", "7"])))
    bad = client.post(f"{home}import/", {"file": upload(b"7\tother\n8\t\n", "b.tsv")})
    assert bad.status_code == 422
    assert "fault-E" in read_page(bad)
    assert confirm(client, f"{home}delete/").url == home
    assert "No topics yet" in read_page(client.get(home))
    assert client.get(reverse("topic", args=["small", "7"])).status_code == 404


def test_documents_are_imported_and_found(campaign, organizer, as_user):
    client = as_user(organizer)
    file = upload(b'{"_id": "a&b/c+d", "title": "odd", "text": "<b>x</b>"}\n', "d.jsonl")
    assert client.post("/c/small/setup/documents/import/", {"file": file}).status_code == 302
    page = read_page(client.get("/c/small/setup/documents/?q=odd"))
    link = re.search(r'href="(/c/small/setup/documents/view/[^"]+)"', page)[1]
    shown = read_page(client.get(link))
    assert "&lt;b&gt;x&lt;/b&gt;" in shown
    assert client.get("/c/small/setup/documents/view/?docno=zz").status_code == 404


def test_a_team_sees_its_own_runs_only(campaign, participant, rival, team, as_user):
    client = as_user(participant)
    answer = client.post("/c/small/runs/upload/", run_form(team))
    assert "Accepted." in read_page(client.get(answer.url))
    assert "first" in read_page(client.get("/c/small/runs/"))
    client = as_user(rival)
    assert "first" not in read_page(client.get("/c/small/runs/"))
    for url in (answer.url, f"{answer.url}file/"):
        assert client.get(url).status_code == 404
    assert client.post(f"{answer.url}withdraw/").status_code == 404
    mine = campaign.runs.get()
    form = run_form(team, run_text("x"))
    assert client.post("/c/small/runs/upload/", form).status_code == 422
    form = run_form(rival.memberships.get().team, run_text("x"), replaces=mine.pk)
    assert client.post("/c/small/runs/upload/", form).status_code == 422
    assert campaign.runs.count() == 1


def test_withdrawal_is_not_asked_about_once_submission_is_closed(
    campaign, participant, as_user, team
):
    run = checked_run(participant, campaign, team)
    url = reverse("run-withdraw", args=["small", run.pk])
    assert as_user(participant).get(url).status_code == 200
    Campaign.objects.update(runs_deadline=timezone.now() - timedelta(hours=1))
    assert as_user(participant).get(url).url == run.get_absolute_url()


def test_a_document_without_a_title_is_named_by_its_first_words(campaign, organizer, as_user):
    make = partial(Document.objects.create, campaign=campaign)
    make(docno="x1", body="The first words of a text. " * 30, sha256="1")
    make(docno="x2", body="<p>Words of <b>a page</b></p>", format="html", sha256="2")
    page = read_page(as_user(organizer).get(reverse("documents", args=["small"])))
    assert "The first words of a text. The" in page
    assert ">Words of a page</bdi>" in page


def test_a_run_is_replaced_withdrawn_and_downloaded(campaign, participant, team, as_user):
    client = as_user(participant)
    url = client.post("/c/small/runs/upload/", run_form(team)).url
    old = campaign.runs.get()
    assert client.get(f"/c/small/runs/upload/?replaces={old.pk}").status_code == 200
    form = run_form(team, run_text(docnos=["d5"]), replaces=old.pk)
    new = client.post("/c/small/runs/upload/", form).url
    page = read_page(client.get(url))
    assert "Replaced" in page
    assert new in page
    answer = client.get(f"{url}file/")
    assert answer.content == run_text()
    assert answer.headers["Content-Disposition"] == 'attachment; filename="run.txt"'
    assert "Withdraw run first?" in read_page(client.get(f"{new}withdraw/"))
    assert confirm(client, f"{new}withdraw/").url == new
    assert "<strong>Withdrawn</strong> on " in read_page(client.get(new))


def test_the_upload_form_says_why_not(campaign, participant, team, as_user, settings):
    client = as_user(participant)
    campaign.max_runs_per_team = 0
    campaign.save()
    page = read_page(client.post("/c/small/runs/upload/", run_form(team)))
    assert "Run limit reached" in page
    settings.POOLBENCH_MAX_UPLOAD_BYTES = 10
    page = read_page(client.post("/c/small/runs/upload/", run_form(team)))
    assert "exceeds the limit of 10 bytes" in page
    campaign.runs_deadline = timezone.now() - timedelta(minutes=1)
    campaign.save()
    assert "The deadline has passed" in read_page(client.get("/c/small/runs/upload/"))


def test_a_run_with_judgments_of_an_earlier_round_has_a_type_of_its_own(
    campaign, participant, organizer, team, as_user
):
    client, url = as_user(participant), reverse("run-upload", args=["small"])
    assert "Feedback: automatic, with judgments of an earlier round" in read_page(client.get(url))
    client.post(url, run_form(team, kind="feedback"))
    run = Run.objects.get()
    assert (run.kind, run.state) == ("feedback", "accepted")
    runs = reverse("runs", args=["small"])
    assert ">feedback<" in read_page(as_user(organizer).get(runs, {"kind": "feedback"}))
    spec = read_spec("version: 1\nruns: {kind: feedback}\nsteps: [{method: depth, k: 1}]")
    assert spec.runs.choose([run, Run(tag="b")], lambda _: "") == [run]


def test_a_large_run_waits_for_a_worker(campaign, participant, team, as_user, settings):
    settings.POOLBENCH_CHECK_AT_ONCE_BYTES = 10
    client = as_user(participant)
    url = client.post("/c/small/runs/upload/", run_form(team)).url
    job = Job.objects.get()
    page = read_page(client.get(url))
    assert f'hx-get="/c/small/jobs/{job.pk}/"' in page
    fragment = client.get(f"/c/small/jobs/{job.pk}/", headers={"HX-Request": "true"})
    assert "HX-Refresh" not in fragment.headers
    run_here(job)
    fragment = client.get(f"/c/small/jobs/{job.pk}/", headers={"HX-Request": "true"})
    assert fragment.headers["HX-Refresh"] == "true"
    assert url in read_page(client.get(f"/c/small/jobs/{job.pk}/"))


def test_the_api_token_is_shown_once(stranger, as_user):
    client = as_user(stranger)
    form = {"name": "laptop", "scopes": ["read", "submit"], "days": "30"}
    page = client.post("/account/token/", form)
    key = shown_token(page)
    assert '<form class="stack" method="post" action="/account/">' in read_page(page)
    assert client.get("/account/token/").url == "/account/"
    assert key not in read_page(client.get("/account/"))
    assert find_token(key).user == stranger
    newer = shown_token(client.post("/account/token/", form | {"name": "cluster"}))
    assert [find_token(each).name for each in (key, newer)] == ["laptop", "cluster"]
    client.post(f"/account/token/{find_token(key).pk}/revoke/")
    assert (find_token(key), ApiToken.objects.get().name) == (None, "cluster")


def shown_token(answer) -> str:
    return re.search(r'value="(poolbench_[^"]+)"', read_page(answer))[1]


def test_the_account_page_saves_the_name(stranger, as_user):
    client = as_user(stranger)
    assert (
        client.post(
            "/account/", {"first_name": "Ann", "last_name": "Bo", "mail_language": "en"}
        ).status_code
        == 302
    )
    stranger.refresh_from_db()
    assert stranger.shown_name == "Ann Bo"


def test_the_theme_is_kept_in_a_cookie_and_goes_back(client, db):
    answer = client.post("/theme/", {"theme": "dark", "next": "/health/"})
    assert (answer.url, answer.cookies["theme"].value) == ("/health/", "dark")
    assert 'data-theme="dark"' in read_page(client.get("/"))
    assert client.post("/theme/", {"theme": "", "next": ""}).url == "/"
    assert client.cookies["theme"].value == ""
