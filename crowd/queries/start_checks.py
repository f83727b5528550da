"""What a study needs before it can start: the list on its page, and what its service refuses."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils import timezone

from campaigns.models import Document
from crowd.models import Study, WorkUnit
from crowd.queries.gold import GoldBalance, load_gold_balance
from crowd.queries.keys import lacks_link_key
from crowd.queries.study_terms import (
    format_amount,
    get_consent_text,
    load_consent_values,
    load_pay_assessment,
)
from judging.models import Audience
from judging.queries.training import list_training
from poolbench.crowd.consent import has_amount, list_old_values, list_unknown_placeholders
from poolbench.crowd.forecast import compute_ceiling
from poolbench.crowd.hourly_pay import PayAssessment
from poolbench.crowd.providers.base import find_setting_faults
from poolbench.crowd.providers.registry import PROVIDERS
from poolbench.files.faults import format_count

DONE, OPEN, MISSING = "done", "open", "missing"


@dataclass(frozen=True)
class StartCheck:
    """``state``: done; open, which the organizer may override; missing, which forbids the start.

    ``override`` is the label of the check box of an open one.
    """

    code: str
    state: str
    text: str
    detail: str = ""
    url: str = ""
    link: str = ""
    override: str = ""


def list_start_checks(study: Study) -> list[StartCheck]:
    """Every check, in the order in which an organizer does them."""
    return [
        check_documents(study),
        *check_deadline(study),
        check_consent(study),
        check_contact(study),
        check_provider(study),
        check_retention(study),
        check_practice(study),
        *check_gold_pairs(study),
        *check_pay(study),
        *check_maximum(study),
        check_trial(study),
    ]


def check_documents(study: Study) -> StartCheck:
    campaign = study.campaign
    texts = Document.objects.filter(campaign=campaign, docno=OuterRef("item__docno"))
    lacking = study.plan.slots.filter(~Exists(texts), gold=None).order_by()
    missing = lacking.values("item").distinct().count()
    if not missing:
        return StartCheck("documents", DONE, "All documents are imported.")
    return StartCheck(
        "documents",
        MISSING,
        f"{format_count(missing, 'document')} of the plan not imported.",
        "Workers see only what is in the campaign.",
        reverse("documents-import", args=[campaign.slug]),
        "Import documents",
    )


def check_deadline(study: Study) -> Iterator[StartCheck]:
    campaign = study.campaign
    if not campaign.takes_judgments():
        yield StartCheck(
            "deadline",
            MISSING,
            "The judging deadline of the campaign has passed.",
            "Workers would be turned away.",
            reverse("campaign-settings", args=[campaign.slug]),
            "Move deadline",
        )


def check_consent(study: Study) -> StartCheck:
    consent = get_consent_text(study)
    url = reverse("study-edit", args=[study.campaign.slug, study.pk]) + "#id_consent"
    if consent is None:
        text = "No consent text."
        return StartCheck("consent", MISSING, text, "", url, "Write consent text")
    if unknown := list_unknown_placeholders(consent.text):
        names = ", ".join("{" + name + "}" for name in unknown)
        text = f"Unknown placeholders in the consent text: {names}."
        return StartCheck("consent", MISSING, text, "", url, "Edit consent text")
    values = load_consent_values(study)
    if old := list_old_values(consent.text, values):
        return StartCheck(
            "consent-old",
            OPEN,
            f"The consent text names what the study does not: {', '.join(old[:20])}.",
            "Fill it in anew: delete the text, or use the placeholders.",
            url,
            "Edit consent text",
            "The consent text is right as it is",
        )
    pay = values["pay"]
    if not has_amount(consent.text, pay):
        return StartCheck(
            "consent-pay",
            OPEN,
            f"The consent text does not name the pay of {pay}.",
            "Fill it in anew: delete the text, or use the placeholder {pay}.",
            url,
            "Edit consent text",
            "The consent text states the pay in other words",
        )
    return StartCheck("consent", DONE, f"Consent text, version {consent.version}.")


def check_contact(study: Study) -> StartCheck:
    if study.contact:
        return StartCheck("contact", DONE, f"Contact: {study.contact}.")
    url = reverse("study-edit", args=[study.campaign.slug, study.pk]) + "#id_contact"
    return StartCheck("contact", MISSING, "No contact for questions of workers.", "", url, "Add")


def check_provider(study: Study) -> StartCheck:
    url = reverse("study-edit", args=[study.campaign.slug, study.pk]) + "#provider"
    provider = PROVIDERS.get(study.provider)
    if provider is None:
        text = f"Unknown provider: {study.provider}."
        return StartCheck("provider", MISSING, text, "", url, "Choose provider")
    if faults := find_setting_faults(provider, study.provider_settings):
        labels = {setting.name: setting.label for setting in provider.settings}
        detail = " ".join(f"{labels[name]}: {fault}" for name, fault in faults.items())
        text = f"Settings of {provider.title} are incomplete."
        return StartCheck("provider", MISSING, text, detail, url, "Complete settings")
    if lacks_link_key(study):
        return StartCheck(
            "no-link-key",
            OPEN,
            "No key for signing links.",
            "Without one no link opens the study.",
            reverse("study-keys", args=[study.campaign.slug, study.pk]),
            "Add key",
            "Start before any link can be opened",
        )
    return StartCheck("provider", DONE, f"Provider: {provider.title}.")


def check_retention(study: Study) -> StartCheck:
    url = reverse("study-edit", args=[study.campaign.slug, study.pk]) + "#id_retention_until"
    until, today = study.retention_until, timezone.now().date()
    if until is not None and until > today:
        return StartCheck("retention", DONE, f"IDs are kept until {until.day} {until:%B %Y}.")
    text = "No retention date." if until is None else "The retention date has passed."
    return StartCheck("retention", MISSING, text, "", url, "Set retention date")


def check_practice(study: Study) -> StartCheck:
    pairs = list_training(study.campaign, Audience.CROWD).count()
    url = reverse("study-practice", args=[study.campaign.slug])
    if study.practice_pass > pairs:
        return StartCheck(
            "practice",
            MISSING,
            f"{format_count(pairs, 'practice pair')} for a pass mark of {study.practice_pass}.",
            "No worker could pass.",
            url,
            "Add practice pairs",
        )
    if not study.practice_pass:
        return StartCheck(
            "no-practice",
            OPEN,
            "No pass mark for practice.",
            "Workers who misunderstand the task find out on paid work.",
            url,
            "Practice",
            "Start without a pass mark",
        )
    text = f"{format_count(pairs, 'practice pair')}, pass mark {study.practice_pass}."
    return StartCheck("practice", DONE, text)


def check_gold_pairs(study: Study) -> Iterator[StartCheck]:
    balance = load_gold_balance(study)
    yield check_gold_number(study, balance)
    if balance.dominant is not None:
        grade = balance.dominant[0]
        yield StartCheck(
            "gold-one-grade",
            OPEN,
            f"{balance.dominant_percent:.0f} % of the gold have grade {grade}.",
            f"A worker who always answers {grade} is never stopped.",
            reverse("study-gold", args=[study.campaign.slug]),
            "Balance gold",
            "Start with gold of mostly one grade",
        )


def check_gold_number(study: Study, balance: GoldBalance) -> StartCheck:
    url = reverse("study-gold", args=[study.campaign.slug])
    if not study.gold_per_unit:
        return StartCheck(
            "no-gold",
            OPEN,
            "No gold in the units.",
            "Without it no worker is stopped, and accuracy is unknown.",
            url,
            "Gold",
            "Start without gold",
        )
    text = f"{format_count(balance.available, 'gold pair')} of {balance.needed}"
    if balance.available < study.gold_per_unit:
        detail = f"A unit has {study.gold_per_unit}."
        return StartCheck("gold", MISSING, f"{text}.", detail, url, "Add gold")
    if not balance.is_enough:
        return StartCheck(
            "gold-short",
            OPEN,
            f"{text} that a worker can meet.",
            "A gold pair is shown to a worker once; later units have fewer.",
            url,
            "Add gold",
            "Start with less gold",
        )
    if balance.bare_topics:
        return StartCheck(
            "gold-topics",
            OPEN,
            f"{format_count(len(balance.bare_topics), 'topic')} without gold.",
            f"Units of one topic take gold of their topic: {', '.join(balance.bare_topics[:20])}.",
            url,
            "Add gold",
            "Start with topics without gold",
        )
    return StartCheck("gold", DONE, f"{text} needed.")


def check_pay(study: Study) -> Iterator[StartCheck]:
    pay, currency = load_pay_assessment(study), study.currency
    url = reverse("study-edit", args=[study.campaign.slug, study.pk]) + "#pay"
    if not study.hourly_minimum:
        yield StartCheck(
            "no-minimum",
            OPEN,
            "No hourly minimum is promised.",
            "Volunteers, or course work, may be unpaid; say so in the consent text.",
            url,
            "Set minimum",
            "Start without a promised minimum",
        )
    else:
        yield check_unit_pay(study, pay, url)
    if pay.practice_pay < pay.smallest_practice:
        smallest = format_amount(pay.smallest_practice, currency)
        yield StartCheck(
            "screen-out-below",
            OPEN,
            f"Practice pays at most {format_amount(study.screen_out_pay, currency)}.",
            f"For the time it takes, with reading, {smallest} would be enough.",
            url,
            "Raise pay",
            "Pay less than the minimum for practice",
        )


def check_unit_pay(study: Study, pay: PayAssessment, url: str) -> StartCheck:
    """Whether a unit keeps the promise at the median, and a first one as well."""
    currency, first = study.currency, pay.first
    promise = format_amount(study.hourly_minimum, currency)
    if study.pay_per_unit < pay.smallest:
        return StartCheck(
            "pay-below",
            OPEN,
            f"{format_amount(study.pay_per_unit, currency)} a unit pays"
            f" {pay.hourly:.2f} {currency} an hour, less than {promise}.",
            f"{format_amount(pay.smallest, currency)} would be enough.",
            url,
            "Raise pay",
            "Pay less than the promised minimum",
        )
    if not pay.has_practice and not first.is_enough:
        return StartCheck(
            "first-below",
            OPEN,
            f"A first unit, with reading, pays {first.hourly:.2f} {currency} an hour, less than"
            f" {promise}.",
            f"{format_amount(first.smallest, currency)} a unit would be enough; where practice"
            " follows, reading is paid by its time.",
            url,
            "Raise pay",
            "Pay less than the minimum for a first unit",
        )
    text = (
        f"Pay: {pay.hourly:.2f} {currency} an hour at the median, {first.hourly:.2f} for a first"
        f" unit; minimum {promise}."
    )
    return StartCheck("pay", DONE, text)


def check_maximum(study: Study) -> Iterator[StartCheck]:
    if not (study.pay_per_unit or study.screen_out_pay):
        return
    ceiling = compute_ceiling(study.options)
    if ceiling is None:
        yield StartCheck(
            "no-maximum",
            OPEN,
            "What you may owe has no upper limit.",
            "Work that is stopped or set aside is paid, and its documents are judged again. Limit"
            " units in all, and those paid for practice alone.",
            reverse("study-edit", args=[study.campaign.slug, study.pk]) + "#id_max_units",
            "Set limits",
            "Start without an upper limit of cost",
        )
    else:
        amount = format_amount(ceiling, study.currency)
        yield StartCheck("maximum", DONE, f"You owe at most {amount}, bonuses and fees aside.")


def check_trial(study: Study) -> StartCheck:
    trials = WorkUnit.objects.filter(plan=study.plan_id, trial=True)
    if trials.filter(state=WorkUnit.State.COMPLETE).exists():
        return StartCheck("trial", DONE, "You have tried a unit.")
    return StartCheck(
        "not-tried",
        OPEN,
        "No whole unit has been tried.",
        "Try one as a worker on the fake provider: it costs nothing and counts for nothing.",
        reverse("study-try", args=[study.campaign.slug, study.pk]),
        "Try study",
        "Start without a trial",
    )
