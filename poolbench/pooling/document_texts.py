"""The texts that methods read, and the hash by which a replayed pool is known to read the same."""

from collections.abc import Iterable
from hashlib import sha256

from poolbench.texts.documents import DocumentText
from poolbench.texts.markup import strip_markup


def document_text(document: DocumentText) -> str:
    """Title and body as one text; HTML without its tags."""
    body = strip_markup(document.body) if document.format == "html" else document.body
    return f"{document.title}\n{body}"


def hash_topic_texts(query: str, hashes: Iterable[tuple[str, str]]) -> str:
    """sha256 of the sha256 of ``query`` and a line ``docno sha256`` per document."""
    first = sha256(query.encode()).hexdigest()
    lines = [first, *(f"{docno} {digest}" for docno, digest in hashes)]
    return sha256("\n".join(lines).encode()).hexdigest()
