"""A crowd study with one worker, whose unit is paid and set aside, for sweeps over all pages."""

from __future__ import annotations

from decimal import Decimal

from django.utils import timezone

from campaigns.models import Campaign, User
from crowd.models import BatchItem, CrowdWorker, Payment, PaymentBatch, Study, WorkUnit
from crowd.services.keys import hash_external, seal_external
from judging.models import Audience, Exclusion, Plan
from pooling.models import Pool


def build_crowd_study(campaign: Campaign, pool: Pool) -> Study:
    """No document of ``pool`` is left for it, so no page of assessors changes."""
    plan = Plan.objects.create(
        campaign=campaign, pool=pool, audience=Audience.CROWD, overlap=2,
        created_by=campaign.created_by,
    )  # fmt: skip
    study = Study.objects.create(
        plan=plan, campaign=campaign, title="Study", provider="fake", created_by=plan.created_by,
        pay_per_unit=Decimal("1.50"),
    )  # fmt: skip
    user = User(username=f"worker-{campaign.slug}", is_active=False)
    user.set_unusable_password()
    user.save()
    worker = CrowdWorker.objects.create(
        campaign=campaign, provider="fake", user=user,
        external_hash=hash_external(campaign, "w1"), external_id=seal_external(campaign, "w1"),
    )  # fmt: skip
    now = timezone.now()
    unit = WorkUnit.objects.create(
        plan=plan, worker=worker, state="complete", started_at=now, ended_at=now, size=2,
        external_hash=hash_external(campaign, "u1"), external_id=seal_external(campaign, "u1"),
    )  # fmt: skip
    payment = Payment.objects.create(
        study=study, unit=unit, judged=2, amount=Decimal("1.50"), currency="EUR", reason="complete"
    )
    batch = PaymentBatch.objects.create(
        study=study, number=1, reward=Decimal("1.50"), created_by=plan.created_by
    )
    BatchItem.objects.create(batch=batch, payment=payment)
    Exclusion.objects.create(campaign=campaign, worker=worker, unit=unit, reason="tried")
    return study
