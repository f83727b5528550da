"""The confirmation before a member is removed or a conflicting role added."""

from __future__ import annotations

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.core.confirmation import Confirmation, ConfirmationChoice, Consequence, OpenMatter
from campaigns.errors import lowercase_label
from campaigns.models import Campaign, Member, Role, User
from campaigns.rules import list_conflicts

CONFLICT = "conflicting-roles"


def describe_removal(member: Member) -> Confirmation:
    """Before a member loses a role."""
    campaign, name = member.campaign, member.user.shown_name
    role = lowercase_label(member.get_role_display())
    describe = {
        Role.ASSESSOR: describe_lost_assessor,
        Role.ADJUDICATOR: describe_lost_adjudicator,
        Role.PARTICIPANT: describe_lost_participant,
    }.get(Role(member.role))
    matters, consequences = describe(member) if describe else ([], [])
    others = campaign.members.filter(user=member.user).exclude(pk=member.pk)
    roles = ", ".join(lowercase_label(other.get_role_display()) for other in others)
    remaining = _("keeps these roles: %(roles)s.") % {"roles": roles}
    access = remaining if roles else _("can no longer open the campaign.")
    return Confirmation(
        question=_("Remove %(name)s as %(role)s?") % {"name": name, "role": role},
        summary=campaign.title,
        before=_("Before you remove"),
        open=tuple(matters),
        consequences=(
            Consequence(name, access),
            *consequences,
            Consequence(_("Stays"), _("What they have submitted, judged or changed, and the log.")),
            Consequence(_("Can be undone"), _("An organizer can add the role again at any time.")),
        ),
        consents=(
            ConfirmationChoice(
                "loses-access", _("%(name)s loses this role at once") % {"name": name}
            ),
        ),
        button=_("Remove %(name)s") % {"name": name},
        back=reverse("people", args=[campaign.slug]),
    )


Lost = tuple[list[OpenMatter], list[Consequence]]


def describe_lost_assessor(member: Member) -> Lost:
    """Their topics and documents at hand. Judging is an upper app, known by reverse relations."""
    user, campaign = member.user, member.campaign
    topics = user.assignments.filter(plan__campaign=campaign, plan__kind="judge")
    held = user.slots.filter(plan__campaign=campaign, state="leased").exclude(purpose="adjudicate")
    judged = user.judgments.filter(campaign=campaign, kind="grade", purpose="judge").count()
    matters = []
    if count := topics.values("topic").distinct().count():
        text = ngettext(
            "%(n)s topic is assigned to them.", "%(n)s topics are assigned to them.", count
        )
        detail = ngettext(
            "%(n)s document is checked out.", "%(n)s documents are checked out.", held.count()
        )
        matters.append(
            OpenMatter(
                text=text % {"n": count},
                detail=detail % {"n": held.count()} if held.exists() else "",
                override=ConfirmationChoice(
                    "topics-assigned", _("Remove although topics are assigned")
                ),
                url=reverse("judging-assessor", args=[campaign.slug, user.username]),
                link=_("Reassign"),
            )
        )
    text = ngettext("%(n)s judgment stays and counts.", "%(n)s judgments stay and count.", judged)
    return matters, [Consequence(_("Judgments"), text % {"n": judged})]


def describe_lost_adjudicator(member: Member) -> Lost:
    user, campaign = member.user, member.campaign
    rounds = user.assignments.filter(plan__campaign=campaign, plan__kind="adjudicate")
    waiting = campaign.plans.filter(
        pk__in=rounds.values("plan"), slots__state__in=("open", "leased")
    ).distinct()
    matters = []
    if count := waiting.count():
        text = ngettext(
            "They are an adjudicator of %(n)s open round.",
            "They are an adjudicator of %(n)s open rounds.",
            count,
        )
        matters.append(
            OpenMatter(
                text=text % {"n": count},
                override=ConfirmationChoice("rounds-open", _("Remove although rounds are open")),
                url=reverse("adjudication", args=[campaign.slug]),
                link=_("View rounds"),
            )
        )
    return matters, [Consequence(_("Decisions"), _("Adjudications stay and count."))]


def describe_lost_participant(member: Member) -> Lost:
    team = member.team
    assert team is not None  # noqa: S101 (a constraint of the database)
    runs, others = team.runs.accepted().count(), team.members.exclude(pk=member.pk).count()
    matters = []
    if runs and not others:
        text = ngettext(
            "They are the only member of team %(team)s, which has %(n)s run.",
            "They are the only member of team %(team)s, which has %(n)s runs.",
            runs,
        )
        matters.append(
            OpenMatter(
                text=text % {"team": team.name, "n": runs},
                detail=_("The team could then no longer replace its runs or see its scores."),
                override=ConfirmationChoice("team-empty", _("Remove the last member of the team")),
                url=reverse("people", args=[member.campaign.slug]),
                link=_("Invite another"),
            )
        )
    text = ngettext("%(n)s run stays in the campaign.", "%(n)s runs stay in the campaign.", runs)
    return matters, [Consequence(_("Runs"), text % {"n": runs})]


def describe_second_role(campaign: Campaign, user: User, role: str) -> Confirmation:
    """Before a participant also assesses, adjudicates or organizes, or vice versa."""
    has = set(campaign.members.filter(user=user).values_list("role", flat=True))
    names = {"name": user.shown_name, "role": lowercase_label(Role(role).label)}
    conflicts = [lowercase_label(Role(other).label) for other in list_conflicts(has | {role})]
    matters: tuple[OpenMatter, ...] = ()
    if conflicts:
        text = _("%(name)s would have conflicting roles: %(roles)s.")
        matters = (
            OpenMatter(
                text=text % {"name": user.shown_name, "roles": ", ".join(conflicts)},
                detail=_("Judgments and scores are then no longer independent of the runs."),
                override=ConfirmationChoice(
                    CONFLICT, _("Add the role although the roles conflict")
                ),
            ),
        )
    return Confirmation(
        question=_("Add %(name)s as %(role)s?") % names,
        summary=campaign.title,
        before=_("Before you add the role"),
        open=matters,
        consequences=tuple(explain_conflicts(user, has | {role})),
        button=_("Add %(name)s as %(role)s") % names,
        back=reverse("people", args=[campaign.slug]),
    )


def explain_conflicts(user: User, roles: set[str]) -> list[Consequence]:
    """What a participant with these roles could do, and that it will be visible."""
    why = {
        Role.ASSESSOR: _("judges documents that their own team's runs have retrieved."),
        Role.ADJUDICATOR: _("decides on documents that their own team's runs have retrieved."),
        Role.ORGANIZER: _("sees all runs, and all scores before their release."),
    }
    conflicts = [role for role in list_conflicts(roles) if role in why]
    marked = _("The People page and the API mark the member; the log keeps this decision.")
    return [
        *(Consequence(user.shown_name, why[Role(role)]) for role in conflicts),
        Consequence(_("Marked"), marked),
        Consequence(_("Can be undone"), _("Remove one of the roles at any time.")),
    ]
