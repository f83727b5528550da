"""What starting, stopping and paying a study mean, for the page that asks before."""

from decimal import Decimal

from django.urls import reverse
from django.utils import timezone

from campaigns.confirmation import Confirmation, ConfirmationChoice, Consequence, OpenMatter
from crowd.models import CrowdWorker, Payment, PaymentBatch, Study, WorkUnit
from crowd.queries.keys import find_key_date
from crowd.queries.payment_sheet import compute_unpaid_amount, load_payment_sheet
from crowd.queries.start_checks import DONE, OPEN, StartCheck, list_start_checks
from crowd.queries.studies import load_study_forecast
from crowd.queries.study_terms import format_amount
from judging.models import Judgment, Purpose, Slot
from judging.queries.judgments import latest_judgments
from poolbench.crowd.payment_sheet import is_approved, select_batch, select_due, split_amount
from poolbench.crowd.providers.registry import PROVIDERS
from poolbench.files.faults import format_count


def describe_study_start(study: Study, reason: str = "") -> Confirmation:
    """Before a draft is opened to workers; ``reason`` is that for pay below the minimum."""
    checks, forecast = list_start_checks(study), load_study_forecast(study)
    cost = format_amount(forecast.cost, study.currency)
    most = "what all who come have worked: there is no upper limit"
    if forecast.ceiling is not None:
        most = f"{format_amount(forecast.ceiling, study.currency)}, with bonuses aside"
    trials = WorkUnit.objects.filter(plan=study.plan_id, trial=True).count()
    fixed = (
        "Unit size, gold, repeats, minutes, pass mark and provider stay as they are; pay and limits"
        " can only rise."
    )
    consequences = [
        Consequence("Workers", "can open the link, consent, practise and be paid, from now on."),
        Consequence("You", f"owe about {cost} for {format_count(forecast.units, 'unit')}, and at"
                    f" most {most}; the provider's fees come on top."),
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
    day = find_key_date(study)
    if day is not None and day < timezone.now().date():
        matters += tuple(list_money_matters(
            study, "key-destroyed", "The retention date has passed: with the last running study the"
            " key to the provider's IDs is destroyed, and then workers can be paid by hand only.",
            "Stop although the IDs are destroyed before the pay",
        ))  # fmt: skip
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
        when = f" after {day.day} {day:%B %Y}" if day else ", once every study has a retention date"
        text = f"are destroyed{when}: pay what is owed before."
        consequences.append(Consequence("The provider's IDs", text))
    return Confirmation(
        question=f"{'Discard the draft' if is_draft else 'Stop the study'} “{study.title}”?",
        before="Before you discard it" if is_draft else "Before you stop",
        open=matters,
        consequences=tuple(consequences),
        button="Discard draft" if is_draft else "Stop study",
        back=reverse("study", args=[study.campaign.slug, study.pk]),
        note="" if is_draft else "To stop for a while, pause the study instead.",
    )


def list_money_matters(study: Study, code: str, detail: str, label: str) -> list[OpenMatter]:
    """What is owed and not marked as paid; empty for nothing."""
    owed = compute_unpaid_amount(Payment.objects.filter(study=study))
    if not owed:
        return []
    url = reverse("study-payments", args=[study.campaign.slug, study.pk])
    text = f"{format_amount(owed, study.currency)} are owed to workers and not marked as paid."
    override = ConfirmationChoice(code, label)
    return [OpenMatter(text, override, detail, url=url, link="View payments")]


def describe_key_retirement(study: Study, kid: str) -> Confirmation:
    """Before the links under a key of ``study`` open nothing any more."""
    matters = list_money_matters(
        study, "money-owed", "Workers find the code of their work by their link.",
        "Retire the key although money is owed",
    )  # fmt: skip
    return Confirmation(
        question=f"Retire key {kid} of “{study.title}”?",
        before="Before you retire the key",
        open=tuple(matters),
        consequences=(Consequence("Links", "signed under it open nothing from now on, for good."),),
        button="Retire key",
        back=reverse("study-keys", args=[study.campaign.slug, study.pk]),
    )


def describe_consent_withdrawal(worker: CrowdWorker, back: str = "") -> Confirmation:
    """Before a worker's withdrawal of consent is recorded."""
    judged = latest_judgments(Judgment.objects.filter(assessor=worker.user_id)).filter(
        purpose=Purpose.JUDGE, kind=Judgment.Kind.GRADE
    )
    payments = Payment.objects.filter(unit__worker=worker)
    owed = compute_unpaid_amount(payments)
    currency = payments.values_list("currency", flat=True).first() or ""
    for_good = ConfirmationChoice("for-good", "It is for good, in all studies of the campaign")
    rest = f"{format_amount(owed, currency)} stay owed" if owed else "nothing is owed now"
    consequences = (
        Consequence("Judgments", f"{format_count(judged.count(), 'judgment')} count no more and"
                    " are in no qrels from now on; their documents open again while the study"
                    " runs. Qrels frozen before stay as they are."),
        Consequence("Comments", "are erased."),
        Consequence("Pay", f"{rest}; a unit in progress ends and is paid for its part."),
        Consequence("The provider's IDs", "are erased once everything is paid. Who comes by a link"
                    " after that is a new worker."),
    )  # fmt: skip
    return Confirmation(
        question=f"Record that {worker.pseudonym} has withdrawn their consent?",
        before="Before you record it",
        consequences=consequences,
        consents=(for_good,),
        button="Withdraw consent",
        back=back,
        note="It says nothing of the quality of the work. For that, set work aside.",
    )


def describe_batch(study: Study, reward: Decimal) -> Confirmation:
    """Before what is owed becomes a batch, whose units are approved at ``reward``."""
    sheet = load_payment_sheet(study)
    rows, currency = select_due(sheet), study.currency
    total = format_amount(sum((row.total for row in rows), Decimal(0)), currency)
    approved = sum(is_approved(row, reward) for row in rows)
    sent = [row for row in rows if row.has_ids]
    parts = sum(bool(row.amount) and not is_approved(row, reward) for row in sent)
    on_top = {row.worker_id for row in sent if split_amount(row, reward)[1]}
    hidden = [row for row in rows if not row.has_ids]
    each = format_amount(reward, currency)
    consequences = [
        Consequence("Files", f"approve {format_count(approved, 'unit')} at {each}, pay"
                    f" {format_count(parts, 'unit')} in part and"
                    f" {format_count(len(on_top), 'worker')} on top: together"
                    f" {format_amount(sum((row.total for row in sent), Decimal(0)), currency)}."),
        Consequence("The batch", "keeps these amounts; what comes later is in the next. It can be"
                    " made void until something of it is paid."),
        Consequence("You", "upload its files at the provider, who pays; then mark the batch as"
                    " paid."),
    ]  # fmt: skip
    if waiting := sum(bool(row.dispute) for row in sheet):
        text = f"{format_count(waiting, 'unit')}: not in this batch."
        consequences.append(Consequence("Disputed", text))
    if hidden:
        owed = format_amount(sum((row.total for row in hidden), Decimal(0)), currency)
        text = (
            f"{owed} for {format_count(len(hidden), 'unit')} whose provider's IDs are erased: pay"
        )
        text += " who shows you the code of the work."
        consequences.append(Consequence("By hand", text))
    return Confirmation(
        question=f"Pay {total} as batch {study.batches.count() + 1}?",
        summary=f"{format_count(len(rows), 'unit')} of “{study.title}”.",
        before="Before you pay",
        consequences=tuple(consequences),
        consents=(
            ConfirmationChoice("reward", f"The provider pays {each} for a unit that I approve"),
        ),
        button="Make batch",
        back=reverse("study-payments", args=[study.campaign.slug, study.pk]),
    )


def describe_batch_paid(batch: PaymentBatch) -> Confirmation:
    """Before a batch is marked as paid."""
    study = batch.study
    rows = select_batch(load_payment_sheet(study), batch.number)
    unpaid = [row for row in rows if row.sent and not row.dispute]
    total = format_amount(sum((row.sent for row in unpaid), Decimal(0)), study.currency)
    return Confirmation(
        question=f"Mark batch {batch.number} as paid?",
        summary=f"{total} for {format_count(len(unpaid), 'unit')} of “{study.title}”.",
        before="Before you mark it",
        consequences=(
            Consequence("Disputed", f"{format_count(len(rows) - len(unpaid), 'unit')} of this batch"
                        " stay as they are, disputed or paid before."),
        ) if len(rows) > len(unpaid) else (),
        consents=(ConfirmationChoice("paid", "The provider has paid all of this"),),
        button="Mark as paid",
        back=reverse("study-payments", args=[study.campaign.slug, study.pk]),
        note="Reconcile with the provider's list instead, and what it proves is marked.",
    )  # fmt: skip


def describe_batch_void(batch: PaymentBatch) -> Confirmation:
    """Before what a batch contains is owed again."""
    study = batch.study
    rows = select_batch(load_payment_sheet(study), batch.number)
    total = format_amount(sum((row.total for row in rows), Decimal(0)), study.currency)
    return Confirmation(
        question=f"Make batch {batch.number} void?",
        summary=f"{total} for {format_count(len(rows), 'unit')} of “{study.title}”.",
        before="Before you make it void",
        consequences=(
            Consequence("Payments", "are owed again, and come into the next batch."),
            Consequence("Its files", "say that they are void. Delete those that you downloaded:"
                        " with them the same work would be paid twice."),
        ),
        consents=(ConfirmationChoice("unpaid", "The provider has paid nothing of this"),),
        button="Make void",
        back=reverse("study-payments", args=[study.campaign.slug, study.pk]),
    )  # fmt: skip
