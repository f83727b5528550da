"""Models that judge: which pairs are theirs, and what their answers add up to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby, islice
from typing import NamedTuple

from django.db.models import Count, Q, QuerySet, Sum

from campaigns.models import Campaign, Topic
from judging.models import AutomaticAssessor, ModelAnswer, PromptCard
from poolbench.judging.prompts import Example, build_prompt, find_instructions, hash_request
from poolbench.pooling.document_texts import document_text
from poolbench.pooling.methods.influence import list_frame
from pooling.models import Pool, PoolItem
from pooling.queries.document_texts import load_documents_with_text
from pooling.queries.frozen_pools import frozen_listing, is_drawn_by_influence

AT_ONCE = 200
"""Pairs whose texts are in memory."""
Pair = tuple[Topic, str]


class ModelRequest(NamedTuple):
    """The request about a pair; ``instructions``: words of the document that speak to a model."""

    topic: Topic
    docno: str
    prompt: str
    key: str
    instructions: str


@dataclass(frozen=True)
class AnswerTotals:
    """``answers`` of a model: ``without`` have no grade, of ``flagged`` ones the document speaks to
    the model. Seconds are those of all requests, one after another.
    """

    answers: int
    without: int
    flagged: int
    requests: int
    prompt_tokens: int
    answer_tokens: int
    seconds: float


@dataclass(frozen=True)
class RestForecast:
    """What the ``pairs`` that are left will take, by the answers so far. ``cost`` in the unit of
    the prices; None without prices.
    """

    pairs: int
    prompt_tokens: int
    answer_tokens: int
    cost: float | None
    hours: float


def find_pool_to_judge(campaign: Campaign) -> Pool | None:
    """The newest pool that is a sample, since estimates need the grades of all its pairs, drawn or
    not; without one the newest pool.
    """
    pools = list(campaign.pools.all())
    return next(filter(is_drawn_by_influence, pools), next(iter(pools), None))


def list_pairs_to_judge(pool: Pool, card: PromptCard) -> list[Pair]:
    """The pairs of ``pool``, topic by topic. An example of ``card`` is not among them: its model
    knows the grade.
    """
    topics = {topic.number: topic for topic in pool.campaign.topics.all()}
    examples = {(example.topic, example.docno) for example in card.content.examples}
    return [
        (topics[number], docno)
        for number, docno in iter_pool_pairs(pool)
        if number in topics and (number, docno) not in examples
    ]


def iter_pool_pairs(pool: Pool) -> Iterator[tuple[str, str]]:
    """Topic number and docno of each pair: of a sample also those that were not drawn."""
    if is_drawn_by_influence(pool):
        frame = list_frame(frozen_listing(pool))
        for at, docno in zip(frame.topic_index.tolist(), frame.docnos, strict=True):
            yield frame.topics[at], docno
        return
    rows = pool.items.order_by("topic__position", "topic__number", "docno")
    yield from rows.values_list("topic__number", "docno").iterator()


def select_trial(pairs: Sequence[Pair], number: int) -> list[Pair]:
    """``number`` pairs from all topics, always the same ones, grouped by topic."""

    def spread(pair: Pair) -> str:
        return sha256(f"{pair[0].number} {pair[1]}".encode("utf-8", "replace")).hexdigest()

    return sorted(sorted(pairs, key=spread)[:number], key=lambda pair: (pair[0].pk, pair[1]))


def iter_requests(
    automatic: AutomaticAssessor, pairs: Sequence[Pair]
) -> Iterator[list[ModelRequest]]:
    """The requests for ``pairs``, some at a time. Documents without text, such as PDF and images,
    are left out.
    """
    card = automatic.card
    if card is None:
        return
    content, campaign = card.content, automatic.campaign
    for topic, group in groupby(pairs, key=lambda pair: pair[0]):
        examples = load_examples(campaign, content.select_examples(topic.number))
        while part := [docno for _, docno in islice(group, AT_ONCE)]:
            documents = load_documents_with_text(campaign, part)
            requests = []
            for docno in part:
                if docno not in documents:
                    continue
                text = document_text(documents[docno])[: content.characters]
                prompt = build_prompt(content, format_topic_text(topic), text, examples)
                key = hash_request(card.sha256, automatic.model, prompt)
                requests.append(
                    ModelRequest(topic, docno, prompt, key, find_instructions(text) or "")
                )
            yield requests


def format_topic_text(topic: Topic) -> str:
    """The whole text of a topic, as assessors see it."""
    return "\n".join(filter(None, (topic.title, topic.description, topic.narrative)))


def load_examples(campaign: Campaign, examples: Sequence[Example]) -> list[tuple[str, int]]:
    documents = load_documents_with_text(campaign, [example.docno for example in examples])
    return [
        (document_text(documents[example.docno]), example.grade)
        for example in examples
        if example.docno in documents
    ]


def list_sampled_examples(card: PromptCard) -> list[Example]:
    """The examples of ``card`` that were drawn into a sample since: people's grades of them would
    correct the model that knows them.
    """
    pools = [pool.pk for pool in card.campaign.pools.all() if is_drawn_by_influence(pool)]
    drawn = set(
        PoolItem.objects.filter(
            pool__in=pools, docno__in=[example.docno for example in card.content.examples]
        ).values_list("topic__number", "docno")
    )
    return [example for example in card.content.examples if (example.topic, example.docno) in drawn]


def sum_answers(automatic: AutomaticAssessor) -> AnswerTotals:
    sums = automatic.answers.aggregate(
        answers=Count("pk"),
        without=Count("pk", filter=Q(grade=None)),
        flagged=Count("pk", filter=~Q(instructions="")),
        requests=Sum("requests", default=0),
        prompt_tokens=Sum("prompt_tokens", default=0),
        answer_tokens=Sum("answer_tokens", default=0),
        seconds=Sum("seconds", default=0.0),
    )
    return AnswerTotals(**sums)


def list_flagged_answers(automatic: AutomaticAssessor) -> QuerySet[ModelAnswer]:
    """Answers about documents that speak to the model, and those without a grade."""
    flagged = automatic.answers.filter(~Q(instructions="") | Q(grade=None))
    return flagged.select_related("topic").order_by("topic__position", "topic__number", "docno")


def forecast_rest(
    totals: AnswerTotals,
    pairs: int,
    *,
    at_once: int,
    per_minute: float,
    prices: Sequence[float] | None = None,
) -> RestForecast | None:
    """What the rest of ``pairs`` will take; None before the first answer. ``prices``: of 1,000
    tokens of prompts, and of answers.
    """
    if not totals.answers:
        return None
    left = max(0, pairs - totals.answers)
    share = left / totals.answers
    prompt, answer = totals.prompt_tokens * share, totals.answer_tokens * share
    cost = (prompt * prices[0] + answer * prices[1]) / 1000 if prices else None
    hours = max(totals.requests * share / per_minute / 60, totals.seconds * share / at_once / 3600)
    return RestForecast(left, round(prompt), round(answer), cost, hours)
