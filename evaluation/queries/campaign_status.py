"""Where a campaign stands, counted for one person in a fixed number of queries."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, F, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from campaigns.models import Campaign, Document, Grade, Member, Role, Run, Topic, User
from evaluation.models import ScoreSet
from judging.models import Assignment, Purpose, Qrels, Slot
from judging.queries.adjudication import own_adjudication_progress
from judging.queries.judgments import ON_SCREEN
from judging.queries.slots import remaining_by_topic
from pooling.models import Pool

CAME = Count("events", filter=Q(events__relevant=None))
"""What a pool that grows was given since it was frozen."""


@dataclass(frozen=True)
class CampaignStatus:
    """What the head of a campaign's pages is made of; who may see what is decided there.

    ``pool`` and ``qrels`` are the newest versions; ``scored_qrels`` and ``scored_released``
    belong to the newest score set, ``released_at`` to the newest released one. ``growing``: a pool
    may still bring documents to somebody.
    """

    roles: frozenset[str]
    topics: int
    grades: int
    documents: bool
    runs: int
    teams: int
    participants: int
    checking: int
    pool: int | None
    pool_size: int | None
    slots: int
    open_slots: int
    growing: bool
    judged: int
    qrels: int | None
    scored_qrels: int | None
    scored_released: datetime | None
    released_at: datetime | None
    team_runs: int
    team_refused: int
    my_judged: int
    my_open: int
    to_adjudicate: int
    my_disputes: int

    @property
    def organizes(self) -> bool:
        return Role.ORGANIZER in self.roles

    @property
    def participates(self) -> bool:
        return Role.PARTICIPANT in self.roles

    @property
    def assesses(self) -> bool:
        return Role.ASSESSOR in self.roles

    @property
    def adjudicates(self) -> bool:
        return Role.ADJUDICATOR in self.roles

    @property
    def all_judged(self) -> bool:
        return self.slots > 0 and self.open_slots == 0 and not self.growing


def get_campaign_status(campaign: Campaign, user: User) -> CampaignStatus:
    rows = list(campaign.members.filter(user_id=user.pk).values_list("role", "team"))
    roles = {role for role, _ in rows} | ({Role.ORGANIZER.value} if user.is_superuser else set())
    team = next((team for _, team in rows if team is not None), None)
    # A column of a query may not be called as the model's own fields are.
    columns = {
        f"its_{name}": it
        for name, it in (campaign_counts(campaign, team) | latest_versions(campaign)).items()
    }
    row = Campaign.objects.filter(pk=campaign.pk).values(**columns).get()
    facts: dict[str, Any] = {name.removeprefix("its_"): value for name, value in row.items()}
    mine: dict[str, Any] = (
        own_judging_counts(campaign, user)
        if Role.ASSESSOR in roles
        else {"my_judged": 0, "my_open": 0}
    )
    mine["my_disputes"] = (
        own_adjudication_progress(campaign, user).left if Role.ADJUDICATOR in roles else 0
    )
    return CampaignStatus(roles=frozenset(roles), **facts, **mine)


def count_rows_subquery(rows: QuerySet[Any], by: str = "campaign", of: str = "") -> Coalesce:
    """The number of ``rows`` of one campaign (or of their distinct ``of``) as a column."""
    groups = rows.order_by().values(by).annotate(n=Count(of or "pk", distinct=bool(of)))
    return Coalesce(Subquery(groups.values("n")), 0)


def campaign_counts(campaign: Campaign, team: int | None) -> dict[str, Any]:
    runs = Run.objects.filter(campaign=campaign)
    slots = Slot.objects.filter(plan__campaign=campaign, purpose=Purpose.JUDGE)
    disputed = Slot.objects.filter(plan__campaign=campaign, purpose=Purpose.ADJUDICATE)
    waiting = Q(state=Slot.State.OPEN) | Q(state=Slot.State.LEASED)
    return {
        "topics": count_rows_subquery(Topic.objects.filter(campaign=campaign)),
        "grades": count_rows_subquery(Grade.objects.filter(campaign=campaign)),
        "documents": Exists(Document.objects.filter(campaign=campaign)),
        "runs": count_rows_subquery(runs.accepted()),
        "teams": count_rows_subquery(runs.accepted(), of="team"),
        "participants": count_rows_subquery(
            Member.objects.filter(campaign=campaign, role=Role.PARTICIPANT)
        ),
        "checking": count_rows_subquery(runs.filter(state=Run.State.RECEIVED)),
        "slots": count_rows_subquery(slots, by="plan__campaign"),
        "open_slots": count_rows_subquery(slots.filter(waiting), by="plan__campaign"),
        "to_adjudicate": count_rows_subquery(disputed.filter(waiting), by="plan__campaign"),
        "growing": Exists(adaptive_assignments(campaign)),
        "judged": count_rows_subquery(slots.filter(state=Slot.State.JUDGED), by="plan__campaign"),
        "team_runs": count_rows_subquery(runs.accepted().filter(team=team)),
        "team_refused": count_rows_subquery(runs.filter(team=team, state=Run.State.REJECTED)),
    }


def adaptive_assignments(campaign: Campaign) -> QuerySet[Assignment]:
    """Who is assigned to topics of pools that want more."""
    wanted = {"plan__pool__growing__topic": F("topic"), "plan__pool__growing__ended": False}
    return Assignment.objects.filter(plan__campaign=campaign, plan__paused=False, **wanted)


def latest_versions(campaign: Campaign) -> dict[str, Any]:
    """The newest pool, qrels and score set, and when scores were last released."""
    pools = Pool.objects.filter(campaign=campaign)
    sets = ScoreSet.objects.filter(campaign=campaign)
    released = sets.filter(released_at__isnull=False).order_by("-released_at")
    return {
        "pool": Subquery(pools.values("version")[:1]),
        "pool_size": Subquery(
            pools.annotate(n=F("size") + CAME).order_by("-version").values("n")[:1]
        ),
        "qrels": Subquery(Qrels.objects.filter(campaign=campaign).values("version")[:1]),
        "scored_qrels": Subquery(sets.values("qrels__version")[:1]),
        "scored_released": Subquery(sets.values("released_at")[:1]),
        "released_at": Subquery(released.values("released_at")[:1]),
    }


def own_judging_counts(campaign: Campaign, user: User) -> dict[str, Any]:
    """How much ``user`` has judged, and how many documents could still be theirs."""
    own = Slot.objects.filter(
        plan__campaign=campaign, assessor=user, purpose__in=ON_SCREEN
    ).aggregate(
        judged=Count("pk", filter=Q(state=Slot.State.JUDGED)),
        held=Count("pk", filter=Q(state=Slot.State.LEASED)),
    )
    free = remaining_by_topic(user, campaign).total()
    return {"my_judged": own["judged"], "my_open": own["held"] + free}
