"""The verdicts of a campaign: one registry for pages, reports, API and command.

An app registers a kind when it is ready. Its figures are a snapshot, since they take too long for
a request; the rule is applied when they are read, so that a changed threshold counts at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Job, User
from campaigns.models.snapshots import name_verdict_snapshot
from campaigns.rules import require_permission
from campaigns.services.events import log_event
from campaigns.services.snapshots import (
    SnapshotKind,
    add_snapshot_kind,
    ensure_snapshot,
    list_snapshot_jobs,
    refresh_snapshot,
)
from common.verdicts import Threshold, Verdict, VerdictRule, VerdictState, set_thresholds

COMPUTED_BEHIND = "This happens in the background; leaving does no harm."
FAILED = "The figures of this verdict could not be computed."


def _no_values(_campaign: Campaign) -> Mapping[str, float]:
    return {}


@dataclass(frozen=True)
class VerdictKind:
    """``load`` gives the figures of a campaign, a frozen dataclass; ``restore`` makes them from
    their JSON. ``identify`` is that of a ``SnapshotKind``. ``page`` is the URL name of the page;
    ``settings`` gives thresholds that the campaign has set elsewhere, by name.
    """

    rule: VerdictRule
    page: str
    identify: Callable[[Campaign], str]
    load: Callable[[Campaign], Any]
    restore: Callable[[Any], Any]
    settings: Callable[[Campaign], Mapping[str, float]] = _no_values

    @property
    def snapshot(self) -> str:
        return name_verdict_snapshot(self.rule.name)


@dataclass(frozen=True)
class CampaignVerdict:
    """``figures`` and ``computed_at`` are None before the first job has ended."""

    kind: VerdictKind
    verdict: Verdict
    figures: Any
    computed_at: datetime | None
    is_current: bool
    job: Job | None


_kinds: dict[str, VerdictKind] = {}


def add_verdict_kind(kind: VerdictKind) -> None:
    _kinds[kind.rule.name] = kind
    add_snapshot_kind(SnapshotKind(kind.snapshot, kind.identify, lambda c: asdict(kind.load(c))))


def list_verdict_kinds() -> list[VerdictKind]:
    """In the order of the apps."""
    return list(_kinds.values())


def get_campaign_verdict(campaign: Campaign, name: str) -> CampaignVerdict:
    """By the latest figures; a job is queued if they are out of date."""
    kind = _kinds[name]
    state = ensure_snapshot(campaign=campaign, name=kind.snapshot)
    if state.data is None:
        verdict = describe_first_job(name, state.job)
        return CampaignVerdict(kind, verdict, None, None, state.is_current, state.job)
    return _apply_rule(
        campaign, kind, state.data, state.computed_at, is_current=state.is_current, job=state.job
    )


def describe_first_job(name: str, job: Job | None) -> Verdict:
    """In place of a verdict, before its first figures are there."""
    if job is not None and job.state == Job.State.FAILED:
        return Verdict(name, VerdictState.UNKNOWN, FAILED, job.error)
    since = f"since {job.created_at:%Y-%m-%d %H:%M} UTC" if job else "by a job"
    sentence = f"The first figures of this verdict are not there yet; being computed {since}."
    return Verdict(name, VerdictState.COMPUTING, sentence, COMPUTED_BEHIND)


def list_stored_verdicts(campaign: Campaign) -> list[CampaignVerdict]:
    """Those whose figures are stored, however old, or being computed for the first time, in the
    order of the apps. Three queries.
    """
    stored = {row.name: row for row in campaign.snapshots.all()}
    own = {t.name: t.value for t in campaign.thresholds.all()}
    under_way = list_snapshot_jobs(campaign)
    verdicts = []
    for kind in list_verdict_kinds():
        if job := under_way.get(kind.snapshot) if kind.snapshot not in stored else None:
            verdict = describe_first_job(kind.rule.name, job)
            verdicts.append(CampaignVerdict(kind, verdict, None, None, is_current=False, job=job))
        if row := stored.get(kind.snapshot):
            figures = kind.restore(row.data)
            verdict = kind.rule.apply(figures, {**kind.settings(campaign), **own})
            verdicts.append(
                CampaignVerdict(kind, verdict, figures, row.computed_at, is_current=False, job=None)
            )
    return verdicts


def compute_campaign_verdict(campaign: Campaign, name: str) -> CampaignVerdict:
    """By figures of now, computed here if they are out of date."""
    kind = _kinds[name]
    snapshot = refresh_snapshot(campaign=campaign, name=kind.snapshot)
    return _apply_rule(campaign, kind, snapshot.data, snapshot.computed_at, is_current=True)


def _apply_rule(
    campaign: Campaign,
    kind: VerdictKind,
    data: Any,
    computed_at: datetime | None,
    *,
    is_current: bool,
    job: Job | None = None,
) -> CampaignVerdict:
    figures = kind.restore(data)
    verdict = kind.rule.apply(figures, list_threshold_values(campaign, kind))
    return CampaignVerdict(kind, verdict, figures, computed_at, is_current, job)


def list_threshold_values(campaign: Campaign, kind: VerdictKind) -> dict[str, float]:
    """The campaign's own thresholds by name."""
    own = {t.name: t.value for t in campaign.thresholds.all()}
    return {**kind.settings(campaign), **own}


def list_campaign_thresholds(campaign: Campaign) -> list[Threshold]:
    """Those of all verdicts, with the values that hold in the campaign."""
    return [
        threshold
        for kind in list_verdict_kinds()
        for threshold in set_thresholds(
            kind.rule.thresholds, list_threshold_values(campaign, kind)
        ).values()
    ]


def change_threshold(*, actor: User, campaign: Campaign, name: str, value: float | None) -> None:
    """Set a threshold of the campaign; None: back to the default."""
    require_permission(actor, "campaigns.manage", campaign)
    defaults = {t.name: t for kind in list_verdict_kinds() for t in kind.rule.thresholds}
    if name not in defaults:
        raise ActionRefused("unknown-threshold", f"Unknown threshold: {name}.")
    if value is not None and not 0 <= value <= defaults[name].most:
        raise ActionRefused(
            "bad-threshold",
            f"{name} must be a number from 0 to {defaults[name].most:g}, not {value:g}.",
        )
    with transaction.atomic():
        before = {t.name: t.value for t in campaign.thresholds.all()}.get(name)
        if value is None or value == defaults[name].value:
            campaign.thresholds.filter(name=name).delete()
            value = None
        else:
            campaign.thresholds.update_or_create(name=name, defaults={"value": value})
        if before != value:
            log_event(
                campaign=campaign,
                actor=actor,
                code="threshold.changed",
                subject=name,
                before=before,
                now=value,
            )
