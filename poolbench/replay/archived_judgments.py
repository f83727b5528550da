"""The judgment log of an archive: its state at a row and a moment, as ballots for a policy."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from poolbench.judging.pair_ballots import (
    PairBallots,
    add_propagated,
    build_ballot_kind,
    collect_pair_ballots,
)
from poolbench.judging.policies import PairBallot
from poolbench.replay.archive_folder import iter_rows

Row = dict[str, Any]
READ = (
    *("id", "topic", "docno", "assessor", "purpose", "kind", "grade", "slot", "lease", "unit"),
    *("third", "judged_at", "duplicate_of"),
)
"""What of a judgment is kept in memory: a log can be long."""
Pair = tuple[str, str]


@dataclass
class ArchivedJudgments:
    folder: Path

    @cached_property
    def log(self) -> list[Row]:
        rows = iter_rows(self.folder, "judgments")
        return [{key: row[key] for key in READ if key in row} for row in rows]

    @cached_property
    def units(self) -> list[Row]:
        return list(iter_rows(self.folder, "work_units"))

    @cached_property
    def exclusions(self) -> list[Row]:
        return list(iter_rows(self.folder, "exclusions"))

    @cached_property
    def automatic(self) -> dict[str, str]:
        """The names of automatic assessors by their pseudonyms."""
        rows = iter_rows(self.folder, "automatic_assessors")
        return {row["user"]: row["name"] for row in rows}

    def list_machine_judgments(
        self, name: str, number: int
    ) -> list[tuple[str, str, int, list[float] | None]]:
        """Topic, docno, grade and chances: the latest of each pair after the first ``number`` rows
        of an automatic assessor.
        """
        rows = iter_rows(self.folder, "judgments")
        own = (
            row
            for row in rows
            if row["purpose"] == "automatic" and self.automatic.get(row["assessor"]) == name
        )
        latest = {(row["topic"], row["docno"]): row for row in islice(own, number)}
        return [
            (*pair, row["grade"], row.get("chances"))
            for pair, row in sorted(latest.items())
            if row["kind"] == "grade"
        ]

    def load_ballots(self, as_of: str, last: int, withheld: Collection[str]) -> PairBallots:
        """The ballots of each pair up to the moment ``as_of`` and row ``last``, without the topics
        ``withheld``.
        """
        counting = list(self.iter_counting(as_of, last))
        cast: dict[Pair, list[tuple[str, int, bool, bool]]] = defaultdict(list)
        for row in select_current(counting, "judge"):
            vote = row["assessor"], row["grade"], row.get("slot") is not None, row["third"]
            cast[row["topic"], row["docno"]].append(vote)
        decisions = select_adjudications(select_current(counting, "adjudicate"))
        automatic: dict[Pair, dict[str, int]] = defaultdict(dict)
        for row in select_current(counting, "automatic"):
            automatic[row["topic"], row["docno"]][self.automatic[row["assessor"]]] = row["grade"]
        pairs = {*cast, *decisions, *automatic}
        ballots = (
            build_ballot(pair, cast.get(pair, []), decisions.get(pair), automatic.get(pair, {}))
            for pair in pairs
            if pair[0] not in withheld
        )
        originals = {
            (row["topic"], row["docno"]): row["duplicate_of"]
            for row in select_current(counting, "propagated")
            if row["topic"] not in withheld
        }
        return add_propagated(collect_pair_ballots(ballots), originals)

    def iter_counting(self, as_of: str, last: int) -> Iterator[Row]:
        moment, aside = read_log_moment(as_of), self.list_units_set_aside(as_of)
        for row in self.log:
            late = row["id"] > last or read_log_moment(row["judged_at"]) > moment
            if not late and row.get("unit") not in aside:
                yield row

    def list_units_set_aside(self, as_of: str) -> frozenset[int]:
        """The units that did not count then, and trials."""
        moment = read_log_moment(as_of)
        known = [row for row in self.exclusions if read_log_moment(row["set_at"]) <= moment]
        undone = {row["undoes"] for row in known if row.get("undoes")}
        active = [row for row in known if row["id"] not in undone and not row.get("undoes")]
        units = {row["unit"] for row in active if row.get("unit")}
        workers = {row["worker"] for row in active if not row.get("unit")}
        return frozenset(
            row["id"]
            for row in self.units
            if row["trial"] or row["id"] in units or row["worker"] in workers
        )


def read_log_moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def select_current(rows: Iterable[Row], purpose: str) -> list[Row]:
    """The last revision of each pair, assessor by assessor, where it is a grade; by row."""
    latest: dict[tuple[str, str, str], Row] = {}
    for row in rows:
        if row["purpose"] == purpose:
            latest[row["topic"], row["docno"], row["assessor"]] = row
    current = [row for row in latest.values() if row["kind"] == "grade"]
    return sorted(current, key=lambda row: int(row["id"]))


def select_adjudications(current: Iterable[Row]) -> dict[Pair, int]:
    """By pair, the grade of the adjudication that counts: the latest; one submitted after its
    lease passed to another adjudicator counts only without others.
    """
    decisions: dict[Pair, Row] = {}
    for row in current:
        pair = row["topic"], row["docno"]
        if pair not in decisions or not is_after_lease(row) or is_after_lease(decisions[pair]):
            decisions[pair] = row
    return {pair: row["grade"] for pair, row in decisions.items()}


def is_after_lease(row: Row) -> bool:
    return row.get("slot") is None and row.get("lease") is not None


def build_ballot(
    pair: Pair,
    votes: list[tuple[str, int, bool, bool]],
    adjudicated: int | None,
    automatic: Mapping[str, int],
) -> PairBallot:
    base = build_ballot_kind(votes)
    return PairBallot(
        *pair,
        people=base.people,
        extra=base.extra,
        adjudicated=adjudicated,
        automatic=automatic,
        third=base.third,
    )
