"""Many invitations from one list: all of them, or none and every fault of the list."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils import timezone

from campaigns.models import Campaign, Invitation, Role, User
from campaigns.rules import require_permission
from campaigns.services import events
from campaigns.services.people import find_team
from campaigns.services.teams import INVITATION_DAYS, send_invitation
from poolbench.files.faults import FaultReport, list_names

COLUMNS = ("address", "name", "role", "team")
MOST_LINES = 500


@dataclass(frozen=True)
class Invitee:
    """A line of the list."""

    address: str
    name: str
    role: str
    team: str


def read_invitees(text: str, report: FaultReport) -> list[Invitee]:
    """The lines of a CSV list with the columns ``COLUMNS``; faults go to ``report``."""
    reader = csv.reader(text.lstrip("\ufeff").splitlines(), skipinitialspace=True)
    header = [cell.strip().lower() for cell in next(reader, [])]
    if header != list(COLUMNS):
        message = f"The first line must be: {','.join(COLUMNS)}."
        report.add("EV01", message, "Write it above the list.", line=1, excerpt=",".join(header))
        return []
    invitees, lines = [], dict[str, int]()
    for cells in reader:
        if any(cell.strip() for cell in cells):
            check_cells(reader.line_num, cells, lines, report)
            padded = [cell.strip() for cell in [*cells, "", "", "", ""][: len(COLUMNS)]]
            invitees.append(Invitee(*padded))
    if not invitees or len(invitees) > MOST_LINES:
        message = f"The list has {len(invitees):,} people; it must have 1 to {MOST_LINES}."
        report.add("EV06", message, "Split it, or fill it.")
    return invitees


def check_cells(number: int, cells: list[str], lines: dict[str, int], report: FaultReport) -> None:
    """``lines``: the first line of each address so far."""
    excerpt = ",".join(cells)
    if len(cells) > len(COLUMNS) or len(cells) < 3:
        fix = f"Write {', '.join(COLUMNS)}; quote values that contain commas."
        report.add("EV02", f"{len(cells)} columns", fix, line=number, excerpt=excerpt)
        return
    address, _name, role, team = [cell.strip() for cell in [*cells, ""][: len(COLUMNS)]]
    if not is_address(address):
        fix = "Write one address, such as ada@example.org."
        report.add("EV03", "Malformed e-mail address", fix, line=number, excerpt=address)
    if (first := lines.setdefault(address.lower(), number)) != number:
        fix = "Keep one of the lines."
        report.add("EV04", f"Duplicate address, as on line {first}", fix, line=number,
                   excerpt=address)  # fmt: skip
    if role not in Role.values:
        fix = f"Use one of: {', '.join(Role.values)}."
        report.add("EV05", "Unknown role", fix, line=number, excerpt=role)
    elif (role == Role.PARTICIPANT) != bool(team):
        fix = "Name a team for participants, and none for other roles."
        report.add("EV07", "Role and team do not fit", fix, line=number, excerpt=excerpt)
    if len(team) > 60 or not team.isprintable():
        fix = "Shorten it."
        report.add("EV08", "The team name must have 1 to 60 characters", fix, line=number,
                   excerpt=team)  # fmt: skip


def is_address(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return len(text) <= 254


def create_invitations(
    *, actor: User, campaign: Campaign, text: str, days: int = INVITATION_DAYS
) -> list[Invitation]:
    """One invitation for each line of a CSV list; teams that are new are created.

    Raises ``InvalidFile`` with all faults, and does nothing then. Send them afterwards.
    """
    require_permission(actor, "campaigns.manage", campaign)
    report = FaultReport()
    invitees = read_invitees(text, report)
    report.raise_errors()
    expires_at = timezone.now() + timedelta(days=days)
    with transaction.atomic():
        invitations = [
            Invitation.objects.create(
                campaign=campaign,
                role=each.role,
                team=find_team(actor, campaign, each.team),
                sent_to=each.address,
                expires_at=expires_at,
                created_by=actor,
            )
            for each in invitees
        ]
        subject = list_names([each.address for each in invitees], most=3)
        events.log_event(
            campaign, actor, "invitation.created", subject, uses=len(invitees), days=days
        )
    return invitations


def send_invitations(invitations: list[Invitation]) -> Iterator[Invitation]:
    """Mail the links; yield those that the mail server did not take."""
    return (each for each in invitations if not send_invitation(each))
