"""Small files and rows for tests."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import unescape

from django.core.files.uploadedfile import SimpleUploadedFile

from campaigns import store
from campaigns.core.run_checks import ranking_hash
from campaigns.core.runs import read_run
from campaigns.models import Campaign, Run, Team, User
from campaigns.services import jobs, matrices
from campaigns.services.runs import latest_check_job, submit_run
from tests.pages import read_page


def run_text(
    tag: str = "first",
    topics: Iterable[str] = ("1", "2", "3"),
    docnos: Iterable[str] = ("d1", "d2"),
) -> bytes:
    """A run that ranks ``docnos`` in their order for each of ``topics``."""
    ranked = list(enumerate(docnos, 1))
    lines = [f"{t} Q0 {d} {r} {100 - r} {tag}\n" for t in topics for r, d in ranked]
    return "".join(lines).encode()


def upload(data: bytes, name: str = "run.txt") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def checked_run(
    actor: User, campaign: Campaign, team: Team, data: bytes | None = None, **fields: object
) -> Run:
    """A submitted run after its check."""
    data = run_text() if data is None else data
    given = {"file_name": "run.txt", **fields}
    run = submit_run(actor=actor, campaign=campaign, team=team, data=data, **given)
    jobs.run_here(latest_check_job(run))
    run.refresh_from_db()
    return run


def accepted_run(team: Team, tag: str, text: str, **fields: object) -> Run:
    """A run as the check leaves it, without a check."""
    data, campaign = text.encode(), team.campaign
    table = read_run(data)
    return Run.objects.create(
        campaign=campaign,
        team=team,
        tag=tag,
        state=Run.State.ACCEPTED,
        file=store.put_blob(data),
        file_name=f"{tag}.txt",
        size=len(data),
        lines=len(table),
        sha256=store.sha256(data),
        normalised_hash=ranking_hash(table),
        matrix=matrices.store_run_matrix(campaign, table),
        submitted_by=campaign.created_by,
        **fields,
    )


def read_confirmation(answer: object) -> dict[str, object]:
    """The form of a confirmation page: all of its fields, with every box ticked."""
    text = read_page(answer)
    form = text[text.index('<form class="decision"') :]
    form = form[: form.index("</form>")]
    fields: dict[str, object] = {"confirm": []}
    for tag in re.findall(r"<input [^>]*>", form):
        name, value = (re.search(rf'{key}="([^"]*)"', tag) for key in ("name", "value"))
        if name[1] == "confirm":
            fields["confirm"].append(unescape(value[1]))
        elif name[1] == "run":
            fields.setdefault("run", []).append(value[1])
        elif name[1] != "csrfmiddlewaretoken":
            fields[name[1]] = unescape(value[1])
    return fields


def confirm(client, url: str, data: dict[str, object] | None = None, **changes: object):
    """Act through the confirmation page: open it, tick every box, send its form.

    ``data`` opens the page by POST; ``changes`` are other values of its form, e.g. ``confirm=[]``.
    """
    shown = client.get(url) if data is None else client.post(url, data)
    assert shown.status_code == 200, shown.status_code
    return client.post(url, read_confirmation(shown) | changes)
