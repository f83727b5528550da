"""Data files of organizers: added, replaced, described, given to more readers, removed."""

import re
from functools import partial

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from campaigns import store
from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused, format_thousands
from campaigns.models import Campaign, DataFile, DataFileVersion, User
from campaigns.models.data_files import QRELS, TEXT, UPLOAD
from campaigns.queries.confirmations.data_files import EVERYBODY, describe_widening
from campaigns.rules import require_permission
from campaigns.services import events
from campaigns.services.decisions import check_decision
from campaigns.services.made_files import MADE_NAMES, request_made_files

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,98}[A-Za-z0-9]")
QRELS_NAME = re.compile(r"qrels-\d+\.txt")
MOST_FILES = 200


def add_data_file(
    *,
    actor: User,
    campaign: Campaign,
    name: str,
    data: bytes,
    title: str,
    holds: str = "",
    licence: str = "",
    note: str = "",
    is_text: bool = False,
) -> DataFileVersion:
    """Add a file, for the organizers alone, or a new version of a file of theirs with that name,
    for whom that was given to. ``is_text``: pages show it, as Markdown.
    """
    require_permission(actor, "campaigns.manage", campaign)
    check_name(name)
    check_data(data)
    path, digest = store.put_blob(data), store.sha256(data)
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        file = campaign.data_files.filter(name=name).first()
        if file is None and campaign.data_files.count() >= MOST_FILES:
            fix = "Put several files into one zip, or add a version of a file that is there."
            raise ActionRefused("too-many-files", f"There are {MOST_FILES} files.", fix)
        if file is None:
            source = TEXT if is_text else UPLOAD
            file = DataFile(campaign=campaign, name=name, source=source)
        newest = file.versions.first() if file.pk else None
        if newest is not None and newest.sha256 == digest and file.removed_at is None:
            raise ActionRefused("same-file", f"{name} has this content already.")
        if file.removed_at is not None:  # It has to be released again.
            file.audience = DataFile.Audience.ORGANIZERS
        file.title, file.licence, file.removed_at = title[:120], licence[:2_000], None
        file.save()
        version = DataFileVersion.objects.create(
            file=file, number=newest.number + 1 if newest else 1, path=path, sha256=digest,
            size=len(data), holds=holds[:200], note=note[:300], by=actor,
        )  # fmt: skip
        subject = f"{name}, version {version.number}" if newest else name
        events.log_event(
            campaign, actor, "data.changed" if newest else "data.added", subject,
            sha256=digest, audience=file.audience,
        )  # fmt: skip
    return version


def check_name(name: str) -> None:
    if not NAME.fullmatch(name) or ".." in name:
        fix = "Use 2 to 100 of the characters A–Z, a–z, 0–9, dot, hyphen and underscore."
        raise ActionRefused("bad-name", "A data file cannot have this name.", fix)
    if name in MADE_NAMES or QRELS_NAME.fullmatch(name):
        fix = "Choose another name."
        raise ActionRefused("name-taken", f"Poolbench makes the file {name} itself.", fix)


def check_data(data: bytes) -> None:
    limit = settings.POOLBENCH_MAX_UPLOAD_BYTES
    if len(data) > limit:
        message = f"The file exceeds the limit of {format_thousands(limit)} bytes."
        raise ActionRefused("too-large", message, "Compress it, or split it.")
    if not data:
        raise ActionRefused("empty-file", "The file is empty.", "Choose another one.")


def edit_data_file(*, actor: User, file: DataFile, title: str, licence: str) -> DataFile:
    """Describe a file of any source; its content stays."""
    require_permission(actor, "campaigns.manage", file.campaign)
    changed = {"title": title[:120], "licence": licence[:2_000]}
    with transaction.atomic():
        DataFile.objects.filter(pk=file.pk).update(**changed)
        events.log_event(file.campaign, actor, "data.edited", file.name, **changed)
    file.refresh_from_db()
    return file


def release_data_file(
    *, actor: User, file: DataFile, audience: str, decision: Decision | None = None
) -> DataFile:
    """Give a file to the teams, or to everybody. That of qrels is an act of its own."""
    require_permission(actor, "campaigns.manage", file.campaign)
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=file.campaign_id)
        file.refresh_from_db()
        check_widening(file, audience)
        confirmed = check_decision(partial(describe_widening, file, audience), decision)
        DataFile.objects.filter(pk=file.pk).update(audience=audience)
        code = "data.published" if audience == EVERYBODY else "data.released"
        data = {"audience": audience, "before": file.audience, **confirmed}
        events.log_event(file.campaign, actor, code, file.name, **data)
    file.refresh_from_db()
    # Some files are made only for more readers than organizers.
    request_made_files(file.campaign)
    return file


def check_widening(file: DataFile, audience: str) -> None:
    if file.source == QRELS:
        raise ActionRefused("qrels", "Qrels are released and published on their own page.")
    if audience not in file.list_wider_audiences():
        message = f"{file.name} is for {file.get_audience_display()} already."
        fix = "A file can be given to more readers, never to fewer; an uploaded one can be removed."
        raise ActionRefused("not-wider", message, fix)


def remove_data_file(*, actor: User, file: DataFile) -> None:
    """Offer the file no longer; organizers can add it again under the same name."""
    require_permission(actor, "campaigns.manage", file.campaign)
    if not file.is_by_hand:
        fix = "Only files that organizers added can be removed."
        raise ActionRefused("not-removable", f"{file.name} is made by Poolbench.", fix)
    with transaction.atomic():
        present = DataFile.objects.filter(pk=file.pk, removed_at__isnull=True)
        if present.update(removed_at=timezone.now()):
            events.log_event(file.campaign, actor, "data.removed", file.name)
