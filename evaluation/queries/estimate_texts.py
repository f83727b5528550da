"""The texts that the text classifier reads: of the pairs of a sample, and of their topics."""

from campaigns.errors import ActionRefused
from campaigns.models import Campaign
from campaigns.services.rows import iter_batches
from poolbench.estimation.frame import PoolFrame
from poolbench.estimation.text_scores import TextInput, build_text_input
from poolbench.pooling.document_texts import document_text
from pooling.models import Pool
from pooling.queries.document_texts import load_documents_with_text, topic_query

NO_TEXTS = "The text classifier needs texts, and no document of the sample has one."
IMPORT_TEXTS = "Import texts of documents (PDF and images have none), or leave the classifier out."


def check_has_texts(pool: Pool) -> None:
    """Raise ``ActionRefused`` unless a document of ``pool`` has a text."""
    docnos = pool.items.order_by().values_list("docno", flat=True).distinct()
    for part in iter_batches(sorted(docnos)):
        documents = load_documents_with_text(pool.campaign, part)
        if any(document_text(document).strip() for document in documents.values()):
            return
    raise ActionRefused("needs-texts", NO_TEXTS, IMPORT_TEXTS)


def load_text_input(campaign: Campaign, frame: PoolFrame) -> TextInput:
    """For the pairs of ``frame``; raises ``ActionRefused`` if none has a text."""
    texts = dict[str, str]()
    for part in iter_batches(sorted({str(docno) for docno in frame.docnos})):
        documents = load_documents_with_text(campaign, part)
        texts |= {docno: document_text(document) for docno, document in documents.items()}
    queries = {topic.number: topic_query(topic) for topic in campaign.topics.all()}
    built = build_text_input(frame, queries, texts)
    if not built.coverage:
        raise ActionRefused("needs-texts", NO_TEXTS, IMPORT_TEXTS)
    return built
