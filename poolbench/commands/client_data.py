"""What ``poolbench client data`` writes: settings, topics, documents and data files."""

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from poolbench.commands.command import CliError, Output
from poolbench.commands.connection import Connection, escape_slug
from poolbench.files.replacement import replace_file

TOPIC = {"number": "id", "title": "title", "description": "description", "narrative": "narrative"}
DOCUMENT = {"docno": "_id", "title": "title", "body": "text", "url": "url", "date": "date"}
"""Fields of the API by their names in the files, which Poolbench reads as they are."""
DOCUMENTS = "documents.jsonl.gz"
"""The data file with all documents, once it is released."""


def download_data(connection: Connection, options: Mapping[str, Any], out: Output) -> None:
    """Write ``campaign.json`` and every data file that the user can see, and list them; topics and
    documents from the rows of the API where no file has them.
    """
    slug, folder = options["campaign"], Path(options["folder"])
    campaign = connection.get(f"campaigns/{escape_slug(slug)}/")
    text = json.dumps(campaign, ensure_ascii=False, indent=2)
    written = [save_file(folder / "campaign.json", f"{text}\n".encode())]
    offered = {Path(row["name"]).name: row
               for row in connection.iter_rows("data-files/", campaign=slug)}  # fmt: skip
    if "topics.jsonl" not in offered:
        topics = connection.iter_rows("topics/", campaign=slug)
        written.append(save_lines(folder / "topics.jsonl", topics, TOPIC))
    if options["no_documents"]:
        offered.pop(DOCUMENTS, None)
    elif DOCUMENTS not in offered:
        documents = connection.iter_rows("documents/", campaign=slug)
        written.append(save_lines(folder / "documents.jsonl", documents, DOCUMENT))
    for name, row in offered.items():
        data = connection.fetch(f"data-files/{row['id']}/file/")
        if sha256(data).hexdigest() != row["sha256"]:
            raise CliError(f"{name}: the bytes received are not those of the file. Try again.")
        written.append(save_file(folder / name, data))
    if options["format"] == "json":
        out.write(json.dumps(written, indent=2) + "\n")
    else:
        out.write("".join(f"{each['sha256']}  {each['file']}\n" for each in written))


def save_lines(
    path: Path, rows: Iterable[Mapping[str, Any]], names: Mapping[str, str]
) -> dict[str, Any]:
    """One JSON object per line, without empty fields."""
    lines = (
        json.dumps({name: row[field] for field, name in names.items() if row[field]},
                   ensure_ascii=False)
        for row in rows
    )  # fmt: skip
    return save_file(path, *(f"{line}\n".encode() for line in lines))


def save_file(path: Path, *parts: bytes) -> dict[str, Any]:
    """Write the file whole or not at all."""
    digest, size = sha256(), 0
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replace_file(path) as part, part.open("wb") as stream:
            for data in parts:
                digest.update(data)
                size += len(data)
                stream.write(data)
    except OSError as error:
        raise CliError(f"{path}: {error.strerror or error}.") from error
    return {"file": str(path), "size": size, "sha256": digest.hexdigest()}
