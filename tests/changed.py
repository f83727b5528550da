"""The tests for ``make quick``: those that what has changed can break most likely, in a minute.

A file counts as changed if it differs from where the branch left ``main``, or is not committed.
In this order, as far as the minute reaches: the rules on names, words, architecture and the pages
of the documentation, and changed tests; tests that are called after the changed module; those that
import it; those that ask for the pages of a changed template, or of a view that is or imports the
changed module, of its app first; of the library, the other tests of its package.
``tests/seconds.txt`` has what tests cost (``tests/seconds.py`` writes it). What does not fit is
named, and remains to ``make test``.

``python -m tests.changed`` prints the paths.
"""

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import grimp

from tests.house import APPS

ROOT = Path(__file__).resolve().parent.parent
ALWAYS = tuple(f"tests/test_{rules}.py" for rules in ("architecture", "docs", "names", "wording"))
BUDGET = 75
"""CPU seconds of tests that two cores do in a minute, next to starting and collecting."""
USUAL = 0.5
"""CPU seconds of a file that is not in ``tests/seconds.txt``."""
RULES, NAMESAKE, IMPORTER, NEAR, FAR = range(5)
ROUTE = re.compile(r'page\(\s*"([^"]*)",\s*\w+\.(\w+)_view')


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


def choose_tests(changed: list[str], graph: grimp.ImportGraph) -> dict[str, int]:
    """The paths of tests for ``changed`` paths, with how far they are from what has changed."""
    chosen = dict.fromkeys(ALWAYS, RULES)
    for path in changed:
        for test, rank in rank_tests(path, graph):
            chosen[test] = min(rank, chosen.get(test, rank))
    return {path: rank for path, rank in chosen.items() if (ROOT / path).exists()}


def rank_tests(path: str, graph: grimp.ImportGraph) -> Iterator[tuple[str, int]]:
    parts = Path(path).with_suffix("").parts
    if parts[0] == "tests" and parts[-1].startswith("test_"):
        yield path, RULES
    elif parts[0] == "templates":
        tests = list_tests(Path("tests", parts[1]))
        yield from ((test, NAMESAKE) for test in tests if is_namesake(test, parts))
        yield from rank_page_tests(parts[1], find_urls_of_template(path))
    elif parts[0] in (*APPS, "tests") and path.endswith(".py"):
        module = ".".join(parts).removesuffix(".__init__")
        found = graph.find_modules_that_directly_import(module) if module in graph.modules else ()
        tests = (name for name in found if name.rpartition(".")[2].startswith("test_"))
        yield from ((f"{name.replace('.', '/')}.py", IMPORTER) for name in tests)
        if parts[0] != "tests":
            folder = mirror_folder(parts)
            yield from ((test, NAMESAKE) for test in list_tests(folder) if is_namesake(test, parts))
        if parts[0] == "poolbench":
            yield from ((test, FAR) for test in list_tests(folder) if Path(test).parent == folder)
        elif parts[0] != "tests":
            urls = {url for name in (module, *found) for url in find_urls_of_module(name)}
            yield from rank_page_tests(parts[0], urls)


def list_tests(folder: Path) -> list[str]:
    return [each.relative_to(ROOT).as_posix() for each in (ROOT / folder).rglob("test_*.py")]


def rank_page_tests(app: str, urls: set[str]) -> Iterator[tuple[str, int]]:
    for test in find_tests_of_pages(urls):
        yield test, NEAR if test.startswith(f"tests/{app}/") else FAR


def mirror_folder(parts: tuple[str, ...]) -> Path:
    """The innermost folder of tests that is called as the folder of a module, or one above it."""
    folder = Path("tests", *parts[:-1])
    return next(each for each in (folder, *folder.parents) if (ROOT / each).is_dir())


def is_namesake(test: str, parts: tuple[str, ...]) -> bool:
    """Whether the test's name has all words of the module's, or of "api" in its path."""
    words = {word.rstrip("s") for word in Path(test).stem.split("_")}
    of_module = {word.rstrip("s") for word in parts[-1].strip("_").split("_")}
    return of_module <= words or ("api" in parts and "api" in words)


def find_urls_of_template(path: str) -> set[str]:
    """The names of URLs whose view renders the template, or one that includes or extends it."""
    name, seen, urls = path.removeprefix("templates/"), set(), set()
    names = [name]
    while names:
        name = names.pop()
        seen.add(name)
        quoted = f'"{name}"'
        names += [other for other, text in read("templates", ".html") if quoted in text]
        names = [other for other in names if other not in seen]
        for module, text in read("product", ".py"):
            for piece in re.split(r"\n(?=def |class |@)", text) if quoted in text else ():
                handler = re.search(r"^def (\w+)_view\(", piece, re.MULTILINE)
                if quoted in piece:
                    urls |= (
                        {handler[1].replace("_", "-")}
                        if handler
                        else find_urls_of_module(module.removesuffix(".py").replace("/", "."))
                    )
    return urls


def find_urls_of_module(module: str) -> set[str]:
    """The names of the URLs that a module of views handles."""
    if ".views." not in module:
        return set()
    text = (ROOT / f"{module.replace('.', '/')}.py").read_text()
    return {name.replace("_", "-") for name in re.findall(r"^def (\w+)_view\(", text, re.MULTILINE)}


def find_tests_of_pages(urls: Iterable[str]) -> list[str]:
    """The tests of apps that write the name or the path of one of the pages."""
    routes = [
        re.sub("<[^>]*>", r"[^/\"'\\s]+", route)
        for _, text in read("product", "urls.py")
        for route, name in ROUTE.findall(text)
        if name.replace("_", "-") in urls
    ]
    # A name of one word is also that of other things.
    wanted = [f'"{url}"' if "-" in url else rf'(?:reverse|at|page)\(\s*"{url}"' for url in urls]
    wanted += [rf"/{route}[\"'?#]" for route in routes if route]
    asked = re.compile("|".join(wanted) or "(?!)")
    tests = [(path, text) for path, text in read("tests", ".py") if "/test_" in path]
    apart = ("tests/poolbench/", "tests/browser/", "tests/services/")
    return [path for path, text in tests if not path.startswith(apart) and asked.search(text)]


@cache
def read(top: str, ending: str) -> list[tuple[str, str]]:
    """Path and text of the files below a folder; those of templates as templates name them."""
    tops = [ROOT / name for name in (APPS if top == "product" else (top,))]
    start = ROOT / top if top == "templates" else ROOT
    return [
        (path.relative_to(start).as_posix(), path.read_text())
        for folder in tops
        for path in sorted(folder.rglob("*.*"))
        if path.name.endswith(ending)
    ]


def read_seconds() -> dict[str, float]:
    """What tests cost, by path."""
    lines = (ROOT / "tests/seconds.txt").read_text().splitlines()
    return {path: float(seconds) for seconds, path in map(str.split, lines)}


def cut_to_budget(
    chosen: dict[str, int], seconds: dict[str, float], budget: float = BUDGET
) -> tuple[list[str], list[str]]:
    """Those that fit, nearest first and of these the cheapest; and those that do not."""
    kept, left = [], []
    for path in sorted(chosen, key=lambda path: (chosen[path], seconds.get(path, USUAL), path)):
        fits = chosen[path] == RULES or seconds.get(path, USUAL) <= budget
        budget -= seconds.get(path, USUAL) if fits else 0
        (kept if fits else left).append(path)
    return kept, left


def main() -> None:
    graph = grimp.build_graph(*APPS, "tests", cache_dir=None)
    kept, left = cut_to_budget(choose_tests(list_changed_files(), graph), read_seconds())
    sys.stdout.write("\n".join(kept) + "\n")
    if left:
        names = ", ".join(path.removeprefix("tests/") for path in left)
        sys.stderr.write(f"Left out for the minute: {names}.\n`make test` runs them.\n")


if __name__ == "__main__":
    main()
