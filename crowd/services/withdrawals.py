"""Workers who withdraw their consent, and erasing what leads to them."""

import secrets
from functools import partial

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.rules import require_permission
from campaigns.services.decisions import check_decision
from campaigns.services.events import log_event
from crowd.models import CrowdWorker, Payment, ProviderEvent, WorkUnit
from crowd.queries.confirmations import describe_consent_withdrawal
from crowd.queries.keys import unseal_external
from crowd.queries.payment_sheet import compute_unpaid_amount
from crowd.services.exclusions import write_exclusion
from crowd.services.unit_ends import end_unit
from crowd.services.unit_work import lock_unit
from judging.models import Judgment
from judging.queries.exclusions import list_active_exclusions
from judging.services.judgment_log import lock_judging, run_with_retries

WITHDRAWN = "consent withdrawn"
"""Why a unit ended, and why judgments count no more."""


def withdraw_consent(
    *, actor: User, worker: CrowdWorker, decision: Decision | None = None
) -> CrowdWorker:
    """Record that ``worker`` withdrew their consent, for all studies of the campaign and for good.

    Their judgments count no more, units in progress end and are paid for their part, comments are
    erased; what was earned stays owed. Refused the second time ("consent-withdrawn").
    """
    require_permission(actor, "campaigns.manage", worker.campaign)
    run_with_retries(partial(write_consent_withdrawal, actor, worker, decision))
    worker.refresh_from_db()
    return worker


def write_consent_withdrawal(actor: User, worker: CrowdWorker, decision: Decision | None) -> None:
    campaign, states = worker.campaign, CrowdWorker.State
    lock_judging(campaign)
    if CrowdWorker.objects.filter(pk=worker.pk, state=states.WITHDRAWN).exists():
        raise ActionRefused("consent-withdrawn", "This worker has withdrawn their consent before.")
    confirmed = check_decision(partial(describe_consent_withdrawal, worker), decision)
    for each in WorkUnit.objects.filter(worker=worker, ended_at=None).order_by("pk"):
        unit = lock_unit(each)
        if not unit.is_over:
            end_unit(unit, WorkUnit.State.ABANDONED, WITHDRAWN)
    if not list_active_exclusions().filter(worker=worker, unit=None).exists():
        write_exclusion(actor, worker, None, WITHDRAWN, code="")
    CrowdWorker.objects.filter(pk=worker.pk).update(state=states.WITHDRAWN)
    Judgment.objects.filter(assessor=worker.user_id).exclude(comment="").update(comment="")
    log_event(
        campaign=campaign, actor=actor, code="worker.withdrawn", subject=worker.pseudonym,
        **confirmed,
    )  # fmt: skip
    erase_withdrawn_ids(campaign)


def erase_withdrawn_ids(campaign: Campaign) -> None:
    """Erase the provider's IDs of workers who withdrew and are owed nothing more."""
    withdrawn = CrowdWorker.objects.filter(campaign=campaign, state=CrowdWorker.State.WITHDRAWN)
    for worker in withdrawn.exclude(external_id=""):
        if compute_unpaid_amount(Payment.objects.filter(unit__worker=worker)):
            continue
        units = list(WorkUnit.objects.filter(worker=worker))
        for unit in units:  # of the fake provider, whose events name units
            if name := unseal_external(campaign, unit.external_id):
                events = ProviderEvent.objects.filter(study__plan=unit.plan_id)
                events.filter(event_id__endswith=f" {name}").delete()
        rows: list[CrowdWorker | WorkUnit] = [worker, *units]
        for row in rows:
            row.external_id, row.external_hash = "", secrets.token_hex(32)
            row.save(update_fields=["external_id", "external_hash"])
