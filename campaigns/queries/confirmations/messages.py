"""The confirmation before a message is sent: a dry run, which sends nothing."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.conf import settings
from django.urls import reverse

from campaigns.confirmation import Confirmation, Consequence
from campaigns.models import Campaign, Mail, Team, User
from campaigns.queries.mail import AUDIENCES, find_unsent_state, list_recipients, render_mail
from poolbench.files.faults import format_count, list_names

MOST_NAMES = 40
LEAVES = {
    None: "Within a minute. Until then it can be canceled in the outbox.",
    Mail.State.DRY_RUN: "This installation makes a dry run: texts are kept in the outbox only.",
    Mail.State.NOT_SENT: "This installation has no mail server. Copy the text in the outbox; each"
    " recipient also finds it on their account page.",
}  # fmt: skip


@dataclass(frozen=True)
class MessageDraft:
    """A message before it is sent; ``team`` if ``audience`` is "team"."""

    campaign: Campaign
    actor: User
    audience: str
    team: Team | None
    subject: str
    text: str

    @property
    def audience_label(self) -> str:
        return f"Team {self.team.name}" if self.team else AUDIENCES[self.audience]

    @cached_property
    def recipients(self) -> list[User]:
        people = list_recipients(self.campaign, self.audience, self.team)
        return [user for user in people if user.is_active]

    @property
    def context(self) -> dict[str, Any]:
        """What the template ``mail/message.txt`` needs."""
        return {"subject": self.subject, "text": self.text, "sender": self.actor.shown_name}

    def preview(self) -> Consequence:
        """The mail as one of the recipients gets it, if possible another person than the actor."""
        others = [user for user in self.recipients if user != self.actor]
        reader = (others or self.recipients)[0]
        url = settings.POOLBENCH_URL + self.campaign.get_absolute_url()
        values = {"campaign": self.campaign, "url": url, "recipient": reader}
        _subject, body = render_mail("message", self.context | values)
        return Consequence(f"Mail to {reader.shown_name}", body.strip())


def describe_message(draft: MessageDraft) -> Confirmation:
    """Before a message is sent: who gets it, and what it says."""
    recipients = draft.recipients
    people = format_count(len(recipients), "person", "people")
    without = [user.shown_name for user in recipients if not user.email]
    consequences = [
        Consequence(people, list_names([user.shown_name for user in recipients], MOST_NAMES)),
        Consequence("Subject", draft.subject),
        draft.preview(),
        Consequence("Sent", LEAVES[find_unsent_state()]),
    ]
    if without:
        names = list_names(without, MOST_NAMES)
        text = f"{names}: they find the message on their account page, and get no mail."
        consequences.append(Consequence("Without an address", text))
    answers = draft.actor.email or "No address: your account has none"
    consequences.append(Consequence("Answers go to", answers))
    consequences.append(Consequence("For good", "A mail that was sent cannot be recalled. The log"
                                    " keeps this page."))  # fmt: skip
    return Confirmation(
        question=f"Send this message to {people}?",
        summary=f"To: {draft.audience_label}. Nothing has been sent yet.",
        before="Before you send",
        consequences=tuple(consequences),
        button=f"Send to {people}",
        back=reverse("outbox", args=[draft.campaign.slug]),
    )
