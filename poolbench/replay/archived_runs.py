"""The runs of an archive: checked against their hashes, as tables."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from poolbench.files.faults import InvalidFile
from poolbench.files.streams import read_bytes
from poolbench.replay.archive_folder import iter_rows
from poolbench.replay.differences import Difference
from poolbench.runs.qrels import read_qrels
from poolbench.runs.residual import remove_judged
from poolbench.runs.run_checks import ranking_hash
from poolbench.runs.runs import read_run
from poolbench.runs.tables import QrelsTable, RunTable


@dataclass
class ArchivedRuns:
    """The runs of the archive in ``folder`` by their number in its table; each is read once."""

    folder: Path
    tables: dict[int, RunTable] = field(default_factory=dict)
    earlier: dict[int, QrelsTable] = field(default_factory=dict)

    @cached_property
    def rows(self) -> dict[int, dict[str, Any]]:
        return {row["id"]: row for row in iter_rows(self.folder, "runs")}

    def load(self, number: int) -> RunTable:
        """The run under the tag that it has in the campaign."""
        if number not in self.tables:
            row = self.rows[number]
            table = read_run(read_bytes(self.folder / row["file"]), file=row["file"])
            self.tables[number] = replace(table, tag=row["tag"])
        return self.tables[number]

    def load_left(self, number: int, inputs: Mapping[str, Any]) -> RunTable:
        """As ``load``; of a round without what the qrels named by ``inputs`` have judged."""
        removed = inputs.get("removed")
        table = self.load(number)
        return remove_judged(table, self.load_qrels(removed["qrels_version"])) if removed else table

    def load_qrels(self, version: int) -> QrelsTable:
        if version not in self.earlier:
            rows = iter_rows(self.folder, "qrels")
            file = next(row["file"] for row in rows if row["version"] == version)
            self.earlier[version] = read_qrels(read_bytes(self.folder / file), file=file)
        return self.earlier[version]

    def iter_differences(self) -> Iterator[Difference]:
        for number, row in self.rows.items():
            file = row["file"]
            digest = hashlib.sha256((self.folder / file).read_bytes()).hexdigest()
            if digest != row["sha256"]:
                yield Difference(file, "SHA-256", row["sha256"], digest)
            try:
                ranking = ranking_hash(self.load(number))
            except InvalidFile as error:
                yield Difference(file, "run", "accepted", str(error.report.faults[0]))
                continue
            if ranking != row["normalised_hash"]:
                yield Difference(file, "hash of the ranking", row["normalised_hash"], ranking)
