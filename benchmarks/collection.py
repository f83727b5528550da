"""Register a generated collection, check a run of a million lines, read pooled documents.

    python benchmarks/collection.py [FORM...] [--documents N] [--folder FOLDER]

Forms: ``jsonl``, ``trec``, ``tsv``, ``parquet``, ``jsonl.gz``, ``jsonl.zst``; default: all. The
documents are words drawn from a fixed seed, about 330 bytes each, as passages are. Each step is a
process of its own: its seconds, CPU seconds and the peak of its memory. ``register`` reads the
files and writes the index; ``check`` checks a run of 50 topics with 20,000 documents each against
it, once with known docnos only and once with ten unknown ones, and without a collection; ``texts``
reads 5,000 documents.
"""

import argparse
import gzip
import io
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from tempfile import gettempdir

import numpy as np

FORMS = ("jsonl", "trec", "tsv", "parquet", "jsonl.gz", "jsonl.zst")
FOLDER = Path(gettempdir(), "poolbench-collection")
TOPICS, DEPTH, TEXTS = 50, 20_000, 5_000
SEED, BATCH, WORDS, ROW_GROUP = 24, 10_000, 55, 100_000


def iter_documents(documents: int) -> Iterator[tuple[str, str]]:
    """Docno and text."""
    draws = np.random.default_rng(SEED)
    words = np.array([f"w{number}" for number in range(5_000)])
    for first in range(0, documents, BATCH):
        size = min(BATCH, documents - first)
        texts = words[draws.integers(0, len(words), (size, WORDS))]
        for number, row in enumerate(texts.tolist(), first):
            yield f"bench-{number:09d}", " ".join(row)


def format_document(form: str, docno: str, text: str) -> str:
    if form == "trec":
        return f"<DOC>\n<DOCNO> {docno} </DOCNO>\n<TEXT>\n{text}\n</TEXT>\n</DOC>\n"
    if form == "tsv":
        return f"{docno}\t{text}\n"
    return json.dumps({"_id": docno, "title": "", "text": text}) + "\n"


def write_collection(path: Path, form: str, documents: int) -> None:
    if form == "parquet":
        write_parquet(path, documents)
        return
    kind, _, packing = form.partition(".")
    with open_packed(path, packing) as stream:
        for docno, text in iter_documents(documents):
            stream.write(format_document(kind, docno, text).encode())


def open_packed(path: Path, packing: str) -> io.BufferedIOBase:
    if packing == "gz":
        return gzip.open(path, "wb", compresslevel=1)
    if packing == "zst":
        import pyarrow

        return pyarrow.CompressedOutputStream(str(path), "zstd")
    return path.open("wb")


def write_parquet(path: Path, documents: int) -> None:
    import pyarrow
    from pyarrow import parquet

    schema = pyarrow.schema([("docno", pyarrow.string()), ("text", pyarrow.string())])
    with parquet.ParquetWriter(path, schema) as writer:
        rows = iter_documents(documents)
        while part := list(islice(rows, ROW_GROUP)):
            docnos, texts = zip(*part, strict=True)
            writer.write_table(pyarrow.table([docnos, texts], schema))


def make_run(documents: int) -> list[str]:
    draws = np.random.default_rng(SEED + 1)
    lines = []
    for topic in range(1, TOPICS + 1):
        drawn = draws.choice(documents, min(DEPTH, documents), replace=False).tolist()
        lines += [
            f"{topic} Q0 bench-{document:09d} {rank} {DEPTH - rank} bench\n"
            for rank, document in enumerate(drawn, 1)
        ]
    return lines


def register(path: Path, index: Path) -> str:
    from poolbench.collection.scan import scan_collection
    from poolbench.files.faults import FaultReport

    start, cpu = time.perf_counter(), time.process_time()
    (file,) = scan_collection([path], index, report=FaultReport())
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    sizes = f"{path.stat().st_size / 1e6:,.0f} MB, index {index.stat().st_size / 1e6:,.0f} MB"
    return f"{file.documents:,} documents of {sizes} in {seconds:.1f} s, {cpu:.1f} s CPU"


def check(index: Path) -> str:
    from poolbench.collection.index import CollectionIndex
    from poolbench.runs.run_checks import RunRules, check_run_file

    known = CollectionIndex.open(index)
    lines = make_run(len(known))
    other = [line.replace("bench-", "Bench-") for line in lines[:10]] + lines[10:]
    seconds = {}
    for name, run, docnos in (
        ("without a collection", lines, None),
        ("all known", lines, known),
        ("ten unknown", other, known),
    ):
        data = "".join(run).encode()
        rules = RunRules(docnos=docnos, max_per_topic=DEPTH)
        start = time.process_time()
        checked = check_run_file(data, rules)
        seconds[name] = time.process_time() - start
        unknown = checked.report.counts["E10"]
        if unknown != (10 if name == "ten unknown" else 0):
            raise SystemExit(f"{name}: {unknown} docnos are unknown")
    return f"{len(lines):,} lines, CPU: " + ", ".join(f"{k} {v:.2f} s" for k, v in seconds.items())


def read_texts(path: Path, index: Path) -> str:
    from poolbench.collection.index import CollectionIndex
    from poolbench.collection.texts import read_collection_texts

    known = CollectionIndex.open(index)
    draws = np.random.default_rng(SEED + 2)
    docnos = [f"bench-{n:09d}" for n in draws.choice(len(known), TEXTS, replace=False)]
    start = time.perf_counter()
    texts = {text.docno: text.body for text in read_collection_texts(known, [path], docnos)}
    seconds = time.perf_counter() - start
    if set(texts) != set(docnos):
        raise SystemExit("texts are missing")
    return f"{len(texts):,} texts in {seconds:.1f} s"


STEPS: dict[str, Callable[[Path, Path], str]] = {
    "register": register,
    "check": lambda _path, index: check(index),
    "texts": read_texts,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("forms", nargs="*", default=FORMS)
    parser.add_argument("--documents", type=int, default=5_000_000)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.folder.mkdir(exist_ok=True)
    for form in options.forms:
        path = options.folder / f"{options.documents}.{form}"
        index = path.with_name(f"{path.name}.columns")
        if options.step:
            result = STEPS[options.step](path, index)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"{form} {options.step}: {result}, peak {peak:,.0f} MiB")
            continue
        if not path.exists():
            write_collection(path, form, options.documents)
        for step in STEPS:
            command = [sys.executable, __file__, form, "--step", step]
            command += ["--documents", str(options.documents), "--folder", str(options.folder)]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    main()
