"""Poolbench as a library: pool, judge, score and compare runs without a server.

    import poolbench as pb

    scores = pb.evaluate("runs/mine.gz", "qrels.txt", ["AP", "nDCG@10"])
    scores.to_frame()

Runs and qrels are files (plain, gzip or Parquet), bytes, dicts or pandas frames. Results are
frozen, ``to_frame()`` gives their main table, and notebooks show it. A function is loaded when it
is first used; ``__init__.pyi`` lists all.
"""

__version__ = "0.1.0"

# The list is the stub, so that type checkers, editors and this file cannot differ: as in SPEC 1 of
# Scientific Python, "Lazy loading of submodules and functions". Imports here would load numpy.
with open(f"{__file__}i", encoding="utf-8") as _stub:  # noqa: PTH123 -- pathlib is slow to import
    _MODULES = {line.split()[3]: line.split()[1] for line in _stub if line.startswith("from ")}
__all__ = [*_MODULES]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'poolbench' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
