"""Importing judgments made elsewhere, under the assessor who made them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import PurePath

from django.conf import settings

from campaigns import store
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Role, Topic, User
from campaigns.queries.collection_files import list_missing_docnos
from campaigns.rules import require_permission
from campaigns.services import events
from campaigns.services.registration import prepare_documents
from judging.models import AutomaticAssessor, Judgment, Purpose
from judging.rules import FLAGS, SKIP_REASONS
from judging.services.assignments import require_assessors
from judging.services.automatic import check_takes_judgments
from judging.services.bulk import (
    ImportCounts,
    ImportRow,
    append_judgments,
    map_latest_revisions,
    refresh_after_commit,
    select_new_rows,
)
from judging.services.import_rows import ImportRows, collect_pairs, group_ballots, has_third
from judging.services.judgment_log import lock_imports, lock_judging, run_with_retries
from judging.services.propagation import propagate_judgments
from judging.services.slot_table import Pair, SlotTable
from judging.services.stopping import apply_stopping_rule
from poolbench.files.faults import FaultReport
from poolbench.files.streams import read_bytes
from poolbench.judging.exchange.duplicates import RULES
from poolbench.judging.exchange.import_resolution import (
    CampaignLookup,
    ImportChoices,
    ResolvedImport,
    resolve_import,
)
from poolbench.judging.exchange.reader import JudgmentFile, read_judgments

Graded = tuple[str, str, int]
LINKS = "-_. "
MAX_LISTED = 200


@dataclass(frozen=True)
class ImportOptions:
    """The user's choices for an import.

    The assessor is ``assessor``, ``automatic``, the one of the file name (``by_file``) or as in
    the file. ``labels`` maps labels to grades, or to ``-`` to ignore them; ``people`` maps names
    in the file to usernames; ``duplicates`` is a name of ``RULES``.
    """

    file_format: str = ""
    assessor: User | None = None
    automatic: AutomaticAssessor | None = None
    by_file: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    people: Mapping[str, str] = field(default_factory=dict)
    duplicates: str = "refuse"


@dataclass(frozen=True)
class ImportPreview:
    """What an import would do: ``rows`` by account, their ``counts``, all faults in ``report``."""

    reading: JudgmentFile
    resolution: ResolvedImport
    report: FaultReport
    rows: Mapping[User, Sequence[ImportRow]]
    sha256: str
    counts: ImportCounts = field(default_factory=ImportCounts)


def import_judgments(
    *, actor: User, campaign: Campaign, assessor: User, rows: Iterable[Graded]
) -> int:
    """Append ``(topic, docno, grade)`` rows to the log as ``assessor``'s; return the number.

    Each fills the assessor's slot of its pair, or a free one; otherwise it is a judgment
    without slot, and the event has their number. A grade that is already current is not
    written again; a different one is a new revision. Raises ``InvalidFile`` with all faults:
    EJ01 unknown topic, EJ02 grade not on the scale, EJ03 duplicate pair.
    """
    return import_all_judgments(actor=actor, campaign=campaign, rows={assessor: rows})


def import_all_judgments(
    *, actor: User, campaign: Campaign, rows: Mapping[User, Iterable[Graded]]
) -> int:
    """``import_judgments`` of several assessors, all or none: their slots are read once."""
    require_permission(actor, "campaigns.manage", campaign)
    require_assessors(campaign, list(rows))
    listed = {user: check_rows(campaign, list(own)) for user, own in rows.items()}
    return append_imported(actor, campaign, listed, Purpose.JUDGE, {}).appended


def preview_file(
    *, actor: User, campaign: Campaign, data: bytes, file: str, options: ImportOptions
) -> ImportPreview:
    """What ``import_file`` would do, without writing anything; faults are in ``report``.

    Raises ``InvalidFile`` only for a file that cannot be opened: broken gzip, too large.
    """
    require_permission(actor, "campaigns.manage", campaign)
    check_options(campaign, options)
    preview = examine_file(campaign, data, file, options)
    purpose, counts = choose_purpose(options), ImportCounts()
    for user, listed in preview.rows.items():
        counts += select_new_rows(listed, map_latest_revisions(campaign, user, purpose))[1]
    return replace(preview, counts=counts)


def import_file(
    *,
    actor: User,
    campaign: Campaign,
    data: bytes,
    file: str,
    options: ImportOptions,
    report: FaultReport | None = None,
) -> ImportCounts:
    """Import the judgments of a file (plain or gzip), all or none; return the counts.

    The same file again changes nothing. Warnings are copied to ``report``. Raises
    ``InvalidFile`` with all faults; the event has file name, hash, mappings and rule.
    """
    require_permission(actor, "campaigns.manage", campaign)
    check_options(campaign, options)
    preview = examine_file(campaign, data, file, options)
    preview.report.raise_errors()
    if report is not None:
        report.faults, report.counts = preview.report.faults, preview.report.counts
    details = import_log_entry(preview, file, options)
    return append_imported(actor, campaign, preview.rows, choose_purpose(options), details)


def choose_purpose(options: ImportOptions) -> str:
    return Purpose.AUTOMATIC if options.automatic else Purpose.JUDGE


def append_imported(
    actor: User,
    campaign: Campaign,
    rows: Mapping[User, Sequence[ImportRow]],
    purpose: str,
    details: Mapping[str, object],
) -> ImportCounts:
    """Write the judgments, and the documents of a registered collection that they are of."""
    pairs = collect_pairs(rows.values())
    docnos = (docno for _, docno in pairs)
    with prepare_documents(campaign, docnos) as add_documents:

        def write() -> ImportCounts:
            add_documents()
            return write_imported(actor, campaign, rows, pairs, purpose, details)

        return run_with_retries(write)


def write_imported(
    actor: User,
    campaign: Campaign,
    rows: Mapping[User, Sequence[ImportRow]],
    pairs: Collection[Pair],
    purpose: str,
    details: Mapping[str, object],
) -> ImportCounts:
    """Append the new judgments of every assessor, who may be judging at the same time."""
    lock_judging(campaign)
    lock_imports(campaign)
    counts, slots = ImportCounts(), None
    if purpose == Purpose.JUDGE:
        slots = SlotTable.load(campaign, pairs)
    # Third judgments last: their slots exist once the planned judgments differ.
    for third in (False, True):
        for assessor, listed in rows.items():
            if listed and (not third or has_third(listed)):
                part = (row for row in listed if row.third == third)
                counts += append_judgments(campaign, assessor, part, purpose=purpose, slots=slots)
    if purpose == Purpose.JUDGE and counts.appended:
        propagate_judgments(campaign, pairs)
    refresh_after_commit(counts.appended)
    if purpose == Purpose.JUDGE:
        # Last: judging locks a slot, then the topic; the opposite order could deadlock.
        apply_stopping_rule(campaign, {topic for topic, _ in pairs})
    names = ", ".join(user.username for user in rows)
    if counts.appended or counts.unchanged or details:
        events.log_event(
            campaign=campaign,
            actor=actor,
            code="judgments.imported",
            subject=f"{counts.appended} by {names}",
            known_before=counts.unchanged,
            revised=counts.revised,
            without_slot=counts.without_slot,
            **details,
        )
    return counts


def examine_file(
    campaign: Campaign, data: bytes, file: str, options: ImportOptions
) -> ImportPreview:
    report = FaultReport(file)
    text = read_bytes(data, max_bytes=settings.POOLBENCH_MAX_UPLOAD_BYTES, file=file)
    reading = read_judgments(text, report=report, file_format=options.file_format)
    accounts = assessors_by_username(campaign, options)
    people = map_file_names(reading, accounts, options)
    topics = dict(campaign.topics.values_list("number", "pk"))
    known = CampaignLookup(
        scale=tuple(campaign.grades.order_by("value").values_list("value", "label")),
        topics=topics,
        people=people,
        missing=list_missing_docnos(campaign, set(reading.docnos)),
        reasons=tuple(SKIP_REASONS),
        flags=tuple(FLAGS),
    )
    choices = ImportChoices(
        assessor=find_default_assessor(options, accounts, file),
        automatic=options.automatic is not None,
        labels=options.labels,
        duplicates=options.duplicates,
    )
    resolution = resolve_import(reading.entries, known, choices, report)
    rows = {
        accounts[name]: ImportRows(resolution.ballots, places, topics)
        for name, places in group_ballots(resolution.ballots)
    }
    return ImportPreview(reading, resolution, report, rows, store.sha256(data))


def assessors_by_username(campaign: Campaign, options: ImportOptions) -> dict[str, User]:
    """By username, the possible assessors: those of the campaign, or the automatic one."""
    if options.automatic is not None:
        return {options.automatic.user.username: options.automatic.user}
    members = campaign.members.filter(role=Role.ASSESSOR).select_related("user")
    return {member.user.username: member.user for member in members}


def find_default_assessor(options: ImportOptions, accounts: Mapping[str, User], file: str) -> str:
    """The username for all judgments of the file; empty if the file has assessors."""
    if options.automatic is not None:
        return options.automatic.user.username
    if options.assessor is not None:
        return options.assessor.username
    return assessor_from_file_name(file, accounts) if options.by_file else ""


def assessor_from_file_name(file: str, accounts: Mapping[str, User]) -> str:
    """The assessor whose name begins ``file``: ``ann.jsonl``, ``ann-qrels.txt.gz``."""
    stem = PurePath(PurePath(file).name.removesuffix(".gz")).stem
    fitting = [
        name
        for name in accounts
        if stem == name or stem.startswith(tuple(name + link for link in LINKS))
    ]
    if not fitting:
        raise ActionRefused(
            "no-such-assessor",
            f"No assessor matches the file name {file}.",
            "Rename the file, or choose the assessor.",
        )
    return max(fitting, key=len)


def map_file_names(
    reading: JudgmentFile, accounts: Mapping[str, User], options: ImportOptions
) -> dict[str, str]:
    """By name in the file, the username: as chosen, or matched by username or email address."""
    usernames: dict[str, str] = {}
    folded: dict[str, set[str]] = defaultdict(set)
    for user in accounts.values():
        for name in (user.username, user.email):
            if name:
                folded[name.casefold()].add(user.username)
    for name in reading.assessors:
        fitting = folded.get(name.casefold(), set())
        chosen = options.people.get(name, "")
        if chosen in accounts:
            usernames[name] = chosen
        elif name in accounts:
            usernames[name] = name
        elif len(fitting) == 1:
            usernames[name] = next(iter(fitting))
    return usernames


def import_log_entry(
    preview: ImportPreview, file: str, options: ImportOptions
) -> dict[str, object]:
    """Data of the event: the file and how it was resolved."""
    resolution = preview.resolution
    return {
        "file": file,
        "sha256": preview.sha256,
        "format": preview.reading.format,
        "labels": {label.label: label.value for label in resolution.labels[:MAX_LISTED]},
        "people": {name or "(no name)": who for name, _, who in resolution.people[:MAX_LISTED]},
        "duplicates": options.duplicates,
        "duplicate_labels": [
            asdict(duplicates) for duplicates in resolution.duplicates[:MAX_LISTED]
        ],
        "unlabeled": resolution.unlabeled,
        "warnings": dict(sorted(preview.report.counts.items())),
    } | ({"automatic": options.automatic.name} if options.automatic else {})


def check_options(campaign: Campaign, options: ImportOptions) -> None:
    if options.automatic is not None:
        check_takes_judgments(options.automatic)
    if options.duplicates not in RULES:
        message = f"Unknown rule for duplicates: {options.duplicates}."
        raise ActionRefused("no-rule", message, f"Choose one of: {', '.join(RULES)}.")
    if options.assessor is not None:
        require_assessors(campaign, [options.assessor])
    if options.automatic is not None and options.automatic.campaign_id != campaign.pk:
        message = f"Unknown automatic assessor: {options.automatic.name}."
        raise ActionRefused("no-automatic", message)


def check_rows(campaign: Campaign, rows: list[Graded]) -> list[ImportRow]:
    """The rows with topic IDs. Raises ``InvalidFile`` with all faults; rows count from 1."""
    report = FaultReport()
    topics: dict[str, Topic] = {topic.number: topic for topic in campaign.topics.all()}
    scale = set(campaign.grades.values_list("value", flat=True))
    first: dict[tuple[str, str], int] = {}
    for line, (number, docno, grade) in enumerate(rows, start=1):
        excerpt = f"{number} {docno} {grade}"
        if number not in topics:
            fix = "Import the topic first, or remove these rows."
            report.add("EJ01", f"Unknown topic: {number}.", fix, line=line, excerpt=excerpt)
        if grade not in scale:
            fix = f"Use a grade of the scale: {', '.join(map(str, sorted(scale)))}."
            message = f"Grade {grade} is not on the grade scale."
            report.add("EJ02", message, fix, line=line, excerpt=excerpt)
        seen = first.setdefault((number, docno), line)
        if seen != line:
            message = f"Duplicate pair: also in row {seen}."
            fix = "Keep one row per topic and document."
            report.add("EJ03", message, fix, line=line, excerpt=excerpt)
    report.raise_errors()
    return [ImportRow(topics[n].pk, docno, Judgment.Kind.GRADE, grade) for n, docno, grade in rows]
