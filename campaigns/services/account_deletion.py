"""A person deletes their account: what they did stays, who they were does not."""

import re
import secrets
from functools import partial, reduce
from operator import or_
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import (
    ApiToken,
    Campaign,
    Event,
    Invitation,
    Member,
    Role,
    Snapshot,
    Team,
    User,
)
from campaigns.queries.confirmations.account import (
    describe_account_deletion,
    list_campaigns_to_hand_over,
)
from campaigns.services import events
from campaigns.services.decisions import check_decision
from poolbench.files.faults import list_names

SESSION_KEY = "_auth_user_id"
NAMING_PEOPLE = (
    "assignment.", "invitation.", "judgments.", "member.", "message.", "ownership.", "plan.",
    "review.", "slot", "team.", "terms.", "training.",
)  # fmt: skip
"""How the codes of events begin that name people. The others stay as they are: a person who chose
a word such as "everybody" as a name could change what they say.
"""


def delete_account(*, user: User, decision: Decision | None = None) -> str:
    """Delete the account of ``user`` and return the pseudonym under which their work stays.

    The row is kept, since judgments and runs refer to it, with nothing in it that names a person.
    """
    with transaction.atomic():
        # Locked, so that of two last organizers only one can go.
        organizers = Member.objects.select_for_update().filter(role=Role.ORGANIZER)
        list(organizers.filter(campaign__members__user=user))
        check_account_deletable(user)
        check_decision(partial(describe_account_deletion, user), decision)
        pseudonym = f"deleted-{secrets.token_hex(4)}"
        erase_from_log(user, pseudonym)
        erase_contacts(user)
        for member in user.memberships.select_related("campaign"):
            subject = f"{pseudonym} ({member.role})"
            events.log_event(member.campaign, user, "member.removed", subject)
        delete_belongings(user)
        user.username, user.first_name, user.last_name, user.email = pseudonym, "", "", ""
        user.is_active = user.is_staff = user.is_superuser = user.can_create_campaigns = False
        user.last_login = None
        user.set_unusable_password()
        user.save()
    return pseudonym


def check_account_deletable(user: User) -> None:
    """Refuse the last organizer of a campaign, a superuser too."""
    if campaigns := list_campaigns_to_hand_over(user):
        titles = list_names([campaign.title for campaign in campaigns])
        message = _("You are the only organizer of: %(titles)s.") % {"titles": titles}
        fix = _("Hand each over on its page People, then delete your account.")
        raise ActionRefused("last-organizer", message, fix)


def delete_belongings(user: User) -> None:
    """What is of the person alone."""
    for rows in (
        ApiToken.objects.filter(user=user),
        EmailAddress.objects.filter(user=user),
        Authenticator.objects.filter(user=user),
        user.memberships.all(),
        user.team_requests.all(),
        user.mails.all(),
        Invitation.objects.filter(created_by=user, uses_left__gt=0),
        *(
            model.objects.filter(username=user.username)
            for model in (AccessAttempt, AccessFailureLog, AccessLog)
        ),
    ):
        rows.delete()
    user.groups.clear()
    for session in Session.objects.iterator():
        if session.get_decoded().get(SESSION_KEY) == str(user.pk):
            session.delete()


def erase_contacts(user: User) -> None:
    """Where the person stands as the contact of a team, and as one who was invited."""
    names = [text for text in (user.get_full_name(), user.email) if text]
    for name in names:
        teams = Team.objects.filter(members__user=user, contact__icontains=name)
        Team.objects.filter(pk__in=list(teams.values_list("pk", flat=True))).update(contact="")
    if user.email:
        Invitation.objects.filter(sent_to__iexact=user.email).update(sent_to="")


def erase_from_log(user: User, pseudonym: str) -> None:
    """Put the pseudonym in the place of username and name, in the log of all their campaigns.

    Stored reports may name them: they are computed anew.
    """
    own = Q(members__user=user) | Q(events__actor=user) | Q(judgments__assessor=user)
    named = Q(events__subject__startswith=f"{user.username} ")
    campaigns = list(Campaign.objects.filter(own | named).values_list("pk", flat=True).distinct())
    names = filter(None, {user.username, user.get_full_name(), user.email})
    pattern = re.compile(
        rf"(?<![\w.@+-])(?:{'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})"
        r"(?![\w@+-])"
    )
    changed = []
    naming = reduce(or_, (Q(code__startswith=start) for start in NAMING_PEOPLE))
    for event in Event.objects.filter(naming, campaign__in=campaigns).iterator():
        subject, data = replace_names([event.subject, event.data], pattern, pseudonym)
        if (subject, data) != (event.subject, event.data):
            event.subject, event.data = subject[:200], data
            changed.append(event)
    Event.objects.bulk_update(changed, ["subject", "data"], batch_size=500)
    Snapshot.objects.filter(campaign__in=campaigns).delete()


def replace_names(value: Any, pattern: re.Pattern[str], pseudonym: str) -> Any:
    """``value``, as JSON holds it, with the names that ``pattern`` finds replaced."""
    if isinstance(value, str):
        return pattern.sub(pseudonym, value)
    if isinstance(value, list):
        return [replace_names(each, pattern, pseudonym) for each in value]
    if isinstance(value, dict):
        return {key: replace_names(each, pattern, pseudonym) for key, each in value.items()}
    return value
