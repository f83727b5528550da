"""The command ``poolbench``: files without Django, and a whole installation with ``[server]``."""

import atexit
import gc
import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from poolbench import __version__
from poolbench.commands.command import CliError, FileCommand, Output
from poolbench.commands.run_lists import RunListParser

FILE_COMMANDS = {
    "evaluate": "poolbench.commands.evaluate.EvaluateCommand",
    "compare": "poolbench.commands.compare_runs.CompareRunsCommand",
    "estimate": "poolbench.commands.estimate.EstimateCommand",
    "witness": "poolbench.commands.witness.WitnessCommand",
    "user-measures": "poolbench.commands.user_measures.UserMeasuresCommand",
    "interleave": "poolbench.commands.preferences.InterleaveCommand",
    "preferences": "poolbench.commands.preferences.PreferencesCommand",
    "score-preferences": "poolbench.commands.preferences.ScorePreferencesCommand",
    "bradley-terry": "poolbench.commands.preferences.BradleyTerryCommand",
    "pool": "poolbench.commands.pool.PoolCommand",
    "plan-sample": "poolbench.commands.plan_sample.PlanSampleCommand",
    "agreement": "poolbench.commands.agreement.AgreementCommand",
    "aggregate": "poolbench.commands.aggregate.AggregateCommand",
    "disagreement": "poolbench.commands.disagreement.DisagreementCommand",
    "report": "poolbench.commands.collection_report.CollectionReportCommand",
    "simulate": "poolbench.commands.simulate_pool.SimulatePoolCommand",
    "check-run": "poolbench.commands.check_run.CheckRunCommand",
    "verify-archive": "poolbench.commands.verify_archive.VerifyArchiveCommand",
    "client": "poolbench.commands.client.ClientCommand",
}
"""Where each command on files is; only the one that is called is loaded."""
SERVER_COMMANDS = {
    "serve": "Run the web server and the background worker.",
    "demo": "Build the demo campaign and serve it.",
    "doctor": "Say what is wrong with an installation, and what mends it.",
    "backup": "Write database, store and secret key of an installation to one file.",
    "restore": "Fill an empty installation from such a file.",
    "manage": "Run a command of an installation; `poolbench manage help` lists them.",
}
MISSING_SERVER = 'poolbench {name} needs the server. Install it: pip install "poolbench[server]".\n'
MANY = 100_000
"""New objects before commands on files collect garbage; Python's default is 700."""
WITHOUT_MATRICES = ("evaluate", "pool", "check-run")
"""Commands that multiply none: the threads of OpenBLAS would only wait for work, and spin."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``poolbench`` with ``arguments``; return its exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    name = words[0] if words else "--help"
    if name in FILE_COMMANDS:
        # The data live to the end: garbage collection would take a tenth of the time.
        gc.set_threshold(MANY)
        atexit.register(gc.freeze)  # as Python ends it would look for garbage in all of them
        if name in WITHOUT_MATRICES:
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read as numpy is loaded
        return run_file_command(name, words[1:])
    if name in SERVER_COMMANDS:
        return run_server_command(name, words[1:])
    if name in ("-h", "--help", "help"):
        sys.stdout.write(describe_commands())
        return 0
    if name == "--version":
        sys.stdout.write(f"poolbench {__version__}\n")
        return 0
    sys.stderr.write(f"Unknown command: {name}. `poolbench --help` lists the commands.\n")
    return 2


def run_file_command(name: str, words: Sequence[str]) -> int:
    """Run a command on files, without Django."""
    command = load_file_command(name)
    parser = build_file_parser(name, command)
    try:
        options = parser.parse_args(words)
        status = command.run(vars(options), Output(sys.stdout.write, write_note))
        sys.stdout.flush()
    except CliError as error:
        sys.stdout.flush()
        sys.stderr.write(f"poolbench {name}: {error}\n")
        return error.status
    except BrokenPipeError:
        # The reader, such as `head`, has what it wants. Nothing may be left to flush at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status or 0


def load_file_command(name: str) -> FileCommand:
    """The command called ``name`` on the command line."""
    module, _, kind = FILE_COMMANDS[name].rpartition(".")
    command: FileCommand = getattr(import_module(module), kind)()
    return command


def build_file_parser(name: str, command: FileCommand) -> ArgumentParser:
    """The arguments of ``command``, and the option that all commands have."""
    parser = RunListParser(prog=f"poolbench {name}", description=command.help)
    command.add_arguments(parser)
    parser.add_argument(
        "-v",
        "--verbosity",
        type=int,
        choices=(0, 1),
        default=1,
        help="0: no notes on standard error, only faults (default: 1)",
    )
    return parser


def write_note(line: str) -> None:
    sys.stderr.write(line if line.endswith("\n") else f"{line}\n")


def run_server_command(name: str, words: Sequence[str]) -> int:
    """Run a command of the server, if it is installed."""
    if find_spec("django") is None:
        sys.stderr.write(MISSING_SERVER.format(name=name))
        return 1
    # By its name: the library must work without the server.
    server = import_module("workbench.command_line")
    server.run_installed_command(name, words)
    return 0


def describe_commands() -> str:
    """All commands with what they do."""
    files = {name: load_file_command(name).help for name in FILE_COMMANDS}
    lines = ["usage: poolbench [--version] COMMAND ...", "", "On files (plain or gzip):"]
    lines += [f"  {name:<17} {text}" for name, text in files.items()]
    lines += ["", 'An installation (pip install "poolbench[server]"):']
    lines += [f"  {name:<17} {text}" for name, text in SERVER_COMMANDS.items()]
    lines += ["", "`poolbench COMMAND --help` describes a command.", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
