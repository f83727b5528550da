"""The status of a campaign for one user, counted in a fixed number of queries."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, F, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from campaigns.models import Campaign, Document, Grade, Member, Role, Run, Topic, User
from campaigns.queries.lists import list_open_rejections
from evaluation.models import ScoreSet
from judging.models import Purpose, Qrels, Slot
from judging.queries.adjudication import own_adjudication_progress
from judging.queries.judgments import ON_SCREEN
from judging.queries.remaining import add_remaining, remaining_by_topic
from judging.queries.slots import waiting_slots
from judging.queries.tallies import SlotTally, judging_progress
from pooling.models import Pool

ADDED = Count("events", filter=Q(events__relevant=None))
"""Documents added to an adaptive pool since it was frozen."""


@dataclass(frozen=True)
class CampaignStatus:
    """What the campaign head shows; the head decides which role sees what.

    ``pool`` and ``qrels`` are the latest versions; ``scored_qrels`` and ``scored_released``
    belong to the latest score set, ``released_at`` to the latest released one. ``judging`` is
    the tally that the judging page shows as well.
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
    judging: SlotTally
    qrels: int | None
    scored_qrels: int | None
    scored_released: datetime | None
    released_at: datetime | None
    team_runs: int
    team_rejected: int
    my_judged: int
    my_open: int
    to_adjudicate: int
    my_disagreements: int

    @property
    def is_organizer(self) -> bool:
        return Role.ORGANIZER in self.roles

    @property
    def is_participant(self) -> bool:
        return Role.PARTICIPANT in self.roles

    @property
    def is_assessor(self) -> bool:
        return Role.ASSESSOR in self.roles

    @property
    def is_adjudicator(self) -> bool:
        return Role.ADJUDICATOR in self.roles

    @property
    def planned(self) -> bool:
        """Whether judgments were, are or may be requested."""
        return self.judging.total > 0 or self.judging.coming > 0

    @property
    def unfinished(self) -> bool:
        return self.judging.left > 0 or self.judging.unresolved > 0

    @property
    def all_judged(self) -> bool:
        return self.judging.is_complete


def get_campaign_status(campaign: Campaign, user: User) -> CampaignStatus:
    rows = list(campaign.members.filter(user_id=user.pk).values_list("role", "team"))
    roles = {role for role, _ in rows} | ({Role.ORGANIZER.value} if user.is_superuser else set())
    team = next((team for _, team in rows if team is not None), None)
    # An annotation must not have the name of a field of the model.
    columns = {
        f"its_{name}": column
        for name, column in (campaign_counts(campaign, team) | latest_versions(campaign)).items()
    }
    row = Campaign.objects.filter(pk=campaign.pk).values(**columns).get()
    counts: dict[str, Any] = {name.removeprefix("its_"): value for name, value in row.items()}
    own: dict[str, Any] = (
        own_judging_counts(campaign, user)
        if Role.ASSESSOR in roles
        else {"my_judged": 0, "my_open": 0}
    )
    own["my_disagreements"] = (
        own_adjudication_progress(campaign, user).left if Role.ADJUDICATOR in roles else 0
    )
    own["team_rejected"] = len(list_open_rejections(campaign, [team])) if team else 0
    return CampaignStatus(
        roles=frozenset(roles), judging=judging_progress(campaign), **counts, **own
    )


def count_rows_subquery(rows: QuerySet[Any], by: str = "campaign", distinct: str = "") -> Coalesce:
    """A column: the number of ``rows`` of one campaign, or of the values of ``distinct``."""
    groups = rows.order_by().values(by).annotate(n=Count(distinct or "pk", distinct=bool(distinct)))
    return Coalesce(Subquery(groups.values("n")), 0)


def campaign_counts(campaign: Campaign, team: int | None) -> dict[str, Any]:
    runs = Run.objects.filter(campaign=campaign)
    to_adjudicate = Slot.objects.filter(plan__campaign=campaign, purpose=Purpose.ADJUDICATE)
    return {
        "topics": count_rows_subquery(Topic.objects.filter(campaign=campaign)),
        "grades": count_rows_subquery(Grade.objects.filter(campaign=campaign)),
        "documents": Exists(Document.objects.filter(campaign=campaign)),
        "runs": count_rows_subquery(runs.accepted()),
        "teams": count_rows_subquery(runs.accepted(), distinct="team"),
        "participants": count_rows_subquery(
            Member.objects.filter(campaign=campaign, role=Role.PARTICIPANT)
        ),
        "checking": count_rows_subquery(runs.filter(state=Run.State.RECEIVED)),
        "to_adjudicate": count_rows_subquery(
            to_adjudicate.filter(waiting_slots()), by="plan__campaign"
        ),
        "team_runs": count_rows_subquery(runs.accepted().filter(team=team)),
    }


def latest_versions(campaign: Campaign) -> dict[str, Any]:
    """The latest pool, qrels and score set, and when scores were last released."""
    pools = Pool.objects.filter(campaign=campaign)
    sets = ScoreSet.objects.filter(campaign=campaign)
    released = sets.filter(released_at__isnull=False).order_by("-released_at")
    return {
        "pool": Subquery(pools.values("version")[:1]),
        "pool_size": Subquery(
            pools.annotate(n=F("size") + ADDED).order_by("-version").values("n")[:1]
        ),
        "qrels": Subquery(Qrels.objects.filter(campaign=campaign).values("version")[:1]),
        "scored_qrels": Subquery(sets.values("qrels__version")[:1]),
        "scored_released": Subquery(sets.values("released_at")[:1]),
        "released_at": Subquery(released.values("released_at")[:1]),
    }


def own_judging_counts(campaign: Campaign, user: User) -> dict[str, Any]:
    """How many documents ``user`` has judged, and how many remain for them."""
    own = Slot.objects.filter(
        plan__campaign=campaign, assessor=user, purpose__in=ON_SCREEN
    ).aggregate(
        judged=Count("pk", filter=Q(state=Slot.State.JUDGED)),
        leased=Count("pk", filter=Q(state=Slot.State.LEASED)),
    )
    remaining = add_remaining(remaining_by_topic(user, campaign).values())
    return {"my_judged": own["judged"], "my_open": own["leased"] + remaining.count}
