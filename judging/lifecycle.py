"""Judging and qrels in the life cycle of a campaign."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Subquery
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from campaigns.lifecycle.registry import (
    OUTER,
    AppFacts,
    AudienceLine,
    HomeAlarm,
    HomeTask,
    LifeCycle,
    Phase,
    Status,
    Tab,
    Task,
    Viewer,
)
from campaigns.lifecycle.texts import format_due, format_number, format_until, ngettext
from campaigns.models import Campaign, DataFile, Role, User
from campaigns.models.data_files import QRELS
from judging.models import Plan, Purpose, Qrels, Slot
from judging.queries.adjudication import own_adjudication_progress
from judging.queries.home import list_today_states, list_waiting_documents
from judging.queries.remaining import add_remaining, remaining_by_topic
from judging.queries.screen import list_own_counts
from judging.queries.slots import waiting_slots
from judging.queries.tallies import SlotTally, judging_progress, judging_progress_by_campaign
from poolbench.judging.today.alarm import Alarm
from poolbench.verdicts import VerdictState


@dataclass(frozen=True)
class JudgingFacts(AppFacts):
    """``judging`` is the tally that the judging page shows; ``qrels`` the latest version;
    ``qrels_readers``: the widest audience of any version, None for organizers.
    """

    judging: SlotTally
    qrels: int | None
    qrels_readers: str | None
    to_adjudicate: int
    my_judged: int
    my_open: int
    my_disagreements: int

    @classmethod
    def columns(cls) -> dict[str, Any]:
        # By the alphabet everybody comes before teams.
        files = DataFile.objects.filter(campaign=OUTER, source=QRELS).order_by("audience")
        return {
            "qrels": Subquery(Qrels.objects.filter(campaign=OUTER).values("version")[:1]),
            "qrels_readers": Subquery(files.values("audience")[:1]),
        }

    @classmethod
    def counts(cls, viewer: Viewer) -> dict[str, Any]:
        campaign, user = viewer.campaign, viewer.user
        judged, remaining = own_judging_counts(campaign, user) if viewer.is_assessor else (0, 0)
        return {
            "judging": judging_progress(campaign),
            "to_adjudicate": count_adjudications([viewer])[campaign.pk],
            "my_judged": judged,
            "my_open": remaining,
            "my_disagreements": (
                own_adjudication_progress(campaign, user).left if viewer.is_adjudicator else 0
            ),
        }

    @classmethod
    def counts_by_campaign(cls, viewers: Sequence[Viewer]) -> dict[int, dict[str, Any]]:
        """Without what waits for the user, which ``judging.queries.home`` counts for all."""
        pks = [viewer.campaign.pk for viewer in viewers]
        tallies, rounds = judging_progress_by_campaign(pks), count_adjudications(viewers)
        mine = {"my_judged": 0, "my_open": 0, "my_disagreements": 0}
        return {
            pk: {"judging": tally, "to_adjudicate": rounds[pk], **mine}
            for pk, tally in tallies.items()
        }

    @property
    def planned(self) -> bool:
        """Whether judgments were, are or may be requested."""
        return self.judging.total > 0 or self.judging.coming > 0

    @property
    def unfinished(self) -> bool:
        return self.judging.left > 0 or self.judging.unresolved > 0


def count_adjudications(viewers: Sequence[Viewer]) -> Counter[int]:
    """The slots that wait for an adjudicator, by campaign, for those who organize it."""
    organized = [viewer.campaign.pk for viewer in viewers if viewer.is_organizer]
    if not organized:
        return Counter()
    waiting = Slot.objects.filter(
        waiting_slots(), plan__campaign__in=organized, purpose=Purpose.ADJUDICATE
    )
    rows = waiting.order_by().values_list("plan__campaign").annotate(Count("pk"))
    return Counter(dict(rows))


def own_judging_counts(campaign: Campaign, user: User) -> tuple[int, int]:
    """How many documents ``user`` has judged, and how many remain for them."""
    own = Counter[str]()
    for row in list_own_counts(campaign, user):
        own[row.state] += row.size
    remaining = add_remaining(remaining_by_topic(user, campaign).values())
    return own[Slot.State.JUDGED], own[Slot.State.LEASED] + remaining.count


def is_judging_done(status: Status) -> bool:
    """Qrels may be frozen before judging ends."""
    facts = status.get(JudgingFacts)
    over = status.is_done("scores") or not status.campaign.takes_judgments() or not facts.planned
    return facts.judging.is_complete or (facts.qrels is not None and over)


def describe_judging_phase(status: Status) -> list[str]:
    """Only organizers see counts of the work of others. Judging that is done has no deadline, and
    what it left out is said as such.
    """
    facts, is_done = status.get(JudgingFacts), is_judging_done(status)
    judged = ""
    if status.is_organizer and is_done and facts.judging.left:
        left = {"n": format_number(facts.judging.left), "of": format_number(facts.judging.total)}
        judged = _("%(n)s of %(of)s not judged") % left
    elif status.is_organizer:
        judged = format_judged(facts.judging)
    elif status.is_assessor:
        judged = _("%(n)s by you") % {"n": format_number(facts.my_judged)}
    due = format_due(status.campaign.judging_deadline)
    return [judged, "" if is_done else due]


def format_judged(tally: SlotTally) -> str:
    """What is judged of what, in words; empty if nothing is planned."""
    if not tally.total and not tally.coming:
        return ""
    counts = {"done": format_number(tally.judged), "of": format_number(tally.total)}
    words = [_("%(done)s of %(of)s judged") % counts]
    if tally.coming:
        more = {"n": format_number(tally.coming)}
        words.append(_("at most %(n)s more as the pool grows") % more)
    if tally.unresolved:
        words.append(ngettext("%(n)s skip unresolved", "%(n)s skips unresolved", tally.unresolved))
    return ", ".join(words)


def describe_qrels_phase(status: Status) -> list[str]:
    qrels = status.get(JudgingFacts).qrels
    return [_("version %(number)s") % {"number": qrels}] if status.is_organizer and qrels else []


def judging_tasks(status: Status) -> list[Task]:
    facts = status.get(JudgingFacts)
    tally = facts.judging
    unassigned = status.has_begun("pool") and not facts.planned and facts.qrels is None
    late = tally.left > 0 and not status.campaign.takes_judgments()
    missing = ngettext(
        "%(n)s judgment missing; the deadline has passed",
        "%(n)s judgments missing; the deadline has passed",
        tally.left,
    )
    unresolved = tally.unresolved > 0 and not status.is_done("scores")
    skipped = ngettext(
        "%(n)s skipped document needs another assessor, or closing its plan",
        "%(n)s skipped documents need another assessor, or closing their plans",
        tally.unresolved,
    )
    unfrozen = tally.is_complete and facts.qrels is None
    return [
        Task(unassigned, _("The pool has no assessors"), "plan-new", _("Assign topics")),
        Task(late, missing, "judging", _("View progress")),
        Task(unresolved, skipped, "judging", _("Review skips")),
        Task(unfrozen, _("Judging is complete"), "qrels-list", _("Freeze qrels")),
    ]


def judging_steps(status: Status) -> list[Task]:
    facts = status.get(JudgingFacts)
    adjudicate = format_disagreements(facts.to_adjudicate)
    monitor = _("Monitor judging, then freeze qrels")
    return [
        Task(facts.to_adjudicate > 0, adjudicate, "adjudication", _("Adjudicate"), first=True),
        Task(facts.unfinished, monitor, "judging", _("Monitor judging")),
    ]


def assessor_tasks(status: Status) -> list[Task]:
    campaign, waiting = status.campaign, status.get(JudgingFacts).my_open
    text = ngettext("%(n)s document to judge", "%(n)s documents to judge", waiting)
    text += format_until(campaign.judging_deadline)
    return [Task(waiting > 0 and campaign.takes_judgments(), text, "work", _("Judge"))]


def assessor_steps(status: Status) -> list[Task]:
    has_judged = status.get(JudgingFacts).my_judged > 0
    all_judged = _("You have judged everything assigned to you. Review your judgments")
    return [
        Task(has_judged, all_judged, "my-judgments", _("Review judgments")),
        Task(True, _("No topics assigned to you yet"), "work"),
    ]


def adjudicator_tasks(status: Status) -> list[Task]:
    count = status.get(JudgingFacts).my_disagreements
    return [Task(count > 0, format_disagreements(count), "adjudicate", _("Adjudicate"))]


def adjudicator_steps(_status: Status) -> list[Task]:
    return [Task(True, _("No adjudication round open"), "adjudication")]


def format_disagreements(count: int) -> str:
    return ngettext("%(n)s disagreement to adjudicate", "%(n)s disagreements to adjudicate", count)


def list_home_alarms(campaigns: Collection[Campaign]) -> list[HomeAlarm]:
    """Alarms of *Today* that are not put aside, as of the latest figures of each campaign."""
    by_pk = {campaign.pk: campaign for campaign in campaigns}
    return [
        HomeAlarm(
            campaign := by_pk[pk],
            alarm.state is VerdictState.BAD,
            alarm.sentence,
            alarm.evidence,
            alarm.acts[0].label if alarm.acts else _("See the alarm"),
            build_act_url(campaign, alarm),
        )
        for pk, alarms in list_today_states(list(by_pk)).items()
        for alarm in alarms
    ]


def build_act_url(campaign: Campaign, alarm: Alarm) -> str:
    """The page of the first act, or *Today*."""
    if not alarm.acts:
        return reverse("judging-today", args=[campaign.slug])
    act = alarm.acts[0]
    return reverse(act.page, args=[campaign.slug, *act.args], query=dict(act.query) or None)


def list_home_tasks(user: User, viewers: Collection[Viewer]) -> list[HomeTask]:
    """The next document first, then disagreements."""
    open_ = [viewer for viewer in viewers if viewer.campaign.takes_judgments()]
    tasks = []
    for kind, chosen in (
        (Plan.Kind.JUDGE, [viewer for viewer in open_ if viewer.is_assessor]),
        (Plan.Kind.ADJUDICATE, [viewer for viewer in open_ if viewer.is_adjudicator]),
    ):
        by_pk = {viewer.campaign.pk: viewer.campaign for viewer in chosen}
        for pk, (topic, count) in list_waiting_documents(user, list(by_pk), kind).items():
            campaign = by_pk[pk]
            if kind == Plan.Kind.ADJUDICATE:
                label, action = format_disagreements(count), _("Adjudicate")
                url = reverse("adjudicate", args=[campaign.slug])
            else:
                label = _("Judge topic %(number)s next") % {"number": topic}
                label += " · " + ngettext("%(n)s document waits", "%(n)s documents wait", count)
                action = _("Judge")
                url = reverse("judge", args=[campaign.slug, topic])
            tasks.append(HomeTask(campaign, label, action, url, campaign.judging_deadline))
    return tasks


def list_qrels_audiences(status: Status) -> list[AudienceLine]:
    readers = {
        DataFile.Audience.TEAMS.value: _("organizers; teams: released versions"),
        DataFile.Audience.EVERYBODY.value: _("organizers; everybody: published versions"),
    }
    audience = status.get(JudgingFacts).qrels_readers
    text = readers.get(audience or "", _("organizers"))
    page = "qrels-list" if status.is_organizer else "data" if audience else ""
    return [AudienceLine(_("Qrels"), text, page)]


PHASES = (
    Phase(
        name="judging",
        label=pgettext_lazy("phase", "Judging"),
        begun=lambda status: status.get(JudgingFacts).planned,
        done=is_judging_done,
        late=lambda status: not status.campaign.takes_judgments(),
        # It may continue after the first qrels version is frozen and scored.
        in_progress=lambda status: status.get(JudgingFacts).unfinished,
        note=describe_judging_phase,
        pages={Role.ORGANIZER: "judging", Role.ASSESSOR: "work", Role.ADJUDICATOR: "adjudication"},
    ),
    Phase(
        name="qrels",
        label=gettext_lazy("Qrels"),
        begun=lambda status: status.get(JudgingFacts).qrels is not None,
        done=lambda status: status.get(JudgingFacts).qrels is not None,
        note=describe_qrels_phase,
        pages={Role.ORGANIZER: "qrels-list"},
    ),
)
ORGANIZER, ASSESSOR = (Role.ORGANIZER,), (Role.ASSESSOR,)
ADJUDICATION, JUDGES = ("judging/adjudication",), (Role.ORGANIZER, Role.ADJUDICATOR)
EXCHANGE = ("judging/exchange", "judging/import")
TRAINING, AUTOMATIC = ("judging/training",), ("judging/automatic", "judging/automatic-model")
TODAY = ("judging/today", "judging/review")
TABS = (
    Tab("judging", 5, gettext_lazy("Today"), "judging-today", TODAY, ORGANIZER),
    Tab("judging", 10, gettext_lazy("Progress"), "judging", ("judging",), ORGANIZER),
    Tab("judging", 11, gettext_lazy("Judge"), "work", ("judge",), ASSESSOR),
    Tab("judging", 13, gettext_lazy("My judgments"), "my-judgments", ("my-judgments",), ASSESSOR),
    Tab("judging", 20, gettext_lazy("Agreement"), "agreement", ("judging/agreement",), ORGANIZER),
    Tab("judging", 40, gettext_lazy("Adjudication"), "adjudication", ADJUDICATION, JUDGES),
    Tab("judging", 50, gettext_lazy("Training"), "training-sets", TRAINING, ORGANIZER),
    Tab("judging", 60, gettext_lazy("Automatic"), "automatic-list", AUTOMATIC, ORGANIZER),
    Tab("judging", 80, gettext_lazy("Import and export"), "import-export", EXCHANGE, ORGANIZER),
    Tab("results", 50, gettext_lazy("Qrels"), "qrels-list", ("results/qrels",), ORGANIZER),
)
LIFE_CYCLE = LifeCycle(
    facts=JudgingFacts,
    phases=PHASES,
    tasks={
        Role.ORGANIZER: judging_tasks,
        Role.ASSESSOR: assessor_tasks,
        Role.ADJUDICATOR: adjudicator_tasks,
    },
    steps={
        Role.ORGANIZER: judging_steps,
        Role.ASSESSOR: assessor_steps,
        Role.ADJUDICATOR: adjudicator_steps,
    },
    tabs=TABS,
    home_alarms=(list_home_alarms,),
    home_tasks=(list_home_tasks,),
    audiences=(list_qrels_audiences,),
)
