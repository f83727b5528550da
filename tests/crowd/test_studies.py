"""Studies: created with their plan, checked before the start, paused, stopped, extended."""

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.core.exceptions import PermissionDenied
from django.utils import timezone

from campaigns.confirmation import Decision
from campaigns.errors import ConfirmationNeeded
from campaigns.models import Event
from crowd.models import ConsentText, Study
from crowd.queries.start_checks import DONE, MISSING, OPEN, list_start_checks
from crowd.queries.studies import load_study_figures, load_study_forecast
from crowd.services.studies import (
    create_study,
    edit_study,
    extend_study,
    pause_study,
    start_study,
    stop_study,
    write_consent_text,
)
from judging.models import Audience, Plan, Purpose, Slot
from judging.services.plans import create_plan
from poolbench.crowd.options import StudyExtension
from tests.crowd.studies import OPTIONS, add_gold_rows, add_practice_rows, make_ready, pool, study
from tests.refusals import refusal

__all__ = ["pool", "study"]


@pytest.fixture
def ready(study, organizer):
    return make_ready(study, organizer)


def codes(study, state):
    return [check.code for check in list_start_checks(study) if check.state == state]


def test_a_study_comes_with_its_plan_and_consent_text(study, pool):
    plan = study.plan
    assert (plan.audience, plan.overlap, plan.pool, plan.state) == (
        Audience.CROWD, 2, pool, Plan.State.OPEN,
    )  # fmt: skip
    assert study.state == Study.State.DRAFT
    assert plan.assignments.count() == 0
    assert plan.slots.count() == 18  # 9 pairs twice
    assert [text.text for text in study.consent_texts.all()] == ["We pay 1.50 EUR."]
    assert [event.code for event in Event.objects.filter(code__startswith="study.").order_by("pk")][
        :2
    ] == ["study.created", "study.consent_written"]


def test_topics_limit_the_plan(organizer, pool):
    study = create_study(
        actor=organizer, pool=pool, options=OPTIONS, redundancy=3, topics=["2"], max_redundancy=5
    )
    assert study.plan.slots.count() == 6
    assert (study.plan.overlap, study.plan.max_overlap) == (3, 5)
    assert not study.consent_texts.exists()


def test_a_refused_study_leaves_no_plan(organizer, pool):
    options = replace(OPTIONS, currency="Euro")
    assert refusal(create_study, actor=organizer, pool=pool, options=options) == "bad-study"
    code = refusal(
        create_study, actor=organizer, pool=pool, options=OPTIONS, redundancy=3, max_redundancy=2
    )
    assert code == "bad-redundancy"
    assert not Plan.objects.exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"unit_size": 0},
        {"unit_size": 200},  # gold comes on top
        {"units_per_worker": 0},
        {"max_units": 0},
        {"pay_per_unit": Decimal("-0.01")},
        {"stop_below": 1.0},
        {"stop_after": 2},
    ],
)
def test_impossible_options_are_refused(organizer, pool, changes):
    options = replace(OPTIONS, **changes)
    assert refusal(create_study, actor=organizer, pool=pool, options=options) == "bad-study"


def test_only_organizers_create_and_change(pool, study, assessor):
    for act, arguments in (
        (create_study, {"pool": pool, "options": OPTIONS}),
        (edit_study, {"study": study, "options": OPTIONS}),
        (write_consent_text, {"study": study, "text": "x"}),
        (start_study, {"study": study}),
        (pause_study, {"study": study}),
        (stop_study, {"study": study}),
        (extend_study, {"study": study, "extension": StudyExtension(units_per_worker=9)}),
    ):
        with pytest.raises(PermissionDenied):
            act(actor=assessor, **arguments)


def test_a_changed_consent_text_is_a_new_version(study, organizer):
    assert write_consent_text(actor=organizer, study=study, text="We pay {pay}.").version == 1
    assert write_consent_text(actor=organizer, study=study, text="We pay, {pay}.").version == 2
    assert list(study.consent_texts.values_list("version", "text")) == [
        (2, "We pay, 1.50 EUR."),
        (1, "We pay 1.50 EUR."),
    ]
    assert refusal(write_consent_text, actor=organizer, study=study, text="  ") == "no-consent-text"


def test_a_draft_may_change_in_everything(study, organizer):
    options = replace(OPTIONS, unit_size=3, pay_per_unit=Decimal("0.40"), currency="USD")
    edit_study(actor=organizer, study=study, options=options, consent="For {pay}.")
    study.refresh_from_db()
    assert study.options == options
    assert study.consent_texts.first().text == "For 0.40 USD."
    event = Event.objects.filter(code="study.changed").get()
    assert event.data["changes"] == ["currency", "pay_per_unit", "unit_size"]


def test_a_bare_draft_says_what_is_missing(organizer, pool):
    options = replace(
        OPTIONS,
        contact="",
        retention_until=date(2020, 1, 1),
        practice_pass=2,
        pay_per_unit=Decimal("0.29"),
        instructions="word " * 400,  # two minutes: 0.40 of the promised 12.00
    )
    study = create_study(actor=organizer, pool=pool, options=options)
    assert codes(study, MISSING) == ["consent", "contact", "retention", "practice", "gold"]
    assert codes(study, OPEN) == ["no-link-key", "pay-below", "not-tried"]
    assert refusal(start_study, actor=organizer, study=study) == "study-not-ready"
    study.refresh_from_db()
    assert study.state == Study.State.DRAFT


def test_a_ready_study_starts(ready, organizer):
    assert codes(ready, MISSING) == []
    assert codes(ready, OPEN) == ["not-tried"]
    assert codes(ready, DONE)[:2] == ["documents", "consent"]
    with pytest.raises(ConfirmationNeeded) as caught:
        start_study(actor=organizer, study=ready, decision=Decision())
    assert [choice.code for choice in caught.value.missing] == ["not-tried", "people-work"]
    study = start_study(
        actor=organizer, study=ready, decision=Decision(frozenset({"not-tried", "people-work"}))
    )
    assert (study.state, study.started_at is not None) == (Study.State.RUNNING, True)
    event = Event.objects.get(code="study.started")
    assert event.data["confirmed"]["overridden"] == ["not-tried"]
    assert refusal(start_study, actor=organizer, study=study) == "study-started"


def test_pay_below_the_minimum_needs_a_reason(ready, organizer):
    # 2 documents and 1 gold, 30 s each: 90 s; 12.00 an hour need 0.30.
    edit_study(actor=organizer, study=ready, options=replace(OPTIONS, pay_per_unit=Decimal("0.29")))
    assert refusal(start_study, actor=organizer, study=ready) == "pay-below-minimum"
    study = start_study(actor=organizer, study=ready, reason="Course work.")
    assert study.state == Study.State.RUNNING
    assert Event.objects.get(code="study.started").data["reason"] == "Course work."


def test_a_cent_more_meets_the_minimum(ready, organizer):
    study = edit_study(
        actor=organizer, study=ready, options=replace(OPTIONS, pay_per_unit=Decimal("0.30"))
    )
    assert "pay" in codes(study, DONE)
    # The text names the new pay, by its template; one without placeholders names the old.
    assert "consent-old" not in codes(study, OPEN)
    write_consent_text(actor=organizer, study=study, text="We pay 1.50 EUR.")
    assert "consent-old" in codes(study, OPEN)


def test_a_started_study_keeps_its_promises(ready, organizer):
    study = start_study(actor=organizer, study=ready)
    for changes in ({"unit_size": 3}, {"gold_per_unit": 2}, {"provider": "fake"}):
        options = replace(OPTIONS, **changes)
        code = refusal(edit_study, actor=organizer, study=study, options=options)
        assert code == "study-fixed"
    for changes in (
        {"pay_per_unit": Decimal("1.49")},
        {"units_per_worker": 1},
        {"max_units": 50},
        {"retention_until": None},
        {"retention_until": OPTIONS.retention_until - timedelta(1)},
    ):
        options = replace(OPTIONS, **changes)
        code = refusal(edit_study, actor=organizer, study=study, options=options)
        assert code == "study-only-up"
    options = replace(OPTIONS, pay_per_unit=Decimal("1.60"), stop_below=0.5, summary="New")
    study = edit_study(actor=organizer, study=study, options=options)
    assert study.options == options


def test_pausing_stops_the_offer_of_units(ready, organizer):
    assert refusal(pause_study, actor=organizer, study=ready) == "study-not-running"
    study = start_study(actor=organizer, study=ready)
    study = pause_study(actor=organizer, study=study)
    assert (study.state, study.plan.state) == (Study.State.PAUSED, Plan.State.PAUSED)
    again = pause_study(actor=organizer, study=study)
    assert again.state == Study.State.PAUSED
    assert Event.objects.filter(code="study.paused").count() == 1
    study = pause_study(actor=organizer, study=study, paused=False)
    assert (study.state, study.plan.state) == (Study.State.RUNNING, Plan.State.OPEN)


def test_stopping_frees_the_pairs_for_another_study(ready, organizer, pool):
    study = start_study(actor=organizer, study=ready)
    code = refusal(create_study, actor=organizer, pool=pool, options=OPTIONS)
    assert code == "nothing-to-plan"
    study = stop_study(actor=organizer, study=study)
    assert (study.state, study.plan.state) == (Study.State.STOPPED, Plan.State.CLOSED)
    assert study.stopped_at is not None
    assert not Slot.objects.filter(plan=study.plan).exists()
    for act, more in (
        (stop_study, {}),
        (edit_study, {"options": OPTIONS}),
        (write_consent_text, {"text": "x"}),
        (extend_study, {"extension": StudyExtension(units_per_worker=99)}),
    ):
        assert refusal(act, actor=organizer, study=study, **more) == "study-stopped"
    assert create_study(actor=organizer, pool=pool, options=OPTIONS).plan.slots.count() == 27


def test_a_draft_can_be_discarded(study, organizer):
    assert stop_study(actor=organizer, study=study).state == Study.State.STOPPED


def test_limits_rise_and_new_judgments_are_asked_for(ready, organizer):
    study = start_study(actor=organizer, study=ready)
    later = OPTIONS.retention_until + timedelta(30)
    extension = StudyExtension(units_per_worker=7, redundancy=4, retention_until=later)
    study = extend_study(actor=organizer, study=study, extension=extension)
    assert (study.units_per_worker, study.retention_until) == (7, later)
    study.plan.refresh_from_db()
    assert (study.plan.overlap, study.plan.max_overlap) == (4, 4)
    slots = study.plan.slots.filter(purpose=Purpose.JUDGE)
    assert sorted(slots.values_list("k", flat=True)) == sorted([0, 1, 2, 3] * 9)
    assert Event.objects.get(code="study.extended").data["judgments_added"] == 18


def test_limits_never_shrink(ready, organizer):
    for extension, code in (
        (StudyExtension(units_per_worker=1), "study-only-up"),
        (StudyExtension(redundancy=1), "bad-redundancy"),
        (StudyExtension(), "nothing-to-extend"),
        (StudyExtension(redundancy=2), "nothing-to-extend"),
    ):
        assert refusal(extend_study, actor=organizer, study=ready, extension=extension) == code


def test_figures_and_forecast_of_a_new_study(ready):
    figures = load_study_figures([ready])[0]
    assert (figures.judged, figures.needed, figures.paid, figures.units) == (0, 18, 0, {})
    forecast = load_study_forecast(ready)
    assert (forecast.pairs, forecast.units, forecast.cost) == (9, 9, Decimal("13.50"))


def test_the_queries_of_the_figures_do_not_grow(ready, organizer, pool, django_assert_num_queries):
    stop_study(actor=organizer, study=ready)
    other = create_study(actor=organizer, pool=pool, options=OPTIONS)
    with django_assert_num_queries(5):
        load_study_figures([ready, other])


def test_a_campaign_past_its_deadline_cannot_start(ready, organizer):
    campaign = ready.campaign
    campaign.judging_deadline = timezone.now() - timedelta(hours=1)
    campaign.save()
    assert "deadline" in codes(ready, MISSING)


def test_documents_without_text_forbid_the_start(organizer, campaign, ready):
    campaign.documents.filter(docno="d1").delete()
    check = next(each for each in list_start_checks(ready) if each.code == "documents")
    assert (check.state, check.text) == (MISSING, "1 document of the plan not imported.")


def test_gold_of_one_grade_is_pointed_out(study, organizer):
    make_ready(study, organizer, gold=[])
    add_gold_rows(study, organizer, [("1", f"g{at}", 0) for at in range(5)])
    check = next(each for each in list_start_checks(study) if each.code == "gold-one-grade")
    assert check.text == "100 % of the gold have grade 0."


def test_units_of_one_topic_need_gold_of_each_topic(study, organizer):
    make_ready(study, organizer)
    study = edit_study(actor=organizer, study=study, options=replace(OPTIONS, one_topic=True))
    check = next(each for each in list_start_checks(study) if each.code == "gold-topics")
    assert check.text == "1 topic without gold."
    assert check.detail.endswith(": 3.")


def test_existing_assessors_plans_are_no_studies(organizer, pool, assessor):
    create_plan(actor=organizer, pool=pool, assessors={"1": [assessor]}, topics=["1"])
    study = create_study(actor=organizer, pool=pool, options=OPTIONS)
    assert study.plan.slots.filter(topic__number="1").count() == 0
    assert ConsentText.objects.count() == 0
    assert add_practice_rows(study, organizer, [("1", "d1", 2)]) == 1
