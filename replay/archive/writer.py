"""Write a campaign to one zip, the same bytes for the same state of the campaign."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from django.db import connection

from campaigns import store
from campaigns.models import Campaign, Document, Run, Translation, User
from campaigns.services.run_files import read_original_file
from judging.models import Assignment, Judgment, Qrels, Slot
from judging.queries.judgments import load_pair_ballots
from judging.services.manifests import read_gold_counts, read_scale
from poolbench.judging.aggregation.formats import write_record_files
from poolbench.judging.policies import decide_pairs, get_policy
from poolbench.replay.archive_folder import SUMS
from poolbench.replay.archive_folder import TABLES as FOLDER
from poolbench.replay.manifest import MANIFEST
from poolbench.reports.archive import ArchiveFiles
from preferences.models import ComparisonSlot, Preference
from replay.archive.pseudonyms import Pseudonyms, choose_pseudonyms
from replay.archive.rows import Row, RowWriter, get_field, sort_keys, write_line
from replay.archive.runs import name_run_file
from replay.archive.tables import CAMPAIGN_FIELDS, JUDGES, TABLES, ArchiveTable
from replay.archive.texts import write_archive_readme, write_citation, write_settings

BEGIN = {
    "postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    "sqlite": "BEGIN DEFERRED",
}
Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class ArchiveOptions:
    """``documents``: with their texts and files, or only their IDs."""

    documents: bool = True
    comments: bool = False

    def list_hidden(self, table: ArchiveTable) -> tuple[str, ...]:
        """The fields of ``table`` that are left empty: passages are parts of documents."""
        comments = () if self.comments else table.comments
        return comments if self.documents else comments + table.excerpts


def write_archive(
    campaign: Campaign,
    file: Path,
    options: ArchiveOptions = ArchiveOptions(),
    progress: Progress = lambda _done, _total: None,
) -> None:
    """Write the archive of ``campaign`` to ``file``. ``progress(done, total)`` counts tables.

    What comes in during the writing is not in it, on PostgreSQL as in SQLite.
    """
    with read_one_state(), ZipFile(file, "w", ZIP_DEFLATED) as archive:
        campaign.refresh_from_db()
        CampaignWriter(campaign, ArchiveFiles(archive, campaign.slug), options, progress).write()


@contextmanager
def read_one_state() -> Iterator[None]:
    """All reads of the block see the database as it is now, and hinder no writer."""
    if connection.in_atomic_block:
        yield
        return
    # Not ``atomic``, which would keep all other writers of SQLite waiting.
    with connection.cursor() as cursor:
        cursor.execute(BEGIN.get(connection.vendor, "BEGIN"))
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")


class CampaignWriter:
    """Writes one archive."""

    def __init__(
        self, campaign: Campaign, files: ArchiveFiles, options: ArchiveOptions, progress: Progress
    ) -> None:
        self.campaign, self.files, self.options = campaign, files, options
        self.progress = progress
        self.pseudonyms = choose_pseudonyms(campaign, list_judging_people(campaign))
        self.rows = RowWriter(campaign, self.pseudonyms, options.list_hidden)

    def write(self) -> None:
        contents = {"documents": self.options.documents, "comments": self.options.comments}
        fields = {
            name: self.rows.encode(get_field(Campaign, name), getattr(self.campaign, name))
            for name in CAMPAIGN_FIELDS
        }
        self.files.add("README.md", write_archive_readme(self.campaign, **contents))
        self.files.add("CITATION.cff", write_citation(self.campaign))
        self.files.add(MANIFEST, write_settings(self.campaign, fields, **contents))
        for done, table in enumerate(TABLES):
            self.progress(done, len(TABLES))
            self.write_table(table)
        self.files.add_sums(SUMS)

    def write_table(self, table: ArchiveTable) -> None:
        if table.model is Document and not self.options.documents:
            docnos = self.rows.select_rows(table).values_list("docno", flat=True).iterator()
            self.files.add("docnos.txt", (f"{docno}\n".encode() for docno in docnos))
            return
        if table.model is Translation and not self.options.documents:
            return
        # Files beside a table follow it: a zip takes one file after the other.
        beside: list[tuple[str, Callable[[], bytes]]] = []
        add_files = {Document: self.add_document, Run: self.add_run, Qrels: self.add_qrels}
        complete = add_files.get(table.model)
        keys = self.list_keys(table) if complete else iter(())

        def lines() -> Iterator[bytes]:
            for row in self.rows.iter_rows(table):
                if complete is not None:
                    beside.extend(complete(row, next(keys)))
                elif table.name == "pools":
                    self.complete_pool(row)
                yield write_line(row)

        self.files.add(f"{FOLDER}/{table.name}.jsonl", lines())
        for name, read in beside:
            if name not in self.files.sums:
                self.files.add(name, read())

    def list_keys(self, table: ArchiveTable) -> Iterator[int]:
        return iter(list(self.rows.select_rows(table).values_list("pk", flat=True)))

    def add_document(self, row: Row, pk: int) -> list[tuple[str, Callable[[], bytes]]]:
        if row["format"] not in (Document.Format.PDF, Document.Format.IMAGE):
            return []
        stored = Document.objects.values_list("file", flat=True).get(pk=pk)
        row["file"] = f"documents/{PurePosixPath(stored).name}"
        return [(row["file"], lambda: store.get_blob(stored))]

    def add_run(self, row: Row, pk: int) -> list[tuple[str, Callable[[], bytes]]]:
        run = Run.objects.get(pk=pk)
        data = read_original_file(run)
        row["file"] = name_run_file(row["id"], run, data)
        return [(row["file"], lambda: read_original_file(run))]

    def add_qrels(self, row: Row, pk: int) -> list[tuple[str, Callable[[], bytes]]]:
        version = Qrels.objects.get(pk=pk)
        row["file"] = f"qrels/qrels-{version.version}.txt"
        row["policy"] = self.pseudonyms.rename_policy(version.policy)
        manifest = self.pseudonyms.rename_manifest(version.manifest)
        judgments = self.rows.numbers[Judgment]
        manifest["last_judgment"] = count_up_to(judgments, version.manifest["last_judgment"])
        if automatic := manifest.get("automatic"):
            last = automatic.get("last_judgment")
            automatic["last_judgment"] = last and count_up_to(judgments, last)
        files = [(row["file"], lambda: store.get_blob(version.path))]
        if aggregation := manifest.get("aggregation"):
            for key, text in aggregate_again(version, self.pseudonyms).items():
                ending = key.removesuffix("_file")
                aggregation[key] = f"qrels/qrels-{version.version}-{ending}.csv"
                files.append((aggregation[key], lambda text=text: text))  # type: ignore[misc]
        row["manifest"] = sort_keys(manifest)
        return files

    def complete_pool(self, row: Row) -> None:
        """Name the rows of the runs; in the spec are the IDs that its hash was made of."""
        runs, numbers = row["spec"]["runs"], self.rows.numbers[Run]
        row["runs"] = [numbers[run["id"]] for run in runs]
        listed = [
            {key: each for key, each in run.items() if key != "archived_id"}
            | {"id": run.get("archived_id", run["id"])}
            for run in runs
        ]
        row["spec"] = sort_keys(row["spec"] | {"runs": listed})


def list_judging_people(campaign: Campaign) -> list[User]:
    """Everybody who judged, judges or could judge."""
    slots = Slot.objects.filter(plan__campaign=campaign)
    compared = ComparisonSlot.objects.filter(comparison__plan__campaign=campaign)
    people: set[int | None] = set()
    for rows, name in (
        (Judgment.objects.filter(campaign=campaign), "assessor"),
        (Preference.objects.filter(campaign=campaign), "assessor"),
        (Assignment.ever.filter(plan__campaign=campaign), "assessor"),
        (slots, "assessor"),
        (slots, "reserved_for"),
        (compared, "assessor"),
        (compared, "reserved_for"),
        (campaign.members.filter(JUDGES), "user"),
        (campaign.crowd_workers.all(), "user"),
        (campaign.automatic_assessors.all(), "user"),
    ):
        people.update(rows.order_by().values_list(name, flat=True).distinct())
    return list(User.objects.filter(pk__in=[pk for pk in people if pk]).order_by("pk"))


def count_up_to(numbers: dict[int, Any], last: int) -> int:
    """The number of the last row of the log up to the one with the key ``last``."""
    return sum(pk <= last for pk in numbers)


def aggregate_again(version: Qrels, pseudonyms: Pseudonyms) -> dict[str, bytes]:
    """The files of a policy that decides all pairs together, with pseudonyms."""
    manifest = version.manifest
    ballots = load_pair_ballots(version.campaign, version.as_of, manifest["last_judgment"])
    renamed = pseudonyms.rename_ballots(
        ballots.omit_topics(manifest["withheld_topics"]).list_ballots()
    )
    gold = pseudonyms.rename_keys(read_gold_counts(manifest))
    policy = get_policy(pseudonyms.rename_policy(version.policy))
    aggregated = decide_pairs(policy, renamed, gold, read_scale(manifest)).aggregated
    return write_record_files(aggregated) if aggregated else {}
