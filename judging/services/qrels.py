"""Qrels versions: one grade per pair, built from the log under a policy; verification."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial

from django.db.models import Max
from django.utils import timezone

from campaigns import store
from campaigns.confirmation import Confirmation, Decision
from campaigns.errors import ActionRefused, format_utc
from campaigns.models import Campaign, User
from campaigns.queries.lists import list_judging_grades
from campaigns.rules import require_access, require_permission
from campaigns.services import events
from campaigns.services.decisions import check_decision
from judging.models import AutomaticAssessor, Judgment, Qrels
from judging.queries.aggregation import count_gold_answers
from judging.queries.confirmations import describe_qrels_freezing
from judging.queries.judgments import load_pair_ballots
from judging.services.judgment_log import lock_judging, run_with_retries
from judging.services.manifests import (
    build_manifest,
    is_same_aggregation,
    read_gold_counts,
    read_scale,
)
from poolbench.files.faults import format_count
from poolbench.judging.aggregation.base import GoldCounts, MissingGoldError
from poolbench.judging.pair_ballots import BallotsOutcome, PairBallots, decide_ballots
from poolbench.judging.policies import (
    PairBallot,
    PolicyOutcome,
    QrelsPolicy,
    Row,
    UnknownPolicyError,
    decide_pairs,
    get_policy,
)
from poolbench.runs.qrels import qrels_from_rows, write_qrels

Pair = tuple[str, str]
MAX_LISTED = 25


@dataclass(frozen=True)
class QrelsDraft:
    """The grades of a qrels version before it is frozen; undecided ``conflicts`` prevent it.

    ``decided`` is pair by pair, or for a rule for all pairs together all at once. ``gold`` has the
    answers of each worker by which the policy weighs them, if it does.
    """

    policy: QrelsPolicy
    decided: BallotsOutcome | PolicyOutcome
    table: PairBallots
    gold: GoldCounts

    @cached_property
    def outcome(self) -> PolicyOutcome:
        decided = self.decided
        if isinstance(decided, PolicyOutcome):
            return decided
        return PolicyOutcome(decided.rows, decided.undecided, decided.ties)

    @property
    def rows(self) -> list[Row]:
        return self.decided.rows

    @cached_property
    def ballots(self) -> list[PairBallot]:
        return self.table.list_ballots()

    @property
    def conflicts(self) -> tuple[Pair, ...]:
        return tuple(self.decided.undecided)

    @property
    def decided_by_tie_rule(self) -> int | None:
        """The pairs whose grade is that of the policy's tie rule; None if it has none."""
        return self.decided.ties

    @cached_property
    def grades(self) -> dict[int, int]:
        """The number of pairs by grade, ascending."""
        if isinstance(self.decided, BallotsOutcome):
            return self.decided.grade_counts
        return dict(sorted(Counter(grade for _, _, grade in self.rows).items()))

    @property
    def pairs(self) -> int:
        """The number of pairs with a grade."""
        return sum(self.grades.values())

    @property
    def judged(self) -> int:
        """The number of pairs with a judgment of their own."""
        return len(self.table.omit_propagated())

    @cached_property
    def propagated(self) -> int:
        """The pairs that have the grade of a document with the same text."""
        rows = zip(self.table.kinds, self.table.counts, strict=True)
        return sum(count for ballot, count in rows if self.policy.uses_propagation(ballot))

    @property
    def extras(self) -> int:
        return self.table.extras

    @cached_property
    def disagreeing(self) -> list[Pair]:
        """The pairs whose assessors gave different grades, under any policy."""
        return [ballot.pair for ballot in self.table.disagreeing]

    def count_differing(self, other: "QrelsDraft") -> int:
        """The pairs with another grade in ``other``, of the same ballots, or in only one."""
        ours, theirs = self.decided, other.decided
        if isinstance(ours, BallotsOutcome) and isinstance(theirs, BallotsOutcome):
            return ours.count_differing(theirs)
        return len({row[:2] for row in set(self.rows).symmetric_difference(other.rows)})

    def text(self) -> bytes:
        return write_qrels(qrels_from_rows(self.rows))


def preview_policies(
    *, actor: User, campaign: Campaign, policies: Sequence[str], as_of: datetime | None = None
) -> list[QrelsDraft]:
    """The qrels under each of ``policies``; the log is read once."""
    require_access(actor, "campaigns.manage", campaign)
    return build_policy_drafts(campaign, policies, as_of)


def build_policy_drafts(
    campaign: Campaign, policies: Sequence[str], as_of: datetime | None = None
) -> list[QrelsDraft]:
    """The same, without a check of permissions."""
    ballots = ballots_for_policy(campaign, as_of, None, list_withheld_topics(campaign))
    resolved = [resolve_policy(campaign, name) for name in policies]
    gold = count_gold_answers(campaign, as_of) if any(p.needs_gold for p in resolved) else {}
    scale = list_judging_grades(campaign)
    return [draft_from_ballots(policy, ballots, gold, scale) for policy in resolved]


def freeze_qrels(
    *,
    actor: User,
    campaign: Campaign,
    policy: str,
    note: str = "",
    as_of: datetime | None = None,
    decision: Decision | None = None,
) -> Qrels:
    """Freeze the grades of all judged pairs as of ``as_of`` (default: now).

    Unjudged pairs of the pool are left out (and counted in the manifest), and so are withheld
    topics. Raises ``ActionRefused`` with the pairs that are undecided under the policy.
    """
    require_permission(actor, "campaigns.manage", campaign)
    resolved = resolve_policy(campaign, policy)
    check_moment(as_of)
    arguments = (actor, campaign, resolved, note, as_of, decision)
    return run_with_retries(partial(save_qrels_version, *arguments))


def describe_qrels(
    *, actor: User, campaign: Campaign, policy: str, as_of: datetime
) -> Confirmation:
    """The confirmation before ``freeze_qrels`` with these arguments, which has the same checks."""
    require_permission(actor, "campaigns.manage", campaign)
    check_moment(as_of)
    return describe_draft(campaign, build_policy_drafts(campaign, [policy], as_of)[0], as_of)


def check_moment(moment: datetime | None) -> None:
    if moment is not None and moment > timezone.now():
        raise ActionRefused("in-the-future", "The cut-off time must not be in the future.")


def describe_draft(campaign: Campaign, draft: QrelsDraft, moment: datetime) -> Confirmation:
    check_draft(draft)
    return describe_qrels_freezing(
        campaign,
        version=next_version(campaign),
        policy=", ".join(filter(None, (draft.policy.name, draft.policy.label))),
        pairs=draft.pairs,
        disagreeing=len(draft.disagreeing),
        moment=format_utc(moment),
    )


def next_version(campaign: Campaign) -> int:
    return int(campaign.qrels.aggregate(last=Max("version"))["last"] or 0) + 1


def verify_qrels(qrels: Qrels) -> bool:
    """Whether rebuilding the version from the log gives the same SHA-256."""
    manifest = qrels.manifest
    hidden = manifest["withheld_topics"]
    ballots = ballots_for_policy(qrels.campaign, qrels.as_of, manifest["last_judgment"], hidden)
    gold, scale = read_gold_counts(manifest), read_scale(manifest)
    again = draft_from_ballots(get_policy(qrels.policy), ballots, gold, scale)
    if again.conflicts or not is_same_aggregation(manifest, again):
        return False
    return store.sha256(again.text()) == qrels.sha256 == store.sha256(store.get_blob(qrels.path))


def resolve_policy(campaign: Campaign, name: str) -> QrelsPolicy:
    """The policy. Raises ``ActionRefused`` if it, or an assessor that it names, is unknown."""
    try:
        policy = get_policy(name)
    except UnknownPolicyError as error:
        raise ActionRefused("no-policy", f"Unknown policy: {name}.", error.fix) from error
    judgments = Judgment.objects.filter(campaign=campaign)
    if policy.own and not judgments.filter(assessor__username=policy.own, purpose="judge").exists():
        people = judgments.filter(purpose="judge").order_by("assessor__username")
        names = list(people.values_list("assessor__username", flat=True).distinct()[:MAX_LISTED])
        raise unknown_assessor("an assessor who has judged", policy.own, names)
    automatic = AutomaticAssessor.objects.filter(campaign=campaign)
    if policy.automatic and not automatic.filter(name=policy.automatic).exists():
        names = list(automatic.values_list("name", flat=True)[:MAX_LISTED])
        raise unknown_assessor("an automatic assessor", policy.automatic, names)
    return policy


def unknown_assessor(kind: str, name: str, names: Sequence[str]) -> ActionRefused:
    fix = (
        f"Choose one of: {', '.join(names)}."
        if names
        else "Use another policy; no assessor fits this one."
    )
    return ActionRefused("no-policy", f"{name} is not {kind} in this campaign.", fix)


def save_qrels_version(
    actor: User,
    campaign: Campaign,
    policy: QrelsPolicy,
    note: str,
    as_of: datetime | None,
    decision: Decision | None,
) -> Qrels:
    # Alone, so that every judgment up to the last row number is visible.
    lock_judging(campaign, exclusive=True)
    moment = as_of or timezone.now()
    last = Judgment.objects.filter(campaign=campaign).aggregate(last=Max("pk"))["last"] or 0
    withheld = list_withheld_topics(campaign)
    ballots = ballots_for_policy(campaign, moment, last, withheld)
    gold = count_gold_answers(campaign, moment, last) if policy.needs_gold else {}
    draft = draft_from_ballots(policy, ballots, gold, list_judging_grades(campaign))
    check_draft(draft)
    confirmed = check_decision(partial(describe_draft, campaign, draft, moment), decision)
    text = draft.text()
    qrels = Qrels.objects.create(
        campaign=campaign,
        version=next_version(campaign),
        policy=policy.name,
        as_of=moment,
        path=store.put_blob(text, ".qrels"),
        sha256=store.sha256(text),
        pairs=draft.pairs,
        manifest=build_manifest(campaign, draft, moment, last, withheld),
        note=note,
        frozen_by=actor,
    )
    events.log_event(
        campaign=campaign,
        actor=actor,
        code="qrels.frozen",
        subject=f"{qrels}, policy {policy.name}",
        version=qrels.version,
        sha256=qrels.sha256,
        pairs=qrels.pairs,
        **confirmed,
    )
    return qrels


def draft_from_ballots(
    policy: QrelsPolicy, ballots: PairBallots, gold: GoldCounts, scale: Sequence[int]
) -> QrelsDraft:
    """The grades by ``policy``; the same log and ``scale`` give the same rows.

    Raises ``ActionRefused`` if the policy needs gold and no worker has answered any.
    """
    if policy.crowd is None:
        return QrelsDraft(policy, decide_ballots(policy, ballots), ballots, gold)
    try:
        outcome = decide_pairs(policy, ballots.list_ballots(), gold, scale)
    except MissingGoldError as error:
        fix = "Choose another policy, or add gold pairs to a crowd study."
        message = f"{policy.name} needs gold, and no worker has answered any."
        raise ActionRefused("no-gold", message, fix) from error
    return QrelsDraft(policy, outcome, ballots, gold)


def ballots_for_policy(
    campaign: Campaign, as_of: datetime | None, last: int | None, withheld: Sequence[str]
) -> PairBallots:
    return load_pair_ballots(campaign, as_of, last).omit_topics(withheld)


def list_withheld_topics(campaign: Campaign) -> list[str]:
    return list(campaign.topics.filter(withheld=True).values_list("number", flat=True))


def check_draft(draft: QrelsDraft) -> None:
    """Refuse undecided pairs, and qrels without any."""
    if draft.conflicts:
        pairs = "; ".join(f"topic {topic} {docno}" for topic, docno in draft.conflicts[:MAX_LISTED])
        more = len(draft.conflicts) - MAX_LISTED
        raise ActionRefused(
            "conflict",
            f"The policy {draft.policy.name} leaves {format_count(len(draft.conflicts), 'pair')} "
            f"undecided: {pairs}{f'; and {more:,} more' if more > 0 else ''}.",
            "Choose another policy, or adjudicate these pairs.",
        )
    if not draft.pairs:
        fix = "Freeze qrels once judging has started."
        raise ActionRefused("no-judgments", "No judgments yet.", fix)
