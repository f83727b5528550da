"""Signed messages of providers: checked, and noted once, without what they say of people."""

import json
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from campaigns.errors import ActionRefused
from campaigns.rules import require_open
from crowd.models import ProviderEvent, Study
from poolbench.crowd.providers.prolific import is_webhook_valid

MAX_EVENT_ID, MAX_KIND = 200, 100


def accept_webhook(
    *, study: Study, event_id: str, timestamp: str, signature: str, body: bytes
) -> bool:
    """Note a webhook; False if its event is known already.

    Raises ``ActionRefused``: "bad-webhook" unless it is signed under the study's secret, its time
    is near ours and its body is an object of JSON. What it says changes nothing here, payment
    follows from our own log; so of its body only the kind is kept, and no one's ID.
    """
    require_open(study.campaign)
    secret = str(study.provider_settings.get("webhook_secret", ""))
    now = timezone.now()
    if study.provider != "prolific" or not is_webhook_valid(
        secret, timestamp, signature, body, now
    ):
        raise webhook_error("The signature or the time is wrong.")
    message = parse_webhook_body(body)
    if not 0 < len(event_id) <= MAX_EVENT_ID or not event_id.isprintable():
        raise webhook_error("The event has no valid ID.")
    kind = make_kind(message.get("event_type"))
    return record_event(study, event_id=f"hook {event_id}"[:MAX_EVENT_ID], kind=kind)


def make_kind(event_type: object) -> str:
    """The kind of a message, such as hook.submission.status: never one of our own events."""
    text = event_type if isinstance(event_type, str) else ""
    plain = "".join(sign for sign in text if sign.isprintable()).strip()
    return f"hook.{plain or 'message'}"[:MAX_KIND]


def record_event(study: Study, *, event_id: str, kind: str, **body: str) -> bool:
    """Keep an event; False if there is one with this ID."""
    try:
        with transaction.atomic():
            ProviderEvent.objects.create(study=study, event_id=event_id, kind=kind, body=body)
    except IntegrityError:
        return False
    return True


def parse_webhook_body(body: bytes) -> dict[str, Any]:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise webhook_error("The body is not JSON.") from error
    if not isinstance(message, dict):
        raise webhook_error("The body is not an object.")
    return message


def webhook_error(message: str) -> ActionRefused:
    return ActionRefused("bad-webhook", message, "Check the secret of webhooks on both sides.")
