"""The organizer's pages of studies, practice and gold."""

from dataclasses import replace
from decimal import Decimal

import pytest

from campaigns.models import Document
from campaigns.services.campaigns import create_campaign
from crowd.models import GoldPair, Study
from crowd.services.studies import start_study
from judging.models import Audience, TrainingPair
from poolbench.judging.scale import GradeSpec
from tests.confirming import confirm
from tests.crowd.studies import OPTIONS, make_ready, pool, study
from tests.pages import read_page

__all__ = ["pool", "study"]


@pytest.fixture
def page(as_user, organizer, campaign):
    client = as_user(organizer)
    return lambda path: read_page(client.get(f"/c/{campaign.slug}/judging/crowd/{path}"))


@pytest.fixture
def post(as_user, organizer, campaign):
    client = as_user(organizer)
    return lambda path, data: client.post(f"/c/{campaign.slug}/judging/crowd/{path}", data)


FORM = {
    "title": "Mountains <b>",
    "redundancy": "2",
    "max_redundancy": "",
    "topics": "",
    "unit_size": "2",
    "unit_minutes": "30",
    "units_per_worker": "3",
    "max_units": "",
    "extra_budget": "0",
    "gold_per_unit": "1",
    "repeats_per_unit": "0",
    "practice_pass": "1",
    "stop_after": "8",
    "stop_below": "0.6",
    "floor_seconds": "2",
    "floor_per_1000": "1",
    "aggregation": "majority",
    "currency": "eur",
    "pay_per_unit": "0.20",
    "screen_out_pay": "0.10",
    "hourly_minimum": "12",
    "provider": "generic",
    "generic-return_url": "https://panel.example/done?c={code}",
    "summary": "",
    "instructions": "**Read** <script>alert(1)</script>",
    "consent": "You get {pay}.",
    "contact": "me@example.org",
    "retention_until": "2031-01-31",
}


def test_without_a_pool_the_page_says_what_is_needed(page):
    html = page("")
    assert "No crowd studies yet" in html
    assert "Build pool" in html
    assert "New study</a>" not in html
    assert "No pool yet" in page("new/")


def test_without_a_study_the_page_leads_to_one_of_another_campaign(page, study, organizer, as_user):
    assert "To see one" not in page("")
    scale = [GradeSpec(0, "No", "0", 0.0), GradeSpec(1, "Yes", "1", 1.0)]
    other = create_campaign(actor=organizer, title="Other", slug="other", scale=scale)
    empty = read_page(as_user(organizer).get(f"/c/{other.slug}/judging/crowd/"))
    assert f'<a href="{study.get_absolute_url()}">Mountains</a> of Small Task' in empty


def test_with_a_pool_a_study_can_be_created(page, pool):
    html = page("")
    assert "pairs that are in no plan: 9 pairs" in html
    assert "New study</a>" in html
    form = page("new/")
    assert "Settings of Signed links" in form
    assert "**What we pay.** {pay}" in form


def test_the_preview_counts_units_and_pay_and_saves_nothing(post, pool):
    html = read_page(post("new/", FORM | {"pool": pool.pk, "preview": "1"}))
    assert "9 units of 3 documents, 1.80 EUR" in html  # 9 pairs twice, by two
    assert "18 of 9 pairs" in html
    assert "An assumption, nothing is measured yet: 30 s a document." in html
    assert '<td class="num">8.00</td>' in html  # 0.20 for 90 s
    assert "0.30" in html  # the smallest pay
    assert "not met" in html
    assert not Study.objects.exists()


def test_the_form_creates_a_study(post, page, pool):
    answer = post("new/", FORM | {"pool": pool.pk, "topics": "1, 2"})
    study = Study.objects.get()
    assert answer.url == study.get_absolute_url()
    assert study.provider_settings["return_url"] == "https://panel.example/done?c={code}"
    assert (study.currency, study.pay_per_unit) == ("EUR", Decimal("0.20"))
    assert study.plan.slots.count() == 12
    html = page(f"{study.pk}/")
    assert "Mountains &lt;b&gt;" in html
    assert "<script>alert" not in html
    assert "You get 0.20 EUR." in html
    assert "Before you start" in html


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"consent": "Get {wage}."}, "Unknown placeholders: {wage}."),
        ({"topics": "1 77"}, "Unknown topics: 77."),
        ({"max_redundancy": "1"}, "Enter at least 2, or nothing."),
        ({"generic-return_url": "javascript:alert(1)"}, "Return address"),
        ({"pay_per_unit": "-1"}, "Pay per unit"),
    ],
)
def test_a_bad_form_says_where(post, pool, changes, message):
    answer = post("new/", FORM | {"pool": pool.pk} | changes)
    assert answer.status_code == 422
    assert message in read_page(answer)
    assert not Study.objects.exists()


def test_a_draft_is_edited(post, page, study):
    assert "We pay {pay}." in page(f"{study.pk}/edit/")
    answer = post(f"{study.pk}/edit/", FORM | {"unit_size": "3"})
    assert answer.status_code == 302
    study.refresh_from_db()
    assert (study.unit_size, study.title) == (3, "Mountains <b>")
    assert study.consent_texts.count() == 2


def test_a_started_study_shows_what_stays(post, page, study, organizer):
    start_study(actor=organizer, study=make_ready(study, organizer))
    html = page(f"{study.pk}/edit/")
    assert 'id="id_unit_size" disabled' in html or "disabled" in html
    answer = post(f"{study.pk}/edit/", FORM | {"unit_size": "9"})  # a lower pay, too
    assert answer.status_code == 422
    assert "The pay per unit can only rise" in read_page(answer)


def test_a_study_that_is_not_ready_says_so_instead_of_starting(page, post, study):
    html = page(f"{study.pk}/start/")
    assert "The study cannot start yet." in html
    assert "0 practice pairs for a pass mark of 1." in html
    assert post(f"{study.pk}/start/", {"digest": "x"}).status_code == 422
    study.refresh_from_db()
    assert study.state == "draft"


def test_starting_pausing_stopping(as_user, post, page, study, organizer):
    make_ready(study, organizer)
    client, url = as_user(organizer), study.get_absolute_url()
    assert confirm(client, f"{url}start/", confirm=[]).status_code == 422
    assert confirm(client, f"{url}start/").status_code == 302
    html = page(f"{study.pk}/")
    assert "no worker has come yet" in html
    assert "0 of 18" in html
    assert post(f"{study.pk}/pause/", {"paused": "1"}).status_code == 302
    assert "Paused: no worker gets a new unit." in page(f"{study.pk}/")
    assert post(f"{study.pk}/pause/", {"paused": "0"}).status_code == 302
    assert confirm(client, f"{url}stop/").status_code == 302
    html = page(f"{study.pk}/")
    assert "Freeze qrels" in html
    assert "Pause study" not in html
    assert 'class="tag done">stopped' in page("")


def test_pay_below_the_minimum_asks_for_a_reason(as_user, study, organizer):
    make_ready(study, organizer, pay_per_unit=Decimal("0.29"))
    client, url = as_user(organizer), f"{study.get_absolute_url()}start/"
    assert "Reason for pay below the minimum" in read_page(client.get(url))
    shown = client.post(url, {"reason": "Course work."})
    assert "Your reason: Course work." in read_page(shown)
    assert confirm(client, url, {"reason": "Course work."}).status_code == 302
    study.refresh_from_db()
    assert study.state == "running"


def test_a_study_is_extended(page, post, study):
    assert "adds at most 9 judgments" in page(f"{study.pk}/extend/")
    fields = {
        "units_per_worker": "4",
        "redundancy": "3",
        "extra_budget": "0",
        "max_units": "",
        "retention_until": str(OPTIONS.retention_until),
    }
    assert post(f"{study.pk}/extend/", fields).status_code == 302
    assert study.plan.slots.count() == 27
    answer = post(f"{study.pk}/extend/", fields | {"units_per_worker": "1"})
    assert answer.status_code == 422
    assert "can only rise" in read_page(answer)


def test_practice_pairs_need_an_explanation(page, post, campaign):
    assert "No practice pairs yet" in page("practice/")
    answer = post("practice/", {"text": "1,d1,2"})
    assert answer.status_code == 422
    assert "EY05" in read_page(answer)
    assert post("practice/", {"text": "1,d1,2,Names the height <i>"}).status_code == 302
    pair = TrainingPair.objects.get()
    assert (pair.audience, pair.docno, pair.grade) == (Audience.CROWD, "d1", 2)
    assert "Names the height &lt;i&gt;" in page("practice/")
    assert post("practice/", {"remove": pair.pk}).status_code == 302
    assert not TrainingPair.objects.exists()


def test_agreed_pairs_become_practice_with_a_reason(page, post, restore, campaign):
    for layer in ("pool", "double_plan", "assessor", "assessor2", "disputes"):
        restore(layer)
    # Both assessors gave d2 the grade 1
    topic = campaign.topics.get(number="1")
    assert "d2" in page("practice/")
    pick = f"{topic.pk} d2"
    assert post("practice/", {"pick": pick}).status_code == 422
    assert post("practice/", {"pick": pick, f"why {pick}": "On the topic."}).status_code == 302
    pair = TrainingPair.objects.get()
    assert (pair.docno, pair.grade, pair.explanation) == ("d2", 1, "On the topic.")


def test_gold_is_added_balanced_and_retired(page, post, study, campaign):
    Document.objects.create(campaign=campaign, docno="g1", body="Text.")
    assert "No gold yet" in page("gold/")
    assert post("gold/", {"text": "1,d1,0\n1,d2,0\n2,g1,0,Why"}).status_code == 302
    html = page("gold/")
    assert "A worker who always answers 0 is right on 100 % of the gold" in html
    assert "3 of 2" in html  # one a unit, two units a worker
    pair = GoldPair.objects.get(docno="d1")
    assert post("gold/", {"retire": pair.pk}).status_code == 302
    pair.refresh_from_db()
    assert pair.retired
    assert post("gold/", {"text": "1,nowhere,0"}).status_code == 422


def test_markup_in_names_is_escaped(page, study):
    Study.objects.filter(pk=study.pk).update(title="<img src=x>", contact="<b>c</b>")
    html = page("") + page(f"{study.pk}/") + page("gold/")
    assert "<img src=x>" not in html
    assert "<b>c</b>" not in html
    assert "&lt;img src=x&gt;" in html


def test_a_study_is_copied_with_all_fields_and_nothing_else(post, page, pool, organizer, campaign):
    secret = {"provider": "prolific", "prolific-code_completed": "C0DE"}
    post("new/", FORM | {"pool": pool.pk, "topics": "1", "max_redundancy": "4", **secret})
    first = Study.objects.get()
    Study.objects.update(pay_per_unit="0.45")  # a copy fills the text anew
    address = f"new/?copy={first.pk}"
    assert address in page(f"{first.pk}/")
    form = page(address)
    assert 'value="Mountains &lt;b&gt; (copy)"' in form
    assert "You get {pay}." in form
    assert 'value="C0DE"' in form
    changes = {"title": "Second", "pay_per_unit": "0.45", "topics": "2"}
    answer = post(address, FORM | {"pool": pool.pk, "max_redundancy": "4", **secret, **changes})
    second = Study.objects.get(title="Second")
    assert answer.url == second.get_absolute_url()
    assert second.options == replace(first.options, title="Second", pay_per_unit=Decimal("0.45"))
    assert (second.state, second.plan.overlap, second.plan.max_overlap) == ("draft", 2, 4)
    assert second.consent_texts.get().text == "You get 0.45 EUR."
    assert not second.link_keys.exists()
    assert "(copy)" not in page("new/?copy=999999")


def test_a_raise_of_pay_fills_the_consent_text_anew(post, page, pool):
    post("new/", FORM | {"pool": pool.pk})
    study = Study.objects.get()
    assert "You get {pay}." in page(f"{study.pk}/edit/")
    post(f"{study.pk}/edit/", FORM | {"pay_per_unit": "0.50"})
    assert list(study.consent_texts.values_list("version", "text", "template")) == [
        (2, "You get 0.50 EUR.", "You get {pay}."), (1, "You get 0.20 EUR.", "You get {pay}."),
    ]  # fmt: skip
    post(f"{study.pk}/edit/", FORM | {"pay_per_unit": "0.50", "title": "Hills"})
    assert study.consent_texts.count() == 2
