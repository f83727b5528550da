"""``poolbench client``: take part in a campaign of an installation, by its REST API."""

import json
import re
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from poolbench.commands.client_data import download_data, save_file
from poolbench.commands.command import CliError, FileCommand, Output
from poolbench.commands.connection import Connection, escape_slug, open_connection
from poolbench.commands.files import format_fault_lines
from poolbench.commands.progress import ProgressBar
from poolbench.files.faults import FaultReport
from poolbench.reports.report import Column, Table, make_columns
from poolbench.reports.text import write_text_table
from poolbench.runs.run_checks import RunRules, check_run_file

Options = Mapping[str, Any]
CHECKING = "received"
POLL_SECONDS = 1.0
CLIENT_HELP = "Submit runs, and read scores, pools, judgments and qrels of an installation."


class ClientAct(NamedTuple):
    """A word after ``poolbench client``: what it does, its arguments, and the function."""

    help: str
    add_arguments: Callable[[ArgumentParser], None]
    run: Callable[[Connection, Options, Output], None]


class ClientCommand(FileCommand):
    help = CLIENT_HELP

    def add_arguments(self, parser: ArgumentParser) -> None:
        acts = parser.add_subparsers(
            dest="act",
            metavar="ACT",
            required=True,
            help="one of the acts below",
            parser_class=ArgumentParser,
        )
        for name, act in ACTS.items():
            own = acts.add_parser(name, help=act.help, description=act.help)
            act.add_arguments(own)
            add = own.add_argument
            add("--url", help="address of the installation (default: POOLBENCH_URL, then the file)")
            add("--token", help="API token (default: POOLBENCH_TOKEN, then the file)")
            add("--format", choices=("table", "json"), default="table", help="default: table")

    def run(self, options: Options, out: Output) -> None:
        ACTS[options["act"]].run(open_connection(options), options, out)


def show_rows(
    out: Output, options: Options, rows: Sequence[Mapping[str, Any]], columns: Sequence[Column]
) -> None:
    """All fields as JSON, or the ``columns`` as a table."""
    if options["format"] == "json":
        out.write(json.dumps(list(rows), ensure_ascii=False, indent=2) + "\n")
        return
    cells = [[row.get(column.name) for column in columns] for row in rows]
    out.write(write_text_table(Table("rows", tuple(columns), cells)))


RUN_COLUMNS = (
    Column("id"), *make_columns("tag", "team", "state", left=True, undefined="–"),
    Column("lines"), Column("submitted_at", head="submitted", left=True),
)  # fmt: skip


# Runs


def add_campaign(parser: ArgumentParser, *, needed: bool = True) -> None:
    parser.add_argument(
        "--campaign", metavar="SLUG", required=needed,
        help="the last part of its address" + ("" if needed else " (default: list campaigns)"),
    )  # fmt: skip


def add_paths(parser: ArgumentParser) -> None:
    parser.add_argument("runs", metavar="RUN", nargs="+", help="run files, plain or gzip")


def add_submission(parser: ArgumentParser) -> None:
    add_paths(parser)
    add_campaign(parser)
    add = parser.add_argument
    add("--team", help="for organizers: the team (default: your own)")
    add("--tag", help="run tag, of one run (default: that in the file)")
    add("--description", help="how the run was made")
    add("--kind", choices=("automatic", "feedback", "manual"), help="run type")
    add("--priority", type=int, help="judging precedence, 1 first")
    add("--replaces", metavar="ID", type=int, help="the run that this one replaces")
    add("--no-wait", action="store_true", help="do not wait for the checks")


FIELDS = ("campaign", "team", "tag", "description", "kind", "priority", "replaces")


def submit_runs(connection: Connection, options: Options, out: Output) -> None:
    """Submit every file; the status is 1 if one is rejected or refused."""
    if len(options["runs"]) > 1 and (options["tag"] or options["replaces"]):
        raise CliError("--tag and --replaces are of one run. Submit the others apart.")
    fields = {name: options[name] for name in FIELDS if options[name] is not None}
    files = [(path, read_file_bytes(path)) for path in options["runs"]]
    bar, rows, refused = ProgressBar(), list[dict[str, Any]](), list[str]()
    for path, data in bar.track(files, "uploading", len(files)):
        # The same file with the same fields is the same submission, also after a lost answer.
        key = sha256(json.dumps(fields, sort_keys=True).encode() + data).hexdigest()
        try:
            rows.append(connection.upload("runs/", Path(path).name, data, fields, key))
        except CliError as error:
            if error.status != 1:
                raise
            refused.append(f"{path}: {error}")
    if not options["no_wait"]:
        rows = complete_checks(connection, rows, bar)
    if rows or not refused:
        show_rows(out, options, rows, RUN_COLUMNS)
    rejected = [row for row in rows if row["state"] == "rejected"]
    for row in rows:
        for line in format_fault_lines(FaultReport.from_dict(row["report"])):
            out.note(f"{row['file_name']}: {line.partition(': ')[2] or line}")
    if refused or rejected:
        count = len(refused) + len(rejected)
        raise CliError("\n".join([*refused, f"{count} of {len(files)} runs not accepted."]))


def complete_checks(
    connection: Connection, rows: Sequence[dict[str, Any]], bar: ProgressBar
) -> list[dict[str, Any]]:
    """The runs once none is being checked."""
    by_id = {row["id"]: row for row in rows}
    while waiting := [pk for pk, row in by_id.items() if row["state"] == CHECKING]:
        bar("checking", len(by_id) - len(waiting), len(by_id))
        time.sleep(POLL_SECONDS)
        for pk in waiting:
            by_id[pk] = connection.get(f"runs/{pk}/")
    bar("checking", len(by_id), len(by_id) or 1)
    return list(by_id.values())


def read_file_bytes(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise CliError(f"{path}: {error.strerror or error}.") from error


def check_runs(connection: Connection, options: Options, out: Output) -> None:
    """Check the files by the rules of the campaign without submitting anything."""
    slug = options["campaign"]
    campaign = connection.get(f"campaigns/{escape_slug(slug)}/")
    topics = list(connection.iter_rows("topics/", campaign=slug))
    used = {row["tag"] for row in connection.iter_rows("runs/", campaign=slug)
            if row["state"] == "accepted"}  # fmt: skip
    docnos = read_file_bytes(options["docnos"]).decode().split() if options["docnos"] else None
    rules = RunRules(
        topics=frozenset(row["number"] for row in topics if not row["withheld"]),
        withheld_topics=frozenset(row["number"] for row in topics if row["withheld"]),
        docnos=frozenset(docnos) if docnos is not None else None,
        used_tags=frozenset(used),
        max_per_topic=campaign["max_docs_per_topic"],
        require_all_topics=campaign["require_all_topics"],
    )
    checked = [check_run_file(read_file_bytes(path), rules, file=path) for path in options["runs"]]
    rows = [
        {
            "file": path, "state": "rejected" if each.report.has_errors else "accepted",
            "errors": sum(n for code, n in each.report.counts.items() if code.startswith("E")),
            "warnings": sum(n for code, n in each.report.counts.items() if code.startswith("W")),
            "report": each.report.as_dict(),
        }
        for path, each in zip(options["runs"], checked, strict=True)
    ]  # fmt: skip
    columns = (*make_columns("file", "state", left=True), *make_columns("errors", "warnings"))
    show_rows(out, options, rows, columns)
    for each in checked:
        for line in format_fault_lines(each.report):
            out.note(line)
    if docnos is None:
        out.note("Docnos were not checked: give the docnos of the collection by --docnos.")
    if count := sum(row["state"] == "rejected" for row in rows):
        raise CliError(f"{count} of {len(rows)} runs would be rejected.")


def add_check(parser: ArgumentParser) -> None:
    add_paths(parser)
    add_campaign(parser)
    parser.add_argument("--docnos", metavar="FILE", help="docnos of the collection, one per line")


def show_status(connection: Connection, options: Options, out: Output) -> None:
    """The campaigns, or the runs of one."""
    slug = options["campaign"]
    if slug is None:
        names = ("slug", "title", "team_deadline", "judging_deadline")
        columns = make_columns(*names, left=True, undefined="–")
        show_rows(out, options, list(connection.iter_rows("campaigns/")), columns)
        return
    connection.get(f"campaigns/{escape_slug(slug)}/")  # 404 for a slug that is wrong
    show_rows(out, options, list(connection.iter_rows("runs/", campaign=slug)), RUN_COLUMNS)


# Results


def show_scores(connection: Connection, options: Options, out: Output) -> None:
    """The leaderboard of the latest score set, as far as the token's user sees it."""
    sets = list(connection.iter_rows("score-sets/", campaign=options["campaign"]))
    if not sets:
        raise CliError("No scores that you can see: they are not released, or none exist.")
    board = connection.get(f"score-sets/{sets[0]['id']}/leaderboard/")
    if options["format"] == "json":
        out.write(json.dumps(board, ensure_ascii=False, indent=2) + "\n")
        return
    known = list(board["spread"])
    measures = options["measures"] or known
    if unknown := set(measures) - set(known):
        raise CliError(f"Not among the measures: {', '.join(sorted(unknown))}.")
    columns = (*make_columns("run", "team", left=True, undefined="–"),
               *make_columns(*measures, show="{:.4f}".format, undefined="–"))  # fmt: skip
    rows = [[row["run"], row["team"], *(row["means"].get(m) for m in measures)]
            for row in board["runs"]]  # fmt: skip
    out.write(write_text_table(Table("scores", columns, rows)))


def add_scores(parser: ArgumentParser) -> None:
    add_campaign(parser)
    parser.add_argument("-m", dest="measures", metavar="MEASURE", action="append",
                        help="a measure of the campaign (default: all)")  # fmt: skip


def add_version(parser: ArgumentParser) -> None:
    add_campaign(parser)
    parser.add_argument("--version", metavar="N", type=int, help="download this version")
    parser.add_argument("--output", metavar="FILE", help="write to FILE (default: standard output)")


def show_pools(connection: Connection, options: Options, out: Output) -> None:
    rows = list(connection.iter_rows("pools/", campaign=options["campaign"]))
    show_versions(connection, options, out, rows, "pools/{id}/pool.csv/", POOL_COLUMNS)


def show_qrels(connection: Connection, options: Options, out: Output) -> None:
    """All versions for organizers; for others the released ones, which are data files."""
    slug = options["campaign"]
    if rows := list(connection.iter_rows("qrels/", campaign=slug)):
        show_versions(connection, options, out, rows, "qrels/{id}/text/", QRELS_COLUMNS)
        return
    rows = [
        file | {"version": int(match[1])}
        for file in connection.iter_rows("data-files/", campaign=slug)
        if (match := QRELS_FILE.fullmatch(file["name"]))
    ]
    if not rows:
        raise CliError("No qrels that you can see: they are not released, or none exist.")
    show_versions(connection, options, out, rows, "data-files/{id}/file/", QRELS_FILE_COLUMNS)


QRELS_FILE = re.compile(r"qrels-(\d{1,9})\.txt")
POOL_COLUMNS = make_columns("version", "size", "frozen_at", left=True, undefined="–")
QRELS_COLUMNS = make_columns("version", "policy", "pairs", "frozen_at", left=True, undefined="–")
QRELS_FILE_COLUMNS = make_columns("version", "holds", "at", left=True, undefined="–")


def show_versions(
    connection: Connection,
    options: Options,
    out: Output,
    rows: Sequence[dict[str, Any]],
    path: str,
    columns: Sequence[Column],
) -> None:
    """List the versions in ``rows``, or write the one of ``--version``, which is at ``path``."""
    if (number := options["version"]) is None:
        show_rows(out, options, rows, columns)
        return
    paths = [path.format(id=row["id"]) for row in rows if row["version"] == number]
    if not paths:
        raise CliError(f"No version {number}: without --version they are listed.")
    data = connection.fetch(paths[0])
    if options["output"]:
        save_file(Path(options["output"]), data)
        out.note(f"{options['output']}: {len(data):,} bytes, sha256 {sha256(data).hexdigest()}")
    else:
        out.write(data.decode())


def add_judgments(parser: ArgumentParser) -> None:
    add_campaign(parser)
    parser.add_argument("--topic", help="only of this topic")
    parser.add_argument("--all", action="store_true", help="the whole log, not the current ones")


def show_judgments(connection: Connection, options: Options, out: Output) -> None:
    current = None if options["all"] else "1"
    rows: Iterable[Any] = connection.iter_rows(
        "judgments/", campaign=options["campaign"], topic=options["topic"], current=current
    )
    columns = make_columns("topic", "docno", "assessor", "grade", "kind", "judged_at",
                           left=True, undefined="–")  # fmt: skip
    show_rows(out, options, list(rows), columns)


def add_status(parser: ArgumentParser) -> None:
    add_campaign(parser, needed=False)


def add_data(parser: ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", help="where the files are written")
    add_campaign(parser)
    parser.add_argument("--no-documents", action="store_true", help="leave documents out")


ACTS = {
    "submit": ClientAct("Submit runs, and wait for their checks.", add_submission, submit_runs),
    "check": ClientAct("Check runs by the campaign's rules, here.", add_check, check_runs),
    "status": ClientAct("List your campaigns, or the runs of one.", add_status, show_status),
    "scores": ClientAct("Print the scores that you can see.", add_scores, show_scores),
    "data": ClientAct("Download settings, topics, documents and files.", add_data, download_data),
    "pool": ClientAct("List pools, or download one as CSV.", add_version, show_pools),
    "judgments": ClientAct(
        "List the current judgments that you can see.", add_judgments, show_judgments
    ),
    "qrels": ClientAct("List qrels versions, or download one.", add_version, show_qrels),
}
"""By their words."""
