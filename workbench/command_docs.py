"""The blocks of docs/commands.md: a table and a section for each command, from its own help."""

from __future__ import annotations

from argparse import ONE_OR_MORE, OPTIONAL, SUPPRESS, ZERO_OR_MORE, Action
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand

ON_FILES = {
    "evaluate": (
        "[measures](measures.md), [trec_eval compatibility](trec_eval.md), "
        "[score bounds](bounds.md), [sampled pools](sampling.md)"
    ),
    "compare_runs": "[comparing runs](comparison.md)",
    "pool": "[pooling](pooling.md)",
    "simulate_pool": "[simulation](pooling.md#simulation)",
    "collection_report": "[reusability](collection.md)",
    "agreement": "[agreement coefficients](agreement.md)",
    "aggregate": "[aggregation](aggregation.md)",
    "disagreement": "[effect of disagreement](disagreement.md)",
    "interleave": "[preferences](preferences.md#interleaving)",
    "preferences": "[preferences](preferences.md#clicks)",
    "score_preferences": "[preferences](preferences.md#scores-of-runs)",
    "bradley_terry": "[preferences](preferences.md#strengths-of-documents)",
    "user_measures": "[user-based measures](users.md)",
}
"""The commands that need no database, and the pages about what they compute."""
ON_INSTALLATION = {
    "make_organizer": "[deployment](deployment.md)",
    "import_topics": "[formats](formats.md#topics)",
    "import_documents": "[formats](formats.md#documents)",
    "import_judgments": "[formats](formats.md#judgments)",
    "export_judgments": "[formats](formats.md#judgments)",
    "qrels": "the [organizer's guide](organizer.md#qrels), [qrels policies](policies.md)",
    "load_campaign": "[campaign folders](organizer.md#campaign-folders)",
    "paper": "[results for a paper](results.md)",
    "verdicts": "[verdicts](verdicts.md)",
    "check_judging": "[judging plans](judging.md#during-judging)",
    "check_preferences": "[preferences](preferences.md#judging-comparisons)",
    "check_pool": "[adaptive pools](pooling.md#adaptive-pools)",
    "demo": "the [README](../README.md#quick-start)",
    "serve": "[deployment](deployment.md)",
    "sign_ins": "[deployment](deployment.md#sign-in)",
    "tick": "[deployment](deployment.md#background-work)",
    "check_store": "[deployment](deployment.md#backup)",
    "housekeeping": "[deployment](deployment.md#housekeeping)",
}


def _table(commands: Iterable[str]) -> str:
    rows = (f"| [`{name}`](#{name}) | {load_command(name).help} |" for name in commands)
    return "\n".join(["| command | what it does |\n|---|---|", *rows])


def load_command(name: str) -> BaseCommand:
    return load_command_class(get_commands()[name], name)


def _own_actions(name: str) -> list[Action]:
    """The arguments and options of the command, without those that all commands have."""
    common = {action.dest for action in _actions(BaseCommand())}
    actions = _actions(load_command(name))
    return [action for action in actions if action.dest not in common and action.help != SUPPRESS]


def _actions(command: BaseCommand) -> list[Action]:
    return command.create_parser("manage.py", "")._actions  # noqa: SLF001 -- there is no other way


def _section(name: str) -> str:
    return "\n".join(_section_lines(name, (ON_FILES | ON_INSTALLATION)[name]))


def _section_lines(name: str, pages: str) -> Iterator[str]:
    actions = _own_actions(name)
    positional = [_usage(action) for action in actions if not action.option_strings]
    options = [action for action in actions if action.option_strings]
    yield f"### `{name}`\n\n{load_command(name).help} See {pages}.\n"
    usage = ["manage.py", name, *["[options]"] * bool(options), *positional]
    yield f"```\n{' '.join(usage)}\n```\n"
    if actions:
        yield "| argument or option | meaning |\n|---|---|"
        yield from (f"| `{_spelling(action)}` | {_meaning(action)} |" for action in actions)


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


BLOCKS: dict[str, Callable[[], str]] = {
    "commands.on-files": lambda: _table(ON_FILES),
    "commands.on-installation": lambda: _table(ON_INSTALLATION),
    **{f"commands.{name}": partial(_section, name) for name in (*ON_FILES, *ON_INSTALLATION)},
}
