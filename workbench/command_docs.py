"""The blocks of docs/commands.md: a table and a section for each command, from its own help."""

from argparse import ONE_OR_MORE, OPTIONAL, SUPPRESS, ZERO_OR_MORE, Action
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand

from poolbench.__main__ import build_file_parser, load_file_command

ON_FILES = {
    "evaluate": (
        "[measures](measures.md), [trec_eval compatibility](trec_eval.md), "
        "[score bounds](bounds.md), [sampled pools](sampling.md)"
    ),
    "compare": "[comparing runs](comparison.md)",
    "estimate": "[estimates](estimates.md)",
    "pool": "[pooling](pooling.md)",
    "witness": "[second witness](organizer.md#a-machine-as-second-witness)",
    "plan-sample": "[samples by influence](pooling.md#what-a-sample-by-influence-would-tell)",
    "simulate": "[simulation](pooling.md#simulation)",
    "report": "[reusability](collection.md)",
    "agreement": "[agreement coefficients](agreement.md)",
    "aggregate": "[aggregation](aggregation.md)",
    "disagreement": "[effect of disagreement](disagreement.md)",
    "interleave": "[preferences](preferences.md#interleaving)",
    "preferences": "[preferences](preferences.md#clicks)",
    "score-preferences": "[preferences](preferences.md#scores-of-runs)",
    "bradley-terry": "[preferences](preferences.md#strengths-of-documents)",
    "user-measures": "[user-based measures](users.md)",
    "check-run": "[runs and their codes](formats.md#codes-of-runs)",
    "verify-archive": "[archives](formats.md#archives)",
    "client": "the [REST API](api.md), whose refusals it prints",
}
"""The commands that need no database, and the pages about what they compute."""
ON_INSTALLATION = {
    "make_organizer": "[deployment](deployment.md)",
    "reset_link": "[deployment](deployment.md#accounts)",
    "import_topics": "[formats](formats.md#topics)",
    "import_documents": "[formats](formats.md#documents)",
    "read_pdfs": "[deployment](deployment.md#pdf)",
    "register_collection": "[formats](formats.md#collections-of-millions)",
    "import_judgments": "[formats](formats.md#judgments)",
    "judge_by_model": "[let a model judge](organizer.md#let-a-model-judge)",
    "export_judgments": "[formats](formats.md#judgments)",
    "qrels": "the [organizer's guide](organizer.md#qrels), [qrels policies](policies.md)",
    "agreement": "[agreement coefficients](agreement.md)",
    "aggregate": "[aggregation](aggregation.md)",
    "disagreement": "[effect of disagreement](disagreement.md)",
    "load_campaign": "[campaign folders](organizer.md#campaign-folders)",
    "archive": "[archives](formats.md#archives), the [organizer's guide](organizer.md#archive)",
    "paper": "[results for a paper](results.md)",
    "verdicts": "[verdicts](verdicts.md)",
    "check_judging": "[judging plans](judging.md#during-judging)",
    "check_preferences": "[preferences](preferences.md#judging-comparisons)",
    "check_pool": "[adaptive pools](pooling.md#adaptive-pools)",
    "check_estimates": "[results](results.md#scores-of-a-sample)",
    "demo": "the [README](../README.md#quick-start)",
    "serve": "[deployment](deployment.md)",
    "doctor": "[deployment](deployment.md#what-is-wrong)",
    "backup": "[deployment](deployment.md#backup)",
    "restore": "[deployment](deployment.md#restore)",
    "sign_ins": "[deployment](deployment.md#sign-in)",
    "tick": "[deployment](deployment.md#background-work)",
    "accept_store": "[deployment](deployment.md#whose-store-it-is)",
    "check_store": "[deployment](deployment.md#restore)",
    "housekeeping": "[deployment](deployment.md#housekeeping)",
}
COMMON = {"help", *(action.dest for action in BaseCommand().create_parser("", "")._actions)}  # noqa: SLF001 -- there is no other way
"""The arguments that all commands have."""


class CommandHelp(NamedTuple):
    """A command as a user sees it: what to type, and its own arguments and options."""

    typed: str
    text: str
    actions: list[Action]


def read_file_help(name: str) -> CommandHelp:
    command = load_file_command(name)
    actions = build_file_parser(name, command)._actions  # noqa: SLF001
    return CommandHelp(f"poolbench {name}", command.help, _select_own(actions))


def read_management_help(name: str) -> CommandHelp:
    command = load_command_class(get_commands()[name], name)
    actions = command.create_parser("manage.py", "")._actions  # noqa: SLF001
    return CommandHelp(f"manage.py {name}", command.help, _select_own(actions))


def _select_own(actions: list[Action]) -> list[Action]:
    return [action for action in actions if action.dest not in COMMON and action.help != SUPPRESS]


def format_heading(name: str, kind: str) -> str:
    """The heading of a section; a command of both kinds has its campaign in the second."""
    both = kind == "on-installation" and name in ON_FILES
    return f"`{name}` of a campaign" if both else f"`{name}`"


def _table(kind: str) -> str:
    read, pages = KINDS[kind]
    lines = ["| command | what it does |\n|---|---|"]
    for name in pages:
        heading = format_heading(name, kind)
        anchor = heading.replace("`", "").replace(" ", "-")
        lines.append(f"| [{heading}](#{anchor}) | {read(name).text} |")
    return "\n".join(lines)


def _section(name: str, kind: str) -> str:
    read, pages = KINDS[kind]
    return "\n".join(_section_lines(format_heading(name, kind), read(name), pages[name]))


def _section_lines(heading: str, command: CommandHelp, pages: str) -> Iterator[str]:
    positional = [_usage(action) for action in command.actions if not action.option_strings]
    options = [action for action in command.actions if action.option_strings]
    yield f"### {heading}\n\n{command.text} See {pages}.\n"
    usage = [command.typed, *["[options]"] * bool(options), *positional]
    yield f"```\n{' '.join(usage)}\n```\n"
    if command.actions:
        yield "| argument or option | meaning |\n|---|---|"
        yield from (f"| `{_spelling(action)}` | {_meaning(action)} |" for action in command.actions)


def _argument(action: Action) -> str:
    """The placeholder of the value, or its choices."""
    metavar = action.metavar if isinstance(action.metavar, str) else None
    choices = "|".join(map(str, action.choices)) if action.choices else None
    value = metavar or choices or action.dest.upper()
    return " ".join([value] * action.nargs) if isinstance(action.nargs, int) else value


def _usage(action: Action) -> str:
    value = _argument(action)
    forms = {ONE_OR_MORE: f"{value}...", ZERO_OR_MORE: f"[{value}...]", OPTIONAL: f"[{value}]"}
    return forms.get(str(action.nargs), value)


def _spelling(action: Action) -> str:
    value = _argument(action)
    more = "..." if action.nargs in {ONE_OR_MORE, ZERO_OR_MORE} else ""
    words = [", ".join(action.option_strings), value + more]
    return " ".join(filter(None, words)).replace("|", "\\|")


def _meaning(action: Action) -> str:
    default = "–" if action.default is None else f"default: {action.default}"
    text = (action.help or default) % vars(action)
    return text.replace("|", "\\|")


KINDS: Mapping[str, tuple[Callable[[str], CommandHelp], Mapping[str, str]]] = {
    "on-files": (read_file_help, ON_FILES),
    "on-installation": (read_management_help, ON_INSTALLATION),
}
BLOCKS: dict[str, Callable[[], str]] = {
    **{f"commands.{kind}": partial(_table, kind) for kind in KINDS},
    **{
        f"{'commands' if kind == 'on-installation' else 'poolbench'}.{name}": partial(
            _section, name, kind
        )
        for kind, (_, pages) in KINDS.items()
        for name in pages
    },
}
