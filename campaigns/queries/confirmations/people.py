"""The confirmation before a member is removed or a conflicting role added."""

from django.urls import reverse
from django.utils.translation import gettext as _

from campaigns.confirmation import Confirmation, ConfirmationChoice, Consequence, OpenMatter
from campaigns.errors import lowercase_label
from campaigns.models import Campaign, Member, Role, User
from campaigns.rules import list_conflicts
from poolbench.files.faults import format_count

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
    matter, stays = describe(member) if describe else (None, None)
    others = campaign.members.filter(user=member.user).exclude(pk=member.pk)
    roles = ", ".join(lowercase_label(other.get_role_display()) for other in others)
    remaining = f"keeps these roles: {roles}."
    access = remaining if roles else "can no longer open the campaign."
    return Confirmation(
        question=f"Remove {name} as {role}?",
        summary=campaign.title,
        before="Before you remove",
        open=(matter,) if matter else (),
        consequences=(
            Consequence(name, access),
            *([stays] if stays else []),
            Consequence("Stays", "What they have submitted, judged or changed, and the log."),
            Consequence("Can be undone", "An organizer can add the role again at any time."),
        ),
        consents=(ConfirmationChoice("loses-access", f"{name} loses this role at once"),),
        button=f"Remove {name}",
        back=reverse("people", args=[campaign.slug]),
    )


def describe_leaving(member: Member) -> Confirmation:
    """Before a participant leaves their team."""
    team = member.team
    assert team is not None  # noqa: S101 (a constraint of the database)
    runs = team.runs.accepted().count()
    matters: tuple[OpenMatter, ...] = ()
    if runs and not team.members.exclude(pk=member.pk).exists():
        matters = (
            OpenMatter(
                text=_("You are the only member of the team, which has runs."),
                detail=_("No one could then replace its runs or see its scores."),
                override=ConfirmationChoice("team-empty", _("Leave the team without a member")),
                url=reverse("team", args=[member.campaign.slug]),
                link=_("Invite another"),
            ),
        )
    return Confirmation(
        question=_("Leave team %(team)s?") % {"team": team.name},
        summary=member.campaign.title,
        before=_("Before you leave"),
        open=matters,
        consequences=(
            Consequence(_("You"), _("no longer see the team, its runs and their scores.")),
            Consequence(_("Runs"), _("stay in the campaign.")),
            Consequence(_("Can be undone"), _("A member of the team can invite you again.")),
        ),
        consents=(ConfirmationChoice("loses-access", _("I leave the team at once")),),
        button=_("Leave team"),
        back=reverse("team", args=[member.campaign.slug]),
    )


def describe_transfer(campaign: Campaign, actor: User, successor: User) -> Confirmation:
    """Before an organizer hands a campaign over to another member."""
    held = set(campaign.members.filter(user=successor).values_list("role", flat=True))
    conflicts = [lowercase_label(Role(r).label) for r in list_conflicts(held | {Role.ORGANIZER})]
    own = campaign.members.filter(user=actor).exclude(role=Role.ORGANIZER)
    roles = ", ".join(lowercase_label(each.get_role_display()) for each in own)
    name = successor.shown_name
    matters: tuple[OpenMatter, ...] = ()
    if conflicts:
        matters = (
            OpenMatter(
                text=f"{name} would have conflicting roles: {', '.join(conflicts)}.",
                detail="Judgments and scores are then no longer independent of the runs.",
                override=ConfirmationChoice(CONFLICT, "Hand over although the roles conflict"),
            ),
        )
    keeps = f"keep these roles: {roles}." if roles else "can no longer open the campaign."
    return Confirmation(
        question=f"Hand {campaign.title} over to {name}?",
        summary=campaign.title,
        before="Before you hand over",
        open=matters,
        consequences=(
            Consequence(name, "becomes an organizer and can do everything that you can."),
            Consequence("You", f"are no longer an organizer; you {keeps}"),
            Consequence("Can be undone", f"{name} can make you an organizer again."),
        ),
        consents=(ConfirmationChoice("hands-over", f"{name} organizes the campaign, I do not"),),
        button=f"Hand over to {name}",
        back=reverse("people", args=[campaign.slug]),
    )


Lost = tuple[OpenMatter | None, Consequence]


def describe_lost_assessor(member: Member) -> Lost:
    """Their topics and documents at hand. Judging is an upper app, known by reverse relations."""
    user, campaign = member.user, member.campaign
    topics = user.assignments.filter(plan__campaign=campaign, plan__kind="judge")
    held = user.slots.filter(plan__campaign=campaign, state="leased").exclude(purpose="adjudicate")
    judged = user.judgments.filter(campaign=campaign, kind="grade", purpose="judge").count()
    stays = f"{format_count(judged, 'judgment stays and counts', 'judgments stay and count')}."
    matter = None
    if count := topics.values("topic").distinct().count():
        detail = f"{format_count(held.count(), 'document is', 'documents are')} checked out."
        matter = OpenMatter(
            text=f"{format_count(count, 'topic is', 'topics are')} assigned to them.",
            detail=detail if held.exists() else "",
            override=ConfirmationChoice("topics-assigned", "Remove although topics are assigned"),
            url=reverse("judging-assessor", args=[campaign.slug, user.username]),
            link="Reassign",
        )
    return matter, Consequence("Judgments", stays)


def describe_lost_adjudicator(member: Member) -> Lost:
    user, campaign = member.user, member.campaign
    rounds = user.assignments.filter(plan__campaign=campaign, plan__kind="adjudicate")
    waiting = campaign.plans.filter(
        pk__in=rounds.values("plan"), slots__state__in=("open", "leased")
    ).distinct()
    matter = None
    if count := waiting.count():
        matter = OpenMatter(
            text=f"They are an adjudicator of {format_count(count, 'open round')}.",
            override=ConfirmationChoice("rounds-open", "Remove although rounds are open"),
            url=reverse("adjudication", args=[campaign.slug]),
            link="View rounds",
        )
    return matter, Consequence("Decisions", "Adjudications stay and count.")


def describe_lost_participant(member: Member) -> Lost:
    team = member.team
    assert team is not None  # noqa: S101 (a constraint of the database)
    runs, others = team.runs.accepted().count(), team.members.exclude(pk=member.pk).count()
    matter = None
    if runs and not others:
        has = format_count(runs, "run")
        matter = OpenMatter(
            text=f"They are the only member of team {team.name}, which has {has}.",
            detail="The team could then no longer replace its runs or see its scores.",
            override=ConfirmationChoice("team-empty", "Remove the last member of the team"),
            url=reverse("people", args=[member.campaign.slug]),
            link="Invite another",
        )
    stays = f"{format_count(runs, 'run stays', 'runs stay')} in the campaign."
    return matter, Consequence("Runs", stays)


def describe_second_role(campaign: Campaign, user: User, role: str) -> Confirmation:
    """Before a participant also assesses, adjudicates or organizes, or vice versa."""
    has = set(campaign.members.filter(user=user).values_list("role", flat=True))
    name, label = user.shown_name, lowercase_label(Role(role).label)
    conflicts = [lowercase_label(Role(other).label) for other in list_conflicts(has | {role})]
    matters: tuple[OpenMatter, ...] = ()
    if conflicts:
        matters = (
            OpenMatter(
                text=f"{name} would have conflicting roles: {', '.join(conflicts)}.",
                detail="Judgments and scores are then no longer independent of the runs.",
                override=ConfirmationChoice(CONFLICT, "Add the role although the roles conflict"),
            ),
        )
    return Confirmation(
        question=f"Add {name} as {label}?",
        summary=campaign.title,
        before="Before you add the role",
        open=matters,
        consequences=tuple(explain_conflicts(user, has | {role})),
        button=f"Add {name} as {label}",
        back=reverse("people", args=[campaign.slug]),
    )


def explain_conflicts(user: User, roles: set[str]) -> list[Consequence]:
    """What a participant with these roles could do, and that it will be visible."""
    why = {
        Role.ASSESSOR: "judges documents that their own team's runs have retrieved.",
        Role.ADJUDICATOR: "decides on documents that their own team's runs have retrieved.",
        Role.ORGANIZER: "sees all runs, and all scores before their release.",
    }
    conflicts = [role for role in list_conflicts(roles) if role in why]
    marked = "The People page and the API mark the member; the log keeps this decision."
    return [
        *(Consequence(user.shown_name, why[Role(role)]) for role in conflicts),
        Consequence("Marked", marked),
        Consequence("Can be undone", "Remove one of the roles at any time."),
    ]
