"""docs/commands.md, made from the commands' own help: ``python -m workbench.command_docs``."""

from __future__ import annotations

import os
import sys
from argparse import ONE_OR_MORE, OPTIONAL, SUPPRESS, ZERO_OR_MORE, Action
from collections.abc import Iterator

import django
from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand

HEAD = """# Commands

Every command is `manage.py COMMAND`; `manage.py help COMMAND` prints the same as its section here.
Commands on plain files need no database; files may be gzipped. A command that rejects a file lists
all errors on standard error, writes nothing and exits with 1.
"""
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
    "disagreement": "[effect of disagreement](disagreement.md)",
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
    "check_judging": "[judging plans](judging.md#during-judging)",
    "check_pool": "[adaptive pools](pooling.md#adaptive-pools)",
    "demo": "the [README](../README.md#quick-start)",
    "serve": "[deployment](deployment.md)",
    "tick": "[deployment](deployment.md#background-work)",
    "check_store": "[deployment](deployment.md#backup)",
    "housekeeping": "[deployment](deployment.md#housekeeping)",
}
NOTES = {
    "evaluate": """
`-c`, `-l`, `-J`, `-M`, `-N`, `-q` and `-n` are those of trec_eval. Averaging over all topics of the
qrels is the default here; `--topics common` is trec_eval without `-c`. `-m` takes a measure
(`-m P.5,10`, `-m nDCG@10`) or a set: `default`, `official`, `set`, `all_trec`. With a profile of
trec_eval the output is reproduced line for line, with its default measures and topics. Runs are
read, scored and dropped one at a time; the output is the same for any number of `--jobs`.
Runs with the same tag are printed with their files, `tag (path)`. The provenance of the scores is
printed on standard error, once where it is the same for all runs; `-v 0` omits it.
""",
    "pool": """
Only the ranks of a run above the spec's cut-off are kept in memory, but every line of its file is
checked.
""",
    "compare_runs": """
Tukey's HSD takes no correction; `--resamples` and `--seed` apply to resampling tests. Measures of a
set, such as `official`, without per-topic values are omitted, with a note. For measures whose mean
is not arithmetic the arithmetic mean is compared.
""",
}
NOTE = """---

Generated from the help of the commands (`python -m workbench.command_docs > docs/commands.md`); a
test compares the two. Terms: [glossary](glossary.md).
"""


def render_command_docs() -> str:
    """The whole page as Markdown."""
    parts = [HEAD]
    groups = {"On plain files": ON_FILES, "On an installation": ON_INSTALLATION}
    for title, commands in groups.items():
        parts += [f"## {title}\n", "| command | what it does |\n|---|---|"]
        parts += [f"| [`{name}`](#{name}) | {load_command(name).help} |" for name in commands]
        parts += ["", *(section for item in commands.items() for section in _section(*item))]
    return "\n".join([*parts, NOTE])


def load_command(name: str) -> BaseCommand:
    return load_command_class(get_commands()[name], name)


def _own_actions(name: str) -> list[Action]:
    """The arguments and options of the command, without those that all commands have."""
    common = {action.dest for action in _actions(BaseCommand())}
    actions = _actions(load_command(name))
    return [action for action in actions if action.dest not in common and action.help != SUPPRESS]


def _actions(command: BaseCommand) -> list[Action]:
    return command.create_parser("manage.py", "")._actions  # noqa: SLF001 -- there is no other way


def _section(name: str, pages: str) -> Iterator[str]:
    actions = _own_actions(name)
    positional = [_usage(action) for action in actions if not action.option_strings]
    options = [action for action in actions if action.option_strings]
    yield f"### `{name}`\n\n{load_command(name).help} See {pages}.\n"
    usage = ["manage.py", name, *["[options]"] * bool(options), *positional]
    yield f"```\n{' '.join(usage)}\n```\n"
    if actions:
        yield "| argument or option | meaning |\n|---|---|"
        yield from (f"| `{_spelling(action)}` | {_meaning(action)} |" for action in actions)
        yield ""
    yield from (NOTES[name].lstrip(),) if name in NOTES else ()


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


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    django.setup()
    sys.stdout.write(render_command_docs())
