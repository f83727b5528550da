"""Make a campaign from an archive: the same rows, the same hashes of pools, qrels and scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, NoReturn
from uuid import UUID, uuid4

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Field, ForeignKey, Model

from campaigns import store
from campaigns.errors import ActionRefused
from campaigns.models import Campaign, Document, Member, Role, Run, Topic, Translation, User
from campaigns.rules import require_permission
from campaigns.services import events, matrices
from campaigns.services.run_files import pack_run_file
from crowd.models import Bonus, CrowdWorker, WorkUnit
from evaluation.models import ScoreSet
from evaluation.queries.kinds import decide_kind
from judging.models import Judgment, Qrels
from poolbench.files.faults import FaultReport, InvalidFile
from poolbench.files.streams import read_bytes
from poolbench.files.yaml_files import YamlFile
from poolbench.replay.archive_folder import FORM, iter_rows
from poolbench.replay.archive_folder import TABLES as FOLDER
from poolbench.replay.manifest import MANIFEST
from poolbench.replay.verification import verify_archive_folder
from poolbench.runs.runs import read_run
from pooling.models import Pool
from replay.archive.documents import find_document_fault, find_translation_fault
from replay.archive.pseudonyms import AUTOMATIC, PSEUDONYM, is_pseudonym
from replay.archive.rows import Row, get_field, pack_numbers
from replay.archive.tables import CAMPAIGN_FIELDS, PACKED, TABLES, ArchiveTable

BATCH = 1_000
Progress = Callable[[str], object]


def load_archive(
    *,
    actor: User,
    folder: Path,
    slug: str = "",
    verified: bool = True,
    progress: Progress = lambda _: None,
) -> Campaign:
    """The campaign of the unpacked archive ``folder``, with ``actor`` as its organizer; under
    another ``slug`` if one is given.

    ``verified``: only if pools, qrels and scores come out as archived. Raises ``InvalidFile`` for
    what is wrong in a file, ``ActionRefused`` for what this installation has already.
    """
    require_permission(actor, "campaigns.create")
    if verified:
        require_verified(folder, progress)
    settings = read_settings(folder)
    slug = slug or str(settings.get("slug"))
    if Campaign.objects.filter(slug=slug).exists():
        raise ActionRefused("taken", f"Campaign {slug} already exists.", "Choose a different slug.")
    with transaction.atomic():
        campaign = create_archived_campaign(actor, slug, settings, folder)
        loader = CampaignLoader(actor, folder, campaign)
        for table in TABLES:
            progress(table.name)
            loader.load_table(table)
        events.log_event(campaign, actor, "campaign.loaded", campaign.title)
    return campaign


def require_verified(folder: Path, progress: Progress) -> None:
    result = verify_archive_folder(folder, progress)
    report = FaultReport(folder.name)
    for line in result.list_lines():
        report.add("EA06", line, "Get the archive again.")
    report.raise_errors()


def read_settings(folder: Path) -> Mapping[str, Any]:
    """``campaign.yaml`` of an archive."""
    report = FaultReport(MANIFEST)
    file = YamlFile(report, ("EM01", "EM02", "EM03"), "Get the archive again.", "manifest")
    file.parse((folder / MANIFEST).read_bytes())
    if file.data.get("archive") != FORM:
        message = f"This archive has the form {file.data.get('archive')}; {FORM} is known here."
        report.add("EA01", message, "Load it with another version of Poolbench.")
    report.raise_errors()
    return file.data


def create_archived_campaign(
    actor: User, slug: str, settings: Mapping[str, Any], folder: Path
) -> Campaign:
    """The campaign alone, with ``actor`` as organizer."""
    # Archives made before there was a setting do not have it.
    row = {name: settings[name] for name in CAMPAIGN_FIELDS if name in settings}
    campaign = Campaign(slug=slug, created_by=actor)
    for name, value in row.items():
        column = get_field(Campaign, name)
        setattr(campaign, column.attname, decode_value(column, value))
    check_row(campaign, (), folder / MANIFEST, None)
    campaign.save_base(raw=True, force_insert=True)
    Member.objects.create(campaign=campaign, user=actor, role=Role.ORGANIZER)
    return campaign


@dataclass
class CampaignLoader:
    """Loads table by table. ``keys``: by model, the primary key of each archived row by its name
    in the archive.
    """

    actor: User
    folder: Path
    campaign: Campaign
    keys: dict[type[Model], dict[Any, int]] = field(default_factory=dict)
    people: dict[str, User] = field(default_factory=dict)

    def load_table(self, table: ArchiveTable) -> None:
        keys = self.keys.setdefault(table.model, {})
        file = self.folder / FOLDER / f"{table.name}.jsonl"
        # Bulk creation sets the times of rows that set them themselves to now.
        in_bulk = not any(getattr(each, "auto_now_add", False) for each in iter_fields(table.model))
        rows = iter(iter_rows(self.folder, table.name))
        while batch := list(islice(rows, BATCH)):
            record = [self.build_row(table, row, file) for row in batch]
            try:
                self.save_rows(table.model, record, in_bulk=in_bulk)
            except IntegrityError as error:
                reject_row(file, batch[0]["id"], f"One of {len(batch)} rows from here on: {error}")
            for row, each in zip(batch, record, strict=True):
                keys[row["number"] if table.model is Topic else row["id"]] = each.pk

    def save_rows(self, model: type[Model], rows: list[Model], *, in_bulk: bool) -> None:
        if in_bulk:
            model.objects.bulk_create(rows)  # type: ignore[attr-defined]
            return
        for row in rows:
            row.save_base(raw=True, force_insert=True)

    def build_row(self, table: ArchiveTable, row: Row, file: Path) -> Model:
        """The row of the database; raises ``InvalidFile`` for a value that it cannot have."""
        record = table.model()
        try:
            for name in table.fields:
                column = get_field(table.model, name)
                setattr(record, column.attname, self.decode(column, row.get(name)))
        except (KeyError, TypeError, ValueError, ArithmeticError) as error:
            reject_row(file, row["id"], f"{name}: {error or 'invalid'}")
        for name in table.left_out:
            self.fill_left_out(record, get_field(table.model, name))
        check_row(record, table.left_out, file, row["id"])
        if isinstance(record, Translation) and (fault := find_translation_fault(record)):
            reject_row(file, row["id"], fault)
        self.complete_row(record, row, file)
        return record

    def decode(self, column: Field[Any, Any], value: Any) -> Any:
        if value is None or not isinstance(column, ForeignKey):
            return decode_value(column, value)
        if column.related_model is User:
            return self.get_person(value).pk
        return self.keys[column.related_model][value]

    def fill_left_out(self, record: Model, column: Any) -> None:
        """The campaign; for organizers, the user who loads it."""
        if column.name == "campaign":
            record.campaign_id = self.campaign.pk  # type: ignore[attr-defined]
        elif isinstance(column, ForeignKey) and column.related_model is User and not column.null:
            setattr(record, column.attname, self.actor.pk)

    def complete_row(self, record: Any, row: Row, file: Path) -> None:
        """What an archive has beside its tables, or does not have at all."""
        if isinstance(record, Document):
            data = self.read_file(row, file) if "file" in row else None
            if fault := find_document_fault(record, data):
                reject_row(file, row["id"], fault)
            record.file = store.put_blob(data, synced=False) if data else ""
        elif isinstance(record, Run):
            self.complete_run(record, row, file)
        elif isinstance(record, Pool):
            runs = zip(record.spec["runs"], row["runs"], strict=True)
            listed = [
                run | {"id": self.keys[Run][number], "archived_id": run["id"]}
                for run, number in runs
            ]
            record.spec = record.spec | {"runs": listed}
        elif isinstance(record, Qrels):
            record.path = store.put_blob(self.read_file(row, file), ".qrels")
            record.manifest = self.complete_manifest(record.manifest)
        elif isinstance(record, ScoreSet):
            record.released_by = self.actor if record.released_at else None
            if "kind" not in row:  # of an older archive, which has no estimates
                record.kind = decide_kind(record.qrels, record.task)
        elif isinstance(record, CrowdWorker | WorkUnit):
            # No ID of a provider, but one for each, as tables require.
            record.external_hash = store.sha256(
                f"archive {self.campaign.slug} {row['id']}".encode()
            )
        elif isinstance(record, Bonus):
            record.client_uuid = uuid4()

    def complete_run(self, run: Run, row: Row, file: Path) -> None:
        data = self.read_file(row, file)
        table = read_run(read_bytes(data), file=row["file"])
        run.file, run.size = pack_run_file(data), len(data)
        run.matrix = matrices.store_run_matrix(self.campaign, table)

    def complete_manifest(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """Rows of the log by their keys here, and the files of aggregated labels in the store."""
        judgments = self.keys[Judgment]
        record = manifest | {"last_judgment": judgments.get(manifest["last_judgment"], 0)}
        if (automatic := manifest.get("automatic")) and automatic.get("last_judgment"):
            last = judgments[automatic["last_judgment"]]
            record["automatic"] = automatic | {"last_judgment": last}
        if aggregation := manifest.get("aggregation"):
            stored = {
                key: store.put_blob(self.read_named(name), ".csv")
                for key, name in aggregation.items()
                if key.endswith("_file")
            }
            record["aggregation"] = aggregation | stored
        return record

    def read_file(self, row: Row, file: Path) -> bytes:
        try:
            return self.read_named(row["file"])
        except (KeyError, TypeError, OSError, ValueError):
            reject_row(file, row["id"], "Its file is missing.")

    def read_named(self, name: str) -> bytes:
        """A file of the archive, and no other."""
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or (self.folder / path).is_symlink():
            raise ValueError(name)
        return (self.folder / path).read_bytes()

    def get_person(self, name: str) -> User:
        """The account of a pseudonym, made when it is first named; no user can sign in to it."""
        if name not in self.people:
            username = f"{self.campaign.slug}.{name.removeprefix(AUTOMATIC)}"
            is_automatic = name.startswith(AUTOMATIC)
            if not is_automatic and not PSEUDONYM.fullmatch(name):
                raise ValueError(f"{name} is no pseudonym")
            self.people[name] = create_person(username if is_automatic else name, is_automatic)
        return self.people[name]


def create_person(username: str, is_new: bool) -> User:
    """An account that stands for a person; ``is_new``: it must not exist yet."""
    known = User.objects.filter(username=username).first()
    if known is not None:
        if not is_new and is_pseudonym(known) and not hasattr(known, "crowd_worker"):
            return known
        message = f"The account {username} exists already: was this archive loaded before?"
        raise ActionRefused("taken", message, "Load it in another installation.")
    user = User(username=username, is_active=False)
    user.set_unusable_password()
    user.save()
    return user


def iter_fields(model: type[Model]) -> Iterator[Field[Any, Any]]:
    return iter(model._meta.concrete_fields)  # noqa: SLF001 (public)


def decode_value(column: Field[Any, Any], value: Any) -> Any:
    """A value of an archive as that of a field; the default where an older archive has none."""
    if value is None:
        if column.has_default() and not column.null:
            return column.get_default()
        return None if column.null or not column.empty_strings_allowed else ""
    if column.name in PACKED:
        return pack_numbers(value, PACKED[column.name])
    if column.get_internal_type() == "UUIDField":
        return UUID(value)
    return column.to_python(value)


def check_row(record: Model, left_out: tuple[str, ...], file: Path, line: int | None) -> None:
    """Raise ``InvalidFile`` for a value that its field cannot have."""
    excluded = {"id", *left_out}
    for each in iter_fields(type(record)):
        # Forms ask for some values that rows of programs do not have.
        value = getattr(record, each.attname)
        is_empty = each.null if value is None else value in each.empty_values
        if isinstance(each, ForeignKey) or is_empty:
            excluded.add(each.name)
    try:
        record.clean_fields(exclude=excluded)
    except ValidationError as error:
        reject_row(file, line, "; ".join(error.messages))


def reject_row(file: Path, line: int | None, message: str) -> NoReturn:
    report = FaultReport(file.name)
    report.add("EA05", message, "Get the archive again.", line=line)
    raise InvalidFile(report)
