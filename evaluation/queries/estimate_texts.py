"""The texts that the text classifier reads: of the pairs of a sample, and of their topics."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from campaigns.services.collection import iter_batches
from poolbench.estimation.frame import PoolFrame
from poolbench.estimation.text_scores import TextScores, build_text_scores
from poolbench.pooling.document_texts import document_text
from pooling.models import Pool
from pooling.queries.document_texts import load_documents_with_text, text_hashes, topic_query

AT_ONCE = 2000
"""Documents whose texts are read at a time."""
NO_TEXTS = "The text classifier needs texts, and no document of the sample has one."
IMPORT_TEXTS = "Import texts of documents (PDF and images have none), or leave the classifier out."


@dataclass(frozen=True, eq=False)
class TextInput:
    """``scores`` of the pairs, of which ``coverage`` is the share that has a text; ``sha256``: of
    queries and texts, by which a release knows whether they are the same.
    """

    scores: TextScores
    coverage: float
    sha256: str


def check_has_texts(pool: Pool) -> None:
    """Raise ``ActionRefused`` unless a document of ``pool`` has a text."""
    docnos = pool.items.order_by().values_list("docno", flat=True).distinct()
    if not any(text_hashes(pool.campaign, part) for part in iter_batches(sorted(docnos))):
        raise ActionRefused("needs-texts", NO_TEXTS, IMPORT_TEXTS)


def load_text_input(campaign: Campaign, frame: PoolFrame) -> TextInput:
    """For the pairs of ``frame``; documents without a text have an empty one."""
    docnos = [str(docno) for docno in frame.docnos]
    texts, wanted = dict[str, str](), sorted(set(docnos))
    for start in range(0, len(wanted), AT_ONCE):
        part = load_documents_with_text(campaign, wanted[start : start + AT_ONCE])
        texts |= {docno: document_text(document) for docno, document in part.items()}
    if not any(texts.values()):
        raise ActionRefused("needs-texts", NO_TEXTS, IMPORT_TEXTS)
    known = {topic.number: topic_query(topic) for topic in campaign.topics.all()}
    queries = [known.get(topic, "") for topic in frame.topics]
    own = [texts.get(docno, "") for docno in docnos]
    digest = sha256()
    for text in (*queries, *own):
        digest.update(sha256(text.encode("utf-8", "replace")).digest())
    coverage = sum(map(bool, own)) / max(len(own), 1)
    return TextInput(build_text_scores(frame, queries, own), coverage, digest.hexdigest())
