"""Names in the product: the field's words, one name for one thing. Each ceiling may only fall."""

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

import poolbench
from tests.conftest import REPOSITORY
from tests.house import APPS, list_nodes, parse_product
from tests.pages import list_url_patterns

CEILINGS = {
    "shared": 0,
    "banned": 0,
    "modules": 0,
    "members": 0,
    "of": 0,
    "bare": 0,
    "speechless": 0,
    "builtins": 0,
    "handlers": 0,
    "tests": 0,
    "locals": 3,
    "parameters": 0,
}
"""How many offenders each rule still has."""
EXEMPT = {"Command", "handle", "main"}
"""Names that Django asks for, in every module of their kind."""
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def public() -> Iterator[tuple[str, Definition]]:
    """Every public function and class at the top of a module."""
    for path, tree in parse_product().items():
        for node in tree.body:
            if not isinstance(node, Definition) or node.name.startswith("_"):
                continue
            # The library has the short names of notebooks: `pb.evaluate` is that of the core.
            if not (path.startswith("poolbench/") and node.name in poolbench.__all__):
                yield path, node


def functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    for path, node in public():
        if isinstance(node, ast.FunctionDef) and node.name not in EXEMPT:
            yield path, node


@lru_cache(maxsize=1)
def vocabulary() -> dict[str, set[str]]:
    """The sections of ``names.txt``."""
    words: dict[str, set[str]] = {}
    section = ""
    for line in (REPOSITORY / "tests/names.txt").read_text().splitlines():
        if line.startswith("["):
            section = line.strip("[]")
            words[section] = set()
        elif line and not line.startswith("#"):
            words[section].update(line.split())
    return words


def test_every_word_of_the_list_is_used():
    words = vocabulary()
    names = {node.name for _, node in functions()}
    used = names | {word for name in names for word in name.split("_")}
    assert sorted((words["verbs"] | words["nouns"] | words["literature"]) - used) == []


def shared() -> list[str]:
    counts = Counter(node.name for _, node in public() if node.name not in EXEMPT)
    return [name for name, count in counts.items() if count > 1]


def banned() -> list[str]:
    """Names of participles and pronouns alone."""
    words = vocabulary()["banned"]
    return [
        f"{path} {node.name}"
        for path, node in public()
        if node.name.lower() in words or set(node.name.split("_")) <= words
    ]


def banned_modules() -> list[str]:
    return [path for path in parse_product() if Path(path).stem in vocabulary()["banned"]]


def of() -> list[str]:
    return [f"{path} {node.name}" for path, node in public() if node.name.endswith("_of")]


def members() -> list[str]:
    """Methods and fields of classes under a banned name or with ``_of`` at the end."""
    return [
        f"{path} {node.name}.{name}"
        for path, node in list_nodes()[ast.ClassDef]
        for name in member_names(node)
        if name in vocabulary()["banned"] or name.endswith("_of")
    ]


def member_names(node: ast.ClassDef) -> Iterator[str]:
    for member in node.body:
        if isinstance(member, ast.FunctionDef):
            yield member.name
        elif isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
            yield member.target.id


def bare() -> list[str]:
    return [f"{path} {node.name}" for path, node in public() if node.name in vocabulary()["bare"]]


def speechless() -> list[str]:
    """Functions that neither begin with a verb nor are called after what they compute."""
    words = vocabulary()
    return [f"{path} {node.name}" for path, node in functions() if not speaks(node.name, words)]


def speaks(name: str, words: dict[str, set[str]]) -> bool:
    first, *rest = name.split("_")
    if name in words["literature"] or (rest and first in words["verbs"]):
        return True
    return heads(name.split("_"))[-1] in words["nouns"]


def heads(parts: list[str]) -> list[str]:
    """The words before a preposition, which say what a noun with ``by``, ``of``, ``to`` is."""
    at = next(
        (n for n, part in enumerate(parts) if n and part in vocabulary()["prepositions"]),
        len(parts),
    )
    return parts[:at]


def shadowed() -> list[str]:
    """Parameters with the name of a builtin."""
    return [
        f"{path}:{node.lineno} {node.arg}"
        for path, node in list_nodes()[ast.arg]
        if hasattr(builtins, node.arg)
    ]


def handlers() -> list[str]:
    """Pages whose function is not called ``<URL name>_view``."""
    return [
        f"{pattern.name}: {callback.__name__}"
        for pattern, _ in list_url_patterns()
        if (callback := pattern.callback).__module__.split(".")[0] in APPS
        and not hasattr(callback, "cls")
        and not hasattr(callback, "view_class")
        and callback.__name__ != f"{str(pattern.name).replace('-', '_')}_view"
    ]


def collected() -> list[str]:
    """Names that pytest would collect."""
    names = [f"{path} {node.name}" for path, node in public() if re.match("[tT]est", node.name)]
    return names + [path for path in parse_product() if path.endswith("_test.py")]


def locals_() -> list[str]:
    words = vocabulary()["locals"]
    return [
        f"{path}:{node.lineno} {node.id}"
        for path, node in list_nodes()[ast.Name]
        if isinstance(node.ctx, ast.Store) and node.id in words
    ]


def parameters() -> list[str]:
    words = vocabulary()["banned"]
    found = list_nodes()[ast.arg]
    return [f"{path}:{node.lineno} {node.arg}" for path, node in found if node.arg in words]


RULES = {
    "shared": shared,
    "banned": banned,
    "modules": banned_modules,
    "members": members,
    "of": of,
    "bare": bare,
    "speechless": speechless,
    "builtins": shadowed,
    "handlers": handlers,
    "tests": collected,
    "locals": locals_,
    "parameters": parameters,
}


@pytest.mark.parametrize("rule", RULES)
def test_names_keep_the_rules(rule):
    offenders = RULES[rule]()
    assert len(offenders) <= CEILINGS[rule], "\n".join(offenders)


@pytest.mark.parametrize(
    ("name", "speaking"),
    [("load_run_matrix", True), ("run_matrix", False), ("krippendorff_alpha", True),
     ("judged_at_k", False), ("scores_by_topic", True), ("load", False), ("bpref", True)],
)  # fmt: skip
def test_the_rule_of_speaking_names(name, speaking):
    words = {"verbs": {"load"}, "nouns": {"alpha", "scores"}, "literature": {"bpref"}}
    assert speaks(name, words) is speaking
