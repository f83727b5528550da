"""The documents of the demo: docstrings of the installed standard library.

Python modules are parsed, never imported. Modules written in C have no source to parse, so a
fixed list of harmless ones is imported and read through ``inspect``. The collection therefore
differs slightly between Python versions.
"""

import ast
import importlib
import inspect
import sysconfig
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from poolbench.texts.documents import DocumentText

SHORTEST = 40
"""Docstrings with fewer characters say no more than the name."""

_SKIPPED = """\
test idlelib turtledemo lib2to3 distutils encodings pydoc_data ensurepip site-packages dist-
packages __phello__ antigravity this
"""
SKIPPED = frozenset(_SKIPPED.split())
"""Excluded top-level names: tests, applications, generated tables, modules newer Pythons drop."""

_COMPILED = """\
builtins array atexit binascii bisect cmath collections contextvars csv datetime decimal errno
faulthandler fcntl functools gc grp hashlib heapq io itertools marshal math mmap operator os
pickle pwd random re resource select signal socket sqlite3 ssl statistics struct sys termios
threading time tracemalloc types unicodedata weakref zlib
"""
COMPILED = _COMPILED.split()
"""Modules with parts written in C whose import has no noticeable side effects."""

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

HOMES = {"os": ("posix", "nt"), "threading": ("_thread",), "hashlib": ("_blake2", "_sha3")}
"""The C parts of modules whose name is not the module's with an underscore."""


def stdlib_documents() -> list[DocumentText]:
    """All documents, docno ascending by code point; for duplicates the text from source."""
    documents: dict[str, DocumentText] = {}
    for document in (*_parsed_documents(), *_compiled_documents()):
        documents.setdefault(document.docno, document)
    return [documents[docno] for docno in sorted(documents)]


def _document(
    docno: str, signature: str, kind: str, docstring: str | None
) -> Iterator[DocumentText]:
    """The document, if its docstring is worth keeping."""
    if docstring and len(docstring) >= SHORTEST and docno.isascii():
        extra = {"kind": kind, "module": docno.partition(".")[0]}
        yield DocumentText(
            docno=docno, title=docno + signature, body=docstring, url="", date="", extra=extra
        )


# Modules with source ------------------------------------------------------------------


def _parsed_documents() -> Iterator[DocumentText]:
    root = Path(sysconfig.get_paths()["stdlib"])
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        if not _is_hidden(parts):
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            yield from _documents_of_source(name, path)


def _is_hidden(parts: tuple[str, ...]) -> bool:
    names = parts[:-1] if parts[-1] == "__init__" else parts
    private = any(name.startswith("_") or not name.isidentifier() for name in names)
    return private or parts[0] in SKIPPED or "test" in names or "tests" in names


def _documents_of_source(module: str, path: Path) -> Iterator[DocumentText]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # old escapes in the library's source
        tree = ast.parse(path.read_bytes())
    yield from _document(module, "", "module", ast.get_docstring(tree))
    yield from _documents_of_body(module, tree.body, "function")


def _documents_of_body(owner: str, body: Iterable[ast.stmt], kind: str) -> Iterator[DocumentText]:
    for node in body:
        if isinstance(node, ast.If | ast.Try):  # definitions behind a platform check
            yield from _documents_of_body(owner, [*node.body, *node.orelse], kind)
        elif isinstance(node, Definition) and not node.name.startswith("_"):
            yield from _documents_of_definition(f"{owner}.{node.name}", node, kind)


def _documents_of_definition(docno: str, node: Definition, kind: str) -> Iterator[DocumentText]:
    docstring = ast.get_docstring(node)
    if isinstance(node, ast.ClassDef):
        yield from _document(docno, "", "class", docstring)
        yield from _documents_of_body(docno, node.body, "method")
    else:
        yield from _document(docno, f"({ast.unparse(node.args)})", kind, docstring)


# Modules without source ---------------------------------------------------------------


def _compiled_documents() -> Iterator[DocumentText]:
    for name in COMPILED:
        module = _import(name)
        if module is not None:
            yield from _documents_of_object(name, module, "module")
            yield from _documents_of_members(name, module, "function")


def _import(name: str) -> ModuleType | None:
    """The module, or None if this system lacks it (``fcntl`` outside Unix)."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _documents_of_members(owner: str, thing: Any, kind: str) -> Iterator[DocumentText]:
    names = vars(thing)
    for name in sorted(names):
        # Code that installs its own hook keeps the original as well: sys.__excepthook__.
        member = names.get(f"__{name}__", names[name]) if name.endswith("hook") else names[name]
        docno = f"{owner}.{name}"
        if name.startswith("_") or not _belongs_to(owner, member):
            continue
        if isinstance(member, type):
            yield from _documents_of_object(docno, member, "class")
            if kind == "function":
                yield from _documents_of_members(docno, member, "method")
        elif inspect.isroutine(member) or inspect.isgetsetdescriptor(member):
            yield from _documents_of_object(docno, member, kind)


def _belongs_to(owner: str, member: Any) -> bool:
    """Whether the member is documented here: imported names are documented in their module."""
    module = owner.partition(".")[0]
    home = (getattr(member, "__module__", None) or module).partition(".")[0]
    return home.startswith((module, f"_{module}")) or home in HOMES.get(module, ())


def _documents_of_object(docno: str, thing: Any, kind: str) -> Iterator[DocumentText]:
    signature = getattr(thing, "__text_signature__", None) or ""
    yield from _document(docno, "" if kind == "class" else signature, kind, inspect.getdoc(thing))
