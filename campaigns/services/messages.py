"""Messages that organizers write to teams, assessors or everybody."""

from functools import partial

from django.core.exceptions import PermissionDenied
from django.db import transaction

from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Event, Team, User
from campaigns.queries.confirmations.messages import MessageDraft, describe_message
from campaigns.queries.mail import AUDIENCES
from campaigns.rules import require_permission
from campaigns.services import events
from campaigns.services.decisions import check_decision
from campaigns.services.mail import queue_mail

MOST_CHARACTERS = 10_000


def send_message(
    *,
    actor: User,
    campaign: Campaign,
    audience: str,
    subject: str,
    text: str,
    team: Team | None = None,
    decision: Decision | None = None,
) -> Event:
    """Queue a message to ``audience``, a key of ``AUDIENCES``, or "team" for ``team`` alone.

    Answers go to the actor. The event keeps what was sent, and to whom.
    """
    require_permission(actor, "campaigns.manage", campaign)
    if team is not None and team.campaign_id != campaign.pk:
        raise PermissionDenied(f"{team} belongs to another campaign")
    if audience not in (*AUDIENCES, "team") or (audience == "team") != (team is not None):
        raise ActionRefused("bad-audience", f"Unknown recipients: {audience}.")
    if not subject.strip() or not text.strip() or len(text) > MOST_CHARACTERS:
        fix = f"Enter a subject, and a text of at most {MOST_CHARACTERS:,} characters."
        raise ActionRefused("bad-message", "The message is empty or too long.", fix)
    draft = MessageDraft(campaign, actor, audience, team, " ".join(subject.split()), text.strip())
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        recipients = draft.recipients
        if not recipients:
            message = f"{draft.audience_label}: no members yet."
            raise ActionRefused("no-recipients", message, "Invite them first.")
        confirmed = check_decision(partial(describe_message, draft), decision)
        people = [user.username for user in recipients]
        event = events.log_event(
            campaign, actor, "message.sent", draft.subject,
            to=draft.audience_label, people=people, **confirmed,
        )  # fmt: skip
        queue_mail(
            "message",
            recipients,
            key=f"event {event.pk}",
            campaign=campaign,
            context=draft.context,
            path=campaign.get_absolute_url(),
            reply_to=actor.email,
        )
    return event
