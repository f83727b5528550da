"""What the desk shows when no documents are left: of a topic, of adjudication, or of a request."""

from django.template.loader import render_to_string
from django.utils.translation import gettext_lazy as _

from campaigns.models import Campaign, Topic, User
from campaigns.views.helpers import SignedInRequest
from judging.queries.screen import AssessorTopic, list_assessor_topics, list_own_flagged
from judging.services.leases import find_topic_of_round
from judging.views.judging_screen import ADJUDICATE, Progress, list_desk_urls


def build_finished_topic(
    actor: User, campaign: Campaign, topic: Topic, progress: Progress, message: str = ""
) -> dict[str, object]:
    """The context of the page shown when a topic has no documents left for the assessor."""
    topics = list_assessor_topics(campaign, actor)
    mine = next((row for row in topics if row.topic == topic), progress)
    others = [row for row in topics if row.topic != topic]
    here = list_topics_of_round(actor, campaign, others) if mine.left else []
    return {
        "campaign": campaign,
        "topic": topic,
        "mine": mine,
        "is_held": bool(here),
        "next": next_topic(here or others),
        "message": message,
        "is_open": campaign.takes_judgments(),
        "unsure": len(list_own_flagged(campaign, actor, topic, "unsure"))
        if mine.done and not mine.left
        else 0,
    }


def render_finished(
    request: SignedInRequest,
    campaign: Campaign,
    topic: Topic | None,
    progress: Progress,
    message: str = "",
    *,
    review: bool = False,
) -> dict[str, str]:
    """What the script shows when no documents are left, as ``render_judging_documents``."""
    if topic is not None and isinstance(progress, AssessorTopic):
        context = build_finished_topic(request.user, campaign, topic, progress, message)
        return {"over": render_to_string("judging/_topic_finished.html", context, request)}
    heading = _("Documents to look at again") if review else _("Adjudication")
    context = {
        "campaign": campaign, "progress": progress, "message": message, "heading": heading,
    }  # fmt: skip
    context |= {} if review else list_desk_urls(campaign, ADJUDICATE, None)
    names = {
        "over": f"judging/_{'review' if review else 'adjudication'}_finished.html",
        "over_parts": "judging/_document_parts.html",
    }
    return {key: render_to_string(name, context, request) for key, name in names.items()}


def list_topics_of_round(
    actor: User, campaign: Campaign, topics: list[AssessorTopic]
) -> list[AssessorTopic]:
    """The one of ``topics`` to go on with in this round of a sample: others have documents that
    wait for the next one. None without rounds.
    """
    held = find_topic_of_round(actor, campaign)
    return [row for row in topics if held is not None and row.topic == held]


def find_next_topic(
    actor: User, campaign: Campaign, topics: list[AssessorTopic]
) -> AssessorTopic | None:
    return next_topic(list_topics_of_round(actor, campaign, topics) or topics)


def next_topic(topics: list[AssessorTopic]) -> AssessorTopic | None:
    """The topic to continue with: started topics come first."""
    ready = [row for row in topics if row.left and not (row.paused and not row.checked_out)]
    return min(ready, key=lambda row: row.done == 0 and row.checked_out == 0, default=None)
