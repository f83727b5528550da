"""The tests for ``make quick``: those that what has changed can break most likely.

A file counts as changed if it differs from where the branch left ``main``, or is not committed.
Of a changed module: the tests without a database that import it, directly or not, and the tests
of its app. Of a template: the tests of the folder that it is named after. Of a test: itself. The
rules on names, words, architecture and the pages of the documentation always.

``python -m tests.changed`` prints the paths; the whole suite remains ``make test``.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import grimp

from tests.house import APPS

ROOT = Path(__file__).resolve().parent.parent
ALWAYS = tuple(f"tests/test_{rules}.py" for rules in ("architecture", "docs", "names", "wording"))
NO_DATABASE = ("tests.core.", "tests.common.", "tests.commands.", "tests.poolbench.")


def list_changed_files() -> list[str]:
    """Paths that differ from the branch point, and new ones."""
    base = run_git("merge-base", "HEAD", "main") or ["HEAD"]
    return run_git("diff", "--name-only", base[0]) + run_git(
        "ls-files", "--others", "--exclude-standard"
    )


def run_git(*arguments: str) -> list[str]:
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.split() if done.returncode == 0 else []


def choose_tests(changed: list[str], graph: grimp.ImportGraph) -> set[str]:
    """The paths of tests for ``changed`` paths."""
    chosen = set(ALWAYS)
    for path in changed:
        parts = Path(path).with_suffix("").parts
        if parts[0] == "tests" and parts[-1].startswith("test_"):
            chosen.add(path)
        elif parts[0] in APPS:
            chosen.add(f"tests/{parts[0]}")
        elif parts[0] == "templates" and len(parts) > 2:
            chosen.add(f"tests/{parts[1]}")
        module = ".".join(parts).removesuffix(".__init__")
        if module in graph.modules:
            importers = graph.find_downstream_modules(module)
            chosen |= {
                f"{name.replace('.', '/')}.py"
                for name in importers
                if name.startswith(NO_DATABASE) and name.rpartition(".")[2].startswith("test_")
            }
    return {path for path in chosen if (ROOT / path).exists()}


def drop_covered(paths: set[str]) -> list[str]:
    """The paths without those within another of them."""
    return sorted(p for p in paths if not any(str(up) in paths for up in Path(p).parents))


def main() -> None:
    graph = grimp.build_graph(*APPS, "tests", cache_dir=None)
    chosen = drop_covered(choose_tests(list_changed_files(), graph))
    sys.stdout.write("\n".join(chosen) + "\n")


if __name__ == "__main__":
    main()
