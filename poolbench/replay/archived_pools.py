"""Pools of an archive, built again from their specs, runs and logs."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from math import isclose
from pathlib import Path
from typing import Any

from poolbench.pooling.candidates import RunListing
from poolbench.pooling.document_texts import document_text, hash_topic_texts
from poolbench.pooling.methods.influence import InfluencePlan, plan_sample
from poolbench.pooling.pool_builder import build_pool_table, start_sessions
from poolbench.pooling.run_listing import attach_machine_grades, build_listing, hash_machine_grades
from poolbench.pooling.session import LogMismatch, PoolSession, SessionEvent, replay_events
from poolbench.pooling.spec import hash_inputs
from poolbench.pooling.spec_file import build_frozen_spec
from poolbench.pooling.tables import PoolTable
from poolbench.replay.archive_folder import TABLES, iter_rows
from poolbench.replay.archived_judgments import select_current
from poolbench.replay.archived_runs import ArchivedRuns
from poolbench.replay.differences import Difference
from poolbench.runs.hash_order import hash_order
from poolbench.runs.qrels import qrels_from_rows
from poolbench.runs.tables import QrelsTable
from poolbench.texts.documents import DocumentText

ITEMS, EVENTS = f"{TABLES}/pool_items.jsonl", f"{TABLES}/pool_events.jsonl"
COLUMNS = ("min_rank", "contributors", "position", "priority", "stratum", "probability")
Pair = tuple[str, str]


class MissingTextsError(LookupError):
    """A pool that needs texts, of an archive without them."""


@dataclass
class ArchivedPools:
    folder: Path
    runs: ArchivedRuns
    notes: list[str] = field(default_factory=list)

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        return list(iter_rows(self.folder, "pools"))

    @cached_property
    def items(self) -> dict[int, dict[Pair, dict[str, Any]]]:
        """By pool and pair: what the archive says of each document."""
        items: dict[int, dict[Pair, dict[str, Any]]] = defaultdict(dict)
        for row in iter_rows(self.folder, "pool_items"):
            items[row["pool"]][row["topic"], row["docno"]] = row
        return items

    @cached_property
    def budgets(self) -> dict[int, dict[str, int]]:
        """By adaptive pool and topic."""
        budgets: dict[int, dict[str, int]] = defaultdict(dict)
        for row in iter_rows(self.folder, "pool_topics"):
            budgets[row["pool"]][row["topic"]] = row["budget"]
        return budgets

    @cached_property
    def events(self) -> dict[tuple[int, str], list[dict[str, Any]]]:
        """The log of each adaptive pool and topic."""
        events: dict[tuple[int, str], list[dict[str, Any]]] = defaultdict(list)
        for row in iter_rows(self.folder, "pool_events"):
            events[row["pool"], row["topic"]].append(row)
        return {key: sorted(log, key=lambda row: row["number"]) for key, log in events.items()}

    @cached_property
    def documents(self) -> dict[str, dict[str, Any]]:
        rows = iter_rows(self.folder, "documents")
        return {row["docno"]: row for row in rows if row["format"] in ("text", "html")}

    @cached_property
    def queries(self) -> dict[str, str]:
        rows = iter_rows(self.folder, "topics")
        return {
            row["number"]: f"{row['title']}\n{row.get('description', '')}".strip() for row in rows
        }

    def iter_differences(self) -> Iterator[Difference]:
        for row in self.rows:
            name = f"pool {row['version']}"
            if (digest := hash_inputs(row["spec"])) != row["inputs_hash"]:
                file = f"{TABLES}/pools.jsonl"
                yield Difference(file, f"hash of {name}", row["inputs_hash"], digest)
            try:
                yield from self.compare_pool(row, name)
            except (MissingTextsError, ImportError) as error:
                self.notes.append(f"{name} was not built again: {error}")
            except LogMismatch as error:
                yield Difference(EVENTS, f"log of {name}", "complete", str(error))

    def compare_pool(self, row: dict[str, Any], name: str) -> Iterator[Difference]:
        sessions, static = self.build_sessions(row)
        computed = list_archive_items(row["spec"], build_pool_table(sessions), static)
        archived = self.items[row["id"]]
        for pair in sorted(archived.keys() | computed.keys()):
            before, after = archived.get(pair), computed.get(pair)
            if before is None or after is None:
                states = [None if each is None else "in the pool" for each in (before, after)]
                yield Difference(ITEMS, name, states[0], states[1], *pair)
                continue
            for column in COLUMNS:
                if is_other(before.get(column), after[column]):
                    values = before.get(column), after[column]
                    yield Difference(ITEMS, f"{column} in {name}", *values, *pair)

    def build_sessions(self, row: dict[str, Any]) -> tuple[Sequence[PoolSession], dict[str, int]]:
        """A session per topic after its whole log, and how many of its documents need no
        judgment: these are shuffled.
        """
        spec, inputs = build_frozen_spec(row["spec"]), row["spec"]
        listing = self.load_listing(row)
        if spec.reader:
            listing = self.attach_texts(listing, inputs["texts"])
        if not inputs.get("adaptive"):
            return start_sessions(listing, spec.steps, spec.budget), {}
        sessions, static = [], {}
        budgets = self.budgets[row["id"]]
        for candidates in listing:
            if candidates.topic in budgets:
                session = PoolSession(candidates, spec.steps, budgets[candidates.topic])
                session.select_static()
                static[candidates.topic] = len(session.selected)
                sessions.append(self.replay_log(row["id"], session))
        return sessions, static

    def list_grades(self, machine: dict[str, Any]) -> QrelsTable:
        """The grades of an automatic assessor when a pool was drawn with them."""
        names = {row["user"]: row["name"] for row in iter_rows(self.folder, "automatic_assessors")}
        own = (
            row
            for row in iter_rows(self.folder, "judgments")
            if row["purpose"] == "automatic" and names.get(row["assessor"]) == machine["name"]
        )
        current = select_current(islice(own, machine["rows"]), "automatic")
        return qrels_from_rows((row["topic"], row["docno"], row["grade"]) for row in current)

    def load_listing(self, row: dict[str, Any]) -> RunListing:
        """The listing of a pool's runs, with the grades of the machine that it was drawn with."""
        inputs = row["spec"]
        tables = [self.runs.load_left(number, inputs) for number in row["runs"]]
        cutoff = build_frozen_spec(inputs).cutoff
        listing = build_listing(tables, cutoff, inputs["seed"], set(inputs["topics"]))
        if machine := inputs.get("machine"):
            listing = attach_machine_grades(listing, self.list_grades(machine))
            if hash_machine_grades(listing) != machine["sha256"]:
                raise LogMismatch(f"the grades of {machine['name']} are not those of the pool")
        return listing

    def plan_sample(self, version: int) -> InfluencePlan:
        """Of a pool by influence: its frame, and the order in which pairs are drawn."""
        row = next(row for row in self.rows if row["version"] == version)
        (step,) = build_frozen_spec(row["spec"]).steps
        return plan_sample(self.load_listing(row), step.values)

    def replay_log(self, pool: int, session: PoolSession) -> PoolSession:
        topic = session.candidates.topic
        rows = {docno: at for at, docno in enumerate(session.candidates.docnos)}
        log = self.events.get((pool, topic), [])
        events = [SessionEvent(rows.get(e["docno"], -1), e.get("relevant")) for e in log]
        try:
            return replay_events(session, events)
        except ValueError as error:
            raise LogMismatch(f"topic {topic}: {error}") from error

    def attach_texts(self, listing: RunListing, hashes: dict[str, str]) -> RunListing:
        if not self.documents:
            raise MissingTextsError("it needs texts, which the archive does not have")
        for each in listing:
            own = ((d, self.documents[d]["sha256"] if d in self.documents else "")
                   for d in each.docnos)  # fmt: skip
            if hash_topic_texts(self.queries[each.topic], own) != hashes[each.topic]:
                raise LogMismatch(f"topic {each.topic}: its texts are not those of the pool")

        def read(docnos: Sequence[str]) -> list[str]:
            return [document_text(self.get_document(docno)) for docno in docnos]

        return replace(listing, read=read, queries=self.queries)

    def get_document(self, docno: str) -> DocumentText:
        row = self.documents[docno]
        title, body = row.get("title", ""), row.get("body", "")
        return DocumentText(docno, title, body, format=row["format"])


def list_archive_items(
    spec: dict[str, Any], table: PoolTable, static: dict[str, int]
) -> dict[Pair, dict[str, Any]]:
    """The documents of ``table`` as the rows of an archive."""
    items = {}
    for at, topic in enumerate(table.topics):
        rows = list(range(table.rows(at).start, table.rows(at).stop))
        docnos = dict(zip(rows, table.docnos[table.rows(at)], strict=True))
        limit = static.get(topic, len(rows))
        first = [row for row in rows if table.priority[row] <= limit]
        keys = {row: (hash_order(spec["seed"], topic, docnos[row]), row) for row in first}
        places = {row: place for place, row in enumerate(sorted(first, key=keys.__getitem__), 1)}
        for row in rows:
            priority = int(table.priority[row])
            run_places = table.contributors[table.bounds[row] : table.bounds[row + 1]]
            items[topic, docnos[row]] = {
                "min_rank": int(table.min_rank[row]),
                "contributors": run_places.tolist(),
                "position": places.get(row, priority),
                "priority": priority,
                "stratum": int(table.stratum[row]),
                "probability": float(table.probability[row]),
            }
    return items


def is_other(before: object, after: object) -> bool:
    """Whether two values differ; a place in the order of selection may not be stored."""
    if before is None:
        return False
    if isinstance(before, float) and isinstance(after, float):
        return not isclose(before, after, rel_tol=1e-9)
    return before != after
