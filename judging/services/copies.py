"""What a copy of a campaign takes over of judging: the stopping rule, and training."""

from campaigns.models import Campaign, User
from judging.models import TrainingPair
from judging.queries.slots import latest_rule
from judging.services.stopping import set_stopping_rule


def copy_judging_settings(actor: User, source: Campaign, copy: Campaign) -> None:
    """The stopping rule, and training pairs whose topic and document were copied."""
    if newest := latest_rule(source):
        set_stopping_rule(actor=actor, campaign=copy, rule=newest.rule)
    topics = {topic.number: topic for topic in copy.topics.all()}
    pairs = list(source.training.select_related("topic")) if topics else []
    docnos = {pair.docno for pair in pairs}
    known = set(copy.documents.filter(docno__in=docnos).values_list("docno", flat=True))
    TrainingPair.objects.bulk_create(
        TrainingPair(
            campaign=copy, audience=pair.audience, topic=topics[pair.topic.number],
            docno=pair.docno, grade=pair.grade, explanation=pair.explanation,
            position=pair.position,
        )
        for pair in pairs
        if pair.docno in known
    )  # fmt: skip
