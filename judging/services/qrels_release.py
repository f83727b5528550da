"""Release a qrels version to the teams, or publish it; a frozen one stays with the organizers."""

from functools import partial

from django.db import transaction
from django.urls import reverse

from campaigns import store
from campaigns.confirmation import Decision
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, DataFile, DataFileVersion, Role, User
from campaigns.models.data_files import QRELS
from campaigns.rules import require_permission
from campaigns.services import events
from campaigns.services.decisions import check_decision
from campaigns.services.mail import queue_mail
from judging.models import Qrels
from judging.queries.qrels_release import (
    describe_qrels_release,
    find_qrels_file,
    list_wider_audiences,
    name_qrels_file,
)
from poolbench.files.faults import format_count, list_names

EVERYBODY = DataFile.Audience.EVERYBODY


def release_qrels(
    *, actor: User, qrels: Qrels, audience: str, decision: Decision | None = None
) -> DataFile:
    """Give the version to the teams, or to everybody, for good."""
    require_permission(actor, "campaigns.manage", qrels.campaign)
    with transaction.atomic():
        locked = Campaign.objects.select_for_update(no_key=True)
        campaign = qrels.campaign = locked.get(pk=qrels.campaign_id)
        check_release(qrels, audience)
        confirmed = check_decision(partial(describe_qrels_release, qrels, audience), decision)
        file = find_qrels_file(qrels) or create_qrels_file(qrels, actor)
        DataFile.objects.filter(pk=file.pk).update(audience=audience)
        code = "qrels.published" if audience == EVERYBODY else "qrels.released"
        data = {"version": qrels.version, "sha256": qrels.sha256, "before": file.audience}
        events.log_event(campaign, actor, code, str(qrels), **data, **confirmed)
        # By the key, a publication is not mailed to those who had the version before.
        teams = User.objects.filter(
            memberships__campaign=campaign, memberships__role=Role.PARTICIPANT
        )
        queue_mail(
            "qrels_released",
            teams.distinct(),
            key=f"{campaign.pk}:{qrels.version}",
            campaign=campaign,
            context={"qrels": qrels},
            path=reverse("data", args=[campaign.slug]),
        )
    file.refresh_from_db()
    return file


def check_release(qrels: Qrels, audience: str) -> None:
    """Refuse to narrow an audience, and to show topics that have been withheld since."""
    if audience not in list_wider_audiences(qrels):
        message = f"Qrels {qrels.version} cannot be given to {audience}."
        fix = "They have it already: qrels can be given to more readers, never to fewer."
        raise ActionRefused("already-released", message, fix)
    withheld = qrels.campaign.topics.filter(withheld=True)
    hidden = withheld.filter(number__in=list(qrels.manifest["topics"]))
    if numbers := list(hidden.values_list("number", flat=True)):
        message = f"Qrels {qrels.version} have withheld topics: {list_names(numbers)}."
        raise ActionRefused("withheld-topics", message, "Freeze a new version without them.")


def create_qrels_file(qrels: Qrels, actor: User) -> DataFile:
    name = name_qrels_file(qrels)
    file = DataFile.objects.create(
        campaign=qrels.campaign, name=name, title=f"Qrels {qrels.version}", source=QRELS
    )
    topics = format_count(len(qrels.manifest["topics"]), "topic")
    label = f", {qrels.label}" if qrels.label else ""
    DataFileVersion.objects.create(
        file=file,
        number=1,
        path=qrels.path,
        sha256=qrels.sha256,
        size=store.get_blob_size(qrels.path),
        holds=f"{topics}, {format_count(qrels.pairs, 'judgment')}{label}",
        by=actor,
    )
    return file
