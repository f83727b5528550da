"""Campaigns that are closed, deleted, restored and removed for good."""

import hashlib
from datetime import timedelta

import pytest
from django.apps import apps
from django.urls import reverse
from django.utils import timezone

from campaigns import store
from campaigns.models import Campaign, Document, Event, Member, Removal, Role, User
from campaigns.services.endings import (
    close_campaign,
    delete_campaign,
    list_campaign_rows,
    remove_deleted_campaigns,
    reopen_campaign,
    restore_campaign,
)
from campaigns.services.heartbeats import run_tick
from tests.access_table import rows
from tests.confirming import api, confirm
from tests.engines import IN_ALL_ON_BOTH
from tests.examples import take
from tests.page_addresses import urls
from tests.pages import read_page
from tests.refusals import refusing
from tests.test_access import ask, bodies
from tests.world.site import ROLES
from workbench.stored_files import check_stored_files, list_unnamed_files, remove_unnamed_files

OF_THE_END = ("campaign-reopen", "campaign-delete", "campaign-restore", "campaign-copy",
              "rehearsal-new", "life", "api-campaign-reopen", "api-campaign-delete",
              "api-campaign-restore", "api-campaign-copy", "api-campaign-list")  # fmt: skip
"""What a closed campaign allows, besides what has nothing to do with it."""


def close(campaign: Campaign, actor: User) -> Campaign:
    campaign.studies.update(state="stopped")
    return close_campaign(actor=actor, campaign=campaign)


def compute_digest(campaign: Campaign) -> str:
    """Of all rows of the campaign, but those by which pages compute figures."""
    found = hashlib.sha256()
    for name, each in list_campaign_rows(campaign):
        if name not in ("job", "snapshot"):
            found.update(repr((name, sorted(map(repr, each.values_list())))).encode())
    return found.hexdigest()


# Closed: the gate


@IN_ALL_ON_BOTH
@pytest.mark.parametrize("role", ["organizer", "owner", "assessor"])
def test_no_address_changes_a_closed_campaign(world, client_for, role):
    """Every POST and PATCH of the site and the API, by those who may do most; the answer to whom
    the open campaign would have let in says why. Each is asked for a quarter, another one for each,
    without POOLBENCH_TEST_EXAMPLES=all.
    """
    close(world.campaign, world.people["organizer"])
    address, body, client = urls(world), bodies(world), client_for(role)
    before, let_in, odd = compute_digest(world.campaign), [], []
    changing = [row for row in rows() if row[1] != "GET"]
    for name, method, statuses in take(changing, 4, ROLES.index(role)):
        of_account = address[name].startswith("/account")
        if of_account or name.partition("@")[0] in OF_THE_END:
            continue
        answer = ask(client, method, address[name], body.get(name, {}), undone=False)
        if answer.status_code < 400:
            let_in.append(f"{method} {address[name]}: {answer.status_code}")
        wanted = statuses[ROLES.index(role)]
        if name.startswith("api-") and wanted in (201, 202) and "closed" not in str(answer.body):
            odd.append(f"{method} {address[name]}: {answer.status_code}")
    assert odd == []
    assert compute_digest(world.campaign) == before, let_in


def test_every_service_that_writes_meets_the_gate(world):
    """What is not behind an address, too: links of crowd workers, invitations, webhooks."""
    from campaigns.services.people import accept_invitation, sign_invitation_token
    from crowd.services.doorway import read_link
    from crowd.services.webhooks import accept_webhook
    from poolbench.pooling.spec import depth_spec
    from pooling.services.freeze import freeze_pool

    organizer, stranger = world.people["organizer"], world.people["stranger"]
    close(world.campaign, organizer)
    study = world.study
    study.campaign.refresh_from_db()
    with refusing("campaign-closed"):
        accept_invitation(user=stranger, token=sign_invitation_token(world.invitation))
    with refusing("campaign-closed"):
        read_link(study=study, query="")
    with refusing("campaign-closed"):
        accept_webhook(study=study, event_id="1", timestamp="", signature="", body=b"{}")
    with refusing("campaign-closed"):
        freeze_pool(actor=organizer, campaign=world.campaign, spec=depth_spec(1), runs=[])


@pytest.mark.full
def test_a_closed_campaign_is_read_as_before(world, client_for):
    """Pages and downloads of every role answer as the access table says. Costs ten seconds."""
    close(world.campaign, world.people["organizer"])
    address, wrong = urls(world), []
    # These claim the next document, or are about work that goes on.
    working = ("judge", "judge-training", "comparison-desk", "adjudicate", "crowd-", "join",
               "study", "round", "pool-freeze", "topics-delete", "documents-delete",
               "campaign-close", "campaign-reopen", "run-withdraw",
               "team_register")  # fmt: skip
    for role in ("organizer", "owner", "assessor"):
        client = client_for(role)
        for name, method, statuses in rows():
            if method == "GET" and not name.startswith(working):
                answer = ask(client, "GET", address[name], {})
                if answer.status_code != statuses[ROLES.index(role)]:
                    wrong.append(f"{role} {address[name]}: {answer.status_code}")
    assert wrong == []


def test_closing_and_reopening_are_confirmed_and_logged(page, campaign, organizer, participant):
    address = reverse("campaign-close", args=["small"])
    assert "Programs" in read_page(page.get(address))
    assert confirm(page, address, confirm=[]).status_code == 422
    assert confirm(page, address).status_code == 302
    assert "Everything can be read, nothing changed." in read_page(page.get("/c/small/"))
    refused = page.post("/c/small/people/invite/", {"role": "viewer", "uses": "1", "days": "1"})
    assert "The campaign is closed since" in read_page(refused)
    assert confirm(page, reverse("campaign-reopen", args=["small"])).status_code == 302
    codes = campaign.events.filter(code__startswith="campaign.").values_list("code", flat=True)
    assert list(codes)[:2] == ["campaign.reopened", "campaign.closed"]
    assert campaign.events.get(code="campaign.closed").data["confirmed"]["consents"]
    with refusing("not-closed"):
        reopen_campaign(actor=organizer, campaign=Campaign.objects.get())


def test_a_campaign_is_not_closed_while_a_crowd_works_for_it(world):
    world.campaign.studies.update(state="running")
    with refusing("study-running"):
        close_campaign(actor=world.people["organizer"], campaign=world.campaign)


def test_the_api_closes_and_reopens(campaign, organizer):
    client = api(organizer)
    answer = client.post("/api/campaigns/small/close/", {}, format="json")
    assert (answer.status_code, answer.json()["missing"]) == (409, ["closes-campaign"])
    body = {"confirm": ["closes-campaign"]}
    closed = client.post("/api/campaigns/small/close/", body, format="json")
    assert closed.json()["closed_at"]
    refused = client.patch("/api/campaigns/small/", {"title": "New"}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (409, "campaign-closed")
    assert refused.json()["fix"] == "An organizer can reopen it."
    opened = client.post("/api/campaigns/small/reopen/", {}, format="json")
    assert (opened.status_code, opened.json()["closed_at"]) == (200, None)


# Deleted


def test_a_deletion_is_confirmed_by_typing_the_slug(page, campaign):
    address = reverse("campaign-delete", args=["small"])
    shown = read_page(page.get(address))
    assert "Type “small” to delete it" in shown
    for typed in ([], ["smal"], ["Small"]):
        assert confirm(page, address, confirm=typed).status_code == 422
    assert confirm(page, address, confirm=["small"]).status_code == 302
    assert Campaign.objects.get().removal_at > timezone.now() + timedelta(days=14)


def test_a_deleted_campaign_is_gone_for_all_but_organizers(world, client_for):
    """By every page and endpoint, a quarter of them without POOLBENCH_TEST_EXAMPLES=all, and it is
    back once it is restored.
    """
    campaign, organizer = world.campaign, world.people["organizer"]
    delete_campaign(actor=organizer, campaign=campaign)
    address, seen = urls(world), []
    for role in ("owner", "assessor"):
        client = client_for(role)
        shown = [row for row in rows() if row[1] == "GET" and not row[0].startswith("crowd-")]
        for name, _, _ in take(shown, 4, start=2 * (role == "assessor")):
            answer = ask(client, "GET", address[name], {})
            own = "/c/small/" in address[name] or name.endswith("-detail")
            if own and not name.startswith("api-measure") and answer.status_code != 404:
                seen.append(f"{role} {address[name]}: {answer.status_code}")
            if name.startswith("api-") and name.endswith("-list") and "measure" not in name:
                seen += [f"{role} {name}"] * (b'"small"' in answer.body)
    assert seen == []
    kept = read_page(client_for("organizer").get("/c/small/"))
    assert "Will be removed for good on" in kept
    with refusing("campaign-deleted"):
        close_campaign(actor=organizer, campaign=campaign)
    restore_campaign(actor=organizer, campaign=campaign)
    assert client_for("viewer").get("/c/small/").status_code == 200


def test_a_deleted_campaign_is_removed_with_all_that_is_its_own(world):
    """Every table of the campaign is empty afterwards, those of the other campaign are as they
    were, and the store has what that one names and nothing else. Costs two seconds.
    """
    organizer, elsewhere = world.people["organizer"], world.elsewhere.campaign
    shared, own = store.put_blob(b"shared", ".png"), store.put_blob(b"own", ".png")
    for campaign, name in ((world.campaign, shared), (world.campaign, own), (elsewhere, shared)):
        Document.objects.create(
            campaign=campaign, docno=f"image {name[:2]}", format="image", file=name, sha256="0"
        )
    run_tick()  # notes when it has looked for reminders
    before, users = compute_digest(elsewhere), User.objects.count()
    counts = {name: rows.count() for name, rows in list_campaign_rows(world.campaign)}
    delete_campaign(actor=organizer, campaign=world.campaign)
    assert remove_deleted_campaigns() == 0
    Campaign.objects.filter(pk=world.campaign.pk).update(removal_at=timezone.now())
    run_tick()
    assert [n for n, rows in list_campaign_rows(world.campaign) if rows.exists()] == []
    assert compute_digest(elsewhere) == before
    removal = Removal.objects.get()
    assert (removal.slug, removal.asked_by) == ("small", organizer.username)
    assert removal.rows["judgment"] == counts["judgment"] > 0
    assert User.objects.count() < users
    assert {own} <= set(list_unnamed_files())
    assert shared not in list_unnamed_files()
    remove_unnamed_files(list_unnamed_files(), hours=0)
    report = check_stored_files()
    assert (report.is_whole, report.unnamed) == (True, ())


def test_every_table_that_refers_to_a_campaign_is_removed(campaign):
    """A new model is found by its references; what nothing leads to is not of a campaign."""
    labels = {model._meta.app_label for model in apps.get_models()} - {"auth"}
    ours = labels & {"campaigns", "pooling", "judging", "crowd", "preferences", "evaluation"}
    models = {str(m._meta.verbose_name) for m in apps.get_models() if m._meta.app_label in ours}
    kept = models - {name for name, _ in list_campaign_rows(campaign)}
    assert kept == {"user", "removal", "process heartbeat", "store marker"}


def test_the_installation_keeps_who_deleted_what(campaign, organizer, as_user):
    delete_campaign(actor=organizer, campaign=campaign)
    Campaign.objects.update(removal_at=timezone.now())
    assert remove_deleted_campaigns() == 1
    admin = User.objects.create_superuser("admin")
    shown = read_page(as_user(admin).get("/campaigns/removed/"))
    assert "Small Task" in shown
    assert "organizer" in shown
    assert as_user(organizer).get("/campaigns/removed/").status_code == 403
    assert not Event.objects.exists()
    assert not Member.objects.exists()


def test_who_organizes_only_may_end_a_campaign(campaign, participant, viewer):
    for user in (participant, viewer):
        assert campaign.members.exclude(role=Role.ORGANIZER).filter(user=user).exists()
        for act in ("close", "reopen", "delete", "restore", "copy"):
            answer = api(user).post(f"/api/campaigns/small/{act}/", {}, format="json")
            assert answer.status_code == 403, act
