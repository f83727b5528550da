"""Correct texts that runs and judgments may refer to; every version is kept."""

from collections.abc import Mapping

from django.db import transaction

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Document, Erratum, Grade, Topic, User
from campaigns.queries.errata import TEXTS, find_correctable
from campaigns.rules import require_permission
from campaigns.services import events, letters
from campaigns.services.campaigns import check_fields
from campaigns.services.duplicates import request_duplicates
from poolbench.texts.documents import DocumentText
from poolbench.texts.topics import MAX_TEXT, MAX_TITLE


def correct_texts(
    *,
    actor: User,
    campaign: Campaign,
    kind: str,
    name: str,
    texts: Mapping[str, str],
    reason: str = "",
    seen: int | None = None,
) -> Erratum:
    """Replace ``texts``, by field, of the topic, grade or document ``name``.

    Values, gains and keys of grades, and bodies of documents, are not texts that this corrects.
    Members get a notice, those whom it concerns a mail. ``seen``: the number of the last
    correction when the texts were read; one of the same texts since would be undone. Raises
    ``ActionRefused``.
    """
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        # Locked: a concurrent correction waits, and then gets the next number.
        stored = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        row = find_correctable(stored, kind, name)
        if row is None:
            raise ActionRefused("nothing-to-correct", f"There is no {kind} {name}.")
        since = stored.errata.filter(kind=kind, name=name, number__gt=seen or 0)
        if seen is not None and since.exists():
            fix = "Open the form again; it has the present texts."
            raise ActionRefused("corrected-since", "Another correction came first.", fix)
        if unknown := sorted(set(texts) - set(TEXTS[kind])):
            known = ", ".join(TEXTS[kind])
            fix = f"Correct one of: {known}."
            raise ActionRefused("not-a-text", f"Not a text of a {kind}: {unknown[0]}.", fix)
        after = {field: text for field, text in texts.items() if getattr(row, field) != text}
        if not after:
            raise ActionRefused("nothing-corrected", "The texts are the same as before.")
        if max(map(len, after.values())) > MAX_TEXT or len(after.get("title", "")) > MAX_TITLE:
            raise ActionRefused("too-long", "The text is too long.", "Shorten it.")
        before = {field: getattr(row, field) for field in after}
        write_texts(row, after)
        campaign.last_erratum = stored.last_erratum + 1
        campaign.save(update_fields=["last_erratum"])
        erratum = Erratum.objects.create(
            campaign=campaign, number=campaign.last_erratum, kind=kind, name=name,
            before=before, after=after, reason=reason, by=actor,
        )  # fmt: skip
        events.log_event(
            campaign, actor, "text.corrected", f"{kind} {name}", erratum=erratum.number
        )
        letters.queue_erratum_letters(erratum)
        if isinstance(row, Document):
            request_duplicates(campaign)
    return erratum


def write_texts(row: Topic | Grade | Document, after: Mapping[str, str]) -> None:
    for field, text in after.items():
        setattr(row, field, text)
    fields = list(after)
    if isinstance(row, Document) and not row.file:
        document = DocumentText(row.docno, title=row.title, body=row.body, format=row.format)
        row.sha256 = document.sha256
        fields.append("sha256")
    check_fields(row)
    row.save(update_fields=fields)
