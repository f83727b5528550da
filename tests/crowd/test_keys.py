"""Keys: what is sealed, what destroying a key destroys, rotation, receipts."""

import re
from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client
from django.utils import timezone

from campaigns.errors import ActionRefused
from campaigns.models import Event
from crowd.models import CrowdKey, CrowdWorker, LinkKey, Payment, Study, WorkUnit
from crowd.queries.confirmations import describe_study_stop
from crowd.queries.fake_platform import list_fake_submissions
from crowd.queries.keys import find_key_date, unseal_external
from crowd.queries.unit_pages import make_unit_return
from crowd.services.doorway import admit_arrival
from crowd.services.fake_platform import accept_tasks, hash_fake_units, record_submission
from crowd.services.keys import (
    destroy_expired_keys,
    destroy_key,
    hash_external,
    make_link,
    retire_link_key,
    rotate_link_key,
    seal_external,
)
from judging.models import Audience, Judgment, Plan
from poolbench.crowd.providers.base import Arrival
from tests.confirming import confirm
from tests.crowd.crowd_work import make_paid_study
from tests.crowd.visiting import make_task, work
from tests.pages import read_page


def test_ids_are_hashed_and_sealed_under_the_campaign_key(study):
    campaign = study.campaign
    assert hash_external(campaign, "p1") == hash_external(campaign, "p1")
    assert hash_external(campaign, "p1") != hash_external(campaign, "p2")
    first, second = seal_external(campaign, "p1"), seal_external(campaign, "p1")
    assert first != second
    assert {unseal_external(campaign, each) for each in (first, second)} == {"p1"}
    assert unseal_external(campaign, first[:-5] + "AAAA=") == ""
    assert CrowdKey.objects.count() == 1


def test_a_destroyed_key_leads_back_to_nobody_and_work_remains(study, organizer):
    Study.objects.update(unit_size=1, gold_per_unit=1)
    work(Client(), make_task(study))
    judgments, amount = Judgment.objects.count(), Payment.objects.get().amount
    worker, unit = CrowdWorker.objects.get(), WorkUnit.objects.get()
    assert destroy_key(actor=organizer, campaign=study.campaign)
    assert not destroy_key(actor=organizer, campaign=study.campaign)
    key = CrowdKey.objects.get()
    assert key.secret == ""
    assert key.destroyed_at is not None
    for sealed in (worker.external_id, unit.external_id):
        assert unseal_external(study.campaign, sealed) == ""
    assert make_unit_return(unit) is None
    # The same person who comes again is a new worker: nothing links them.
    assert hash_external(study.campaign, "worker fake p1") != worker.external_hash
    assert admit_arrival(study=study, arrival=Arrival("p1", "s1")).worker != worker
    assert (Judgment.objects.count(), Payment.objects.get().amount) == (judgments, amount)
    assert Event.objects.filter(code="crowd.key_destroyed", actor=organizer).count() == 1


def test_keys_are_destroyed_the_day_after_the_last_retention_date(study):
    hash_external(study.campaign, "p1")
    last = study.retention_until
    Study.objects.update(started_at=timezone.now())
    assert destroy_expired_keys(today=last + timedelta(days=1)) == 0  # it still runs
    Study.objects.update(state=Study.State.STOPPED)
    assert destroy_expired_keys(today=last) == 0
    assert destroy_expired_keys(today=last + timedelta(days=1)) == 1
    assert destroy_expired_keys(today=last + timedelta(days=1)) == 0
    assert Event.objects.get(code="crowd.key_destroyed").actor is None


def test_a_key_is_kept_while_a_study_has_no_retention_date(study):
    hash_external(study.campaign, "p1")
    Study.objects.update(state=Study.State.STOPPED, retention_until=None, started_at=timezone.now())
    assert destroy_expired_keys(today=timezone.now().date() + timedelta(days=9999)) == 0


def test_a_paused_study_past_its_date_and_one_never_started_keep_no_key(study, organizer):
    hash_external(study.campaign, "p1")
    last = study.retention_until
    Study.objects.update(state=Study.State.PAUSED, started_at=timezone.now())
    plan = Plan.objects.create(
        campaign=study.campaign, pool=study.plan.pool, overlap=2, audience=Audience.CROWD,
        created_by=organizer,
    )  # fmt: skip
    later = last + timedelta(days=30)
    draft = Study.objects.create(
        plan=plan, campaign=study.campaign, title="Later", provider="fake", retention_until=later,
        created_by=organizer,
    )  # fmt: skip
    assert find_key_date(study) == last
    assert find_key_date(draft) == later
    Study.objects.filter(pk=draft.pk).update(started_at=timezone.now(), state=Study.State.STOPPED)
    assert find_key_date(study) == later
    assert destroy_expired_keys(today=later) == 0
    Study.objects.filter(pk=draft.pk).update(started_at=None, state=Study.State.DRAFT)
    assert destroy_expired_keys(today=last + timedelta(days=1)) == 1


def test_after_its_destruction_no_visitor_makes_a_key(study, organizer):
    link = make_task(study)
    accept_tasks(actor=organizer, study=study)
    destroy_key(actor=organizer, campaign=study.campaign)
    Study.objects.update(state=Study.State.STOPPED)
    study.refresh_from_db()
    assert hash_fake_units(study, ["s1"]) == {}
    assert not record_submission(study=study, uid="s1", code="x", receipt="y")
    assert Client().get(link).status_code in {403, 409}
    with pytest.raises(ActionRefused, match="not open"):
        admit_arrival(study=study, arrival=Arrival("p9", "s9"))
    assert not CrowdKey.objects.filter(destroyed_at=None).exists()
    hash_external(study.campaign, "p1")  # a new key cannot read what the old one sealed
    assert list_fake_submissions(study) == []


def test_the_newest_key_signs_and_retired_ones_are_gone(study, organizer):
    soon = timezone.now() + timedelta(hours=1)
    args = {"study": study, "worker": "p1", "unit": "s1", "expires": soon}
    with pytest.raises(ActionRefused, match="no key for signing"):
        make_link(**args)
    old, new = (rotate_link_key(actor=organizer, study=study) for _ in range(2))
    assert old.kid != new.kid
    assert old.secret != new.secret
    assert f"kid={new.kid}" in make_link(**args)
    retire_link_key(actor=organizer, study=study, kid=new.kid)
    assert f"kid={old.kid}" in make_link(**args)
    with pytest.raises(ActionRefused, match="is in use"):
        retire_link_key(actor=organizer, study=study, kid=new.kid)
    codes = Event.objects.filter(code__startswith="study.key").values_list("code", flat=True)
    assert sorted(codes) == ["study.key_added", "study.key_added", "study.key_retired"]


def test_keys_are_the_organizers_alone(study, assessor):
    for act in (
        lambda: rotate_link_key(actor=assessor, study=study),
        lambda: retire_link_key(actor=assessor, study=study, kid="k"),
        lambda: destroy_key(actor=assessor, campaign=study.campaign),
    ):
        with pytest.raises(PermissionDenied):
            act()


def test_the_page_of_keys(as_user, organizer, study):
    Study.objects.update(provider="generic")
    browser, url = as_user(organizer), f"/c/{study.campaign.slug}/judging/crowd/{study.pk}/keys/"
    page = read_page(browser.post(url, {"act": "add"}))
    key = LinkKey.objects.get()
    assert page.count(key.secret) == 1
    page = read_page(browser.get(url))
    assert key.secret not in page
    assert f"<code>…{key.secret[-4:]}</code>" in page
    form = {"act": "link", "worker": "p1", "unit": "s1", "hours": "2"}
    page = read_page(browser.post(url, form)).replace("&amp;", "&")
    link = re.search(r"http://testserver(/w/[^\s<]*)", page.partition('id="link"')[2])[1]
    assert Client().get(link).status_code == 303
    for bad in ({"hours": "0"}, {"hours": "x"}, {"worker": "a b"}, {"unit": ""}):
        assert browser.post(url, form | bad).status_code == 409
    assert browser.post(url, {"act": "retire", "kid": key.kid}).status_code == 302
    assert Client().get(link).status_code == 403
    assert browser.post(url, {"act": "retire", "kid": key.kid}).status_code == 409
    assert browser.post(url, {"act": "x"}).status_code == 409


def test_a_receipt_is_checked_against_the_work(as_user, organizer, study):
    Study.objects.update(unit_size=1, gold_per_unit=1)
    work(Client(), make_task(study))
    browser, url = as_user(organizer), f"/c/{study.campaign.slug}/judging/crowd/{study.pk}/keys/"

    def check(receipt):
        return read_page(browser.post(url, {"act": "check", "receipt": receipt}))

    unit = WorkUnit.objects.get()
    assert f"Valid: {unit.worker.pseudonym}" in check(f" {unit.receipt.upper()} ")
    assert "No unit of this study" in check(unit.receipt[:-1] + "g")
    assert "No unit of this study" in check("")
    Study.objects.update(currency="USD")
    assert "has changed since" in check(unit.receipt)


def test_a_key_is_retired_after_a_page_while_money_is_owed(campaign, organizer, as_user):
    study = make_paid_study(campaign)
    key = rotate_link_key(actor=organizer, study=study)
    url = f"/c/{campaign.slug}/judging/crowd/{study.pk}/keys/"
    data = {"act": "retire", "kid": key.kid}
    browser = as_user(organizer)
    asked = read_page(browser.post(url, data))
    assert "9.00 EUR are owed to workers and not marked as paid." in asked
    key.refresh_from_db()
    assert key.retired_at is None
    assert confirm(browser, url, data, confirm=[]).status_code == 422
    assert confirm(browser, url, data).status_code == 302
    key.refresh_from_db()
    assert key.retired_at is not None
    event = Event.objects.get(code="study.key_retired")
    assert event.data["confirmed"]["overridden"] == ["money-owed"]


def test_before_a_study_stops_the_page_says_when_ids_are_gone(campaign, organizer):
    study = make_paid_study(campaign)
    day = study.retention_until
    facts = describe_study_stop(study)
    assert f"are destroyed after {day.day} {day:%B %Y}: pay" in facts.consequences[-1].text
    assert not facts.open
    study.retention_until = timezone.now().date() - timedelta(days=1)
    study.save()
    (matter,) = describe_study_stop(study).open
    assert matter.override.code == "key-destroyed"
    assert matter.text == "9.00 EUR are owed to workers and not marked as paid."
    destroy_key(actor=organizer, campaign=campaign)
    assert Event.objects.get(code="crowd.key_destroyed").data == {"unpaid": "9.00"}
