"""What starting and stopping a study mean, for the page that asks before."""

from __future__ import annotations

from django.urls import reverse

from campaigns.confirmation import Confirmation, ConfirmationChoice, Consequence, OpenMatter
from crowd.models import Study, WorkUnit
from crowd.queries.start_checks import DONE, OPEN, StartCheck, list_start_checks
from crowd.queries.studies import load_study_forecast
from crowd.queries.study_terms import format_amount
from judging.models import Purpose, Slot
from poolbench.crowd.providers.registry import PROVIDERS
from poolbench.files.faults import format_count


def describe_study_start(study: Study, reason: str = "") -> Confirmation:
    """Before a draft is opened to workers; ``reason`` is that for pay below the minimum."""
    checks, forecast = list_start_checks(study), load_study_forecast(study)
    cost = format_amount(forecast.cost, study.currency)
    trials = WorkUnit.objects.filter(plan=study.plan_id, trial=True).count()
    fixed = (
        "Unit size, gold, repeats, minutes, pass mark and provider stay as they are; pay and limits"
        " can only rise."
    )
    consequences = [
        Consequence("Workers", "can open the link, consent, practise and be paid, from now on."),
        Consequence("You", f"owe up to {cost} for {format_count(forecast.units, 'unit')}, and pay"
                    " for failed practice; the provider's fees come on top."),
        Consequence("Until it stops", fixed),
        Consequence("At any time", "you can pause or stop; units in progress may finish."),
    ]  # fmt: skip
    if trials:
        consequences.append(Consequence("Trials", "stay out of judgments, qrels and payments."))
    return Confirmation(
        question=f"Start the study “{study.title}”?",
        summary=f"{format_count(forecast.judgments, 'judgment')} of"
        f" {format_count(forecast.pairs, 'pair')}, by"
        f" {PROVIDERS[study.provider].title}.",
        before="Before you start",
        open=tuple(build_matter(each, reason) for each in checks if each.state == OPEN),
        done=tuple(check.text for check in checks if check.state == DONE),
        consequences=tuple(consequences),
        consents=(
            ConfirmationChoice(
                "people-work", "People will work on this for pay, as the consent text says"
            ),
        ),
        button="Start study",
        back=reverse("study", args=[study.campaign.slug, study.pk]),
        note="Some institutions require the approval of an ethics board before this.",
    )


def build_matter(check: StartCheck, reason: str) -> OpenMatter:
    stated = f" Your reason: {reason.strip()}" if check.code == "pay-below" and reason else ""
    return OpenMatter(
        text=check.text + stated,
        detail=check.detail,
        override=ConfirmationChoice(check.code, check.override),
        url=check.url,
        link=check.link,
    )


def describe_study_stop(study: Study) -> Confirmation:
    """Before a study ends, or a draft is discarded."""
    is_draft = study.state == Study.State.DRAFT
    units = WorkUnit.objects.filter(plan=study.plan_id, trial=False)
    at_work = units.filter(state=WorkUnit.State.STARTED).count()
    slots = study.plan.slots.filter(purpose=Purpose.JUDGE)
    judged = slots.filter(state=Slot.State.JUDGED).count()
    remaining = slots.exclude(state=Slot.State.JUDGED).count()
    matters: tuple[OpenMatter, ...] = ()
    if at_work:
        matters = (
            OpenMatter(
                text=f"{format_count(at_work, 'unit')} in progress.",
                detail="They may finish, and are paid.",
                override=ConfirmationChoice("units-started", "Stop although units are in progress"),
                url=reverse("study", args=[study.campaign.slug, study.pk]),
                link="View study",
            ),
        )
    consequences = [
        Consequence("For good", "A stopped study cannot be started again."),
        Consequence("Judgments", f"{format_count(judged, 'judgment')} stay and count."),
        Consequence("The other pairs", f"{format_count(remaining, 'judgment')} not given: their"
                    " pairs can be planned again."),
    ]  # fmt: skip
    if not is_draft:
        consequences.append(
            Consequence("Workers", "get no more units. Stop the study at the provider too.")
        )
    return Confirmation(
        question=f"{'Discard the draft' if is_draft else 'Stop the study'} “{study.title}”?",
        before="Before you discard it" if is_draft else "Before you stop",
        open=matters,
        consequences=tuple(consequences),
        button="Discard draft" if is_draft else "Stop study",
        back=reverse("study", args=[study.campaign.slug, study.pk]),
        note="" if is_draft else "To stop for a while, pause the study instead.",
    )
