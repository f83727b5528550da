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
from judging.queries.adjudication import my_round
from judging.queries.judgments import ON_SCREEN
from judging.queries.slots import left_by_topic
from pooling.models import Pool

CAME = Count("events", filter=Q(events__relevant=None))
"""What a pool that grows was given since it was frozen."""


@dataclass(frozen=True)
class Standing:
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


def standing_of(campaign: Campaign, user: User) -> Standing:
    rows = list(campaign.members.filter(user_id=user.pk).values_list("role", "team"))
    roles = {role for role, _ in rows} | ({Role.ORGANIZER.value} if user.is_superuser else set())
    team = next((team for _, team in rows if team is not None), None)
    # A column of a query may not be called as the model's own fields are.
    columns = {
        f"its_{name}": it for name, it in (counts(campaign, team) | newest(campaign)).items()
    }
    row = Campaign.objects.filter(pk=campaign.pk).values(**columns).get()
    facts: dict[str, Any] = {name.removeprefix("its_"): value for name, value in row.items()}
    mine: dict[str, Any] = (
        judging_of(campaign, user) if Role.ASSESSOR in roles else {"my_judged": 0, "my_open": 0}
    )
    mine["my_disputes"] = my_round(campaign, user).left if Role.ADJUDICATOR in roles else 0
    return Standing(roles=frozenset(roles), **facts, **mine)


def counted(rows: QuerySet[Any], by: str = "campaign", of: str = "") -> Coalesce:
    """The number of ``rows`` of one campaign (or of their distinct ``of``) as a column."""
    groups = rows.order_by().values(by).annotate(n=Count(of or "pk", distinct=bool(of)))
    return Coalesce(Subquery(groups.values("n")), 0)


def counts(campaign: Campaign, team: int | None) -> dict[str, Any]:
    runs = Run.objects.filter(campaign=campaign)
    slots = Slot.objects.filter(plan__campaign=campaign, purpose=Purpose.JUDGE)
    disputed = Slot.objects.filter(plan__campaign=campaign, purpose=Purpose.ADJUDICATE)
    waiting = Q(state=Slot.State.OPEN) | Q(state=Slot.State.LEASED)
    return {
        "topics": counted(Topic.objects.filter(campaign=campaign)),
        "grades": counted(Grade.objects.filter(campaign=campaign)),
        "documents": Exists(Document.objects.filter(campaign=campaign)),
        "runs": counted(runs.accepted()),
        "teams": counted(runs.accepted(), of="team"),
        "participants": counted(Member.objects.filter(campaign=campaign, role=Role.PARTICIPANT)),
        "checking": counted(runs.filter(state=Run.State.RECEIVED)),
        "slots": counted(slots, by="plan__campaign"),
        "open_slots": counted(slots.filter(waiting), by="plan__campaign"),
        "to_adjudicate": counted(disputed.filter(waiting), by="plan__campaign"),
        "growing": Exists(growing_seats(campaign)),
        "judged": counted(slots.filter(state=Slot.State.JUDGED), by="plan__campaign"),
        "team_runs": counted(runs.accepted().filter(team=team)),
        "team_refused": counted(runs.filter(team=team, state=Run.State.REFUSED)),
    }


def growing_seats(campaign: Campaign) -> QuerySet[Assignment]:
    """Who is assigned to topics of pools that want more."""
    wanted = {"plan__pool__growing__topic": F("topic"), "plan__pool__growing__ended": False}
    return Assignment.objects.filter(plan__campaign=campaign, plan__paused=False, **wanted)


def newest(campaign: Campaign) -> dict[str, Any]:
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


def judging_of(campaign: Campaign, user: User) -> dict[str, Any]:
    """How much ``user`` has judged, and how many documents could still be theirs."""
    own = Slot.objects.filter(
        plan__campaign=campaign, assessor=user, purpose__in=ON_SCREEN
    ).aggregate(
        judged=Count("pk", filter=Q(state=Slot.State.JUDGED)),
        held=Count("pk", filter=Q(state=Slot.State.LEASED)),
    )
    free = left_by_topic(user, campaign).total()
    return {"my_judged": own["judged"], "my_open": own["held"] + free}
