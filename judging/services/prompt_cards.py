"""Prompt cards: requests to models, and the automatic assessors that are a card and a model."""

from collections.abc import Sequence
from dataclasses import asdict

from django.db import transaction

from campaigns.errors import ActionRefused
from campaigns.models import Campaign, User
from campaigns.rules import require_permission
from campaigns.services import events
from judging.models import AutomaticAssessor, PromptCard, PromptCardRelease
from judging.queries.models import list_sampled_examples
from judging.queries.training import list_training
from judging.services.automatic import create_automatic_assessor
from poolbench.judging import prompts
from poolbench.judging.prompts import Example

MOST_SHOWN, MOST_CHARACTERS = 20, 200_000


def create_model_assessor(
    *,
    actor: User,
    campaign: Campaign,
    name: str,
    model: str,
    template: str = prompts.TEMPLATE,
    example_count: int = 0,
    characters: int = 20_000,
) -> AutomaticAssessor:
    """Add an automatic assessor that is ``model`` asked by a prompt card, which is written unless
    the campaign has the same one.

    ``example_count`` training pairs of the same topic at most stand in a prompt as examples.
    """
    require_permission(actor, "campaigns.manage", campaign)
    check_card(model, template, example_count, characters)
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        card = get_or_write_card(actor, campaign, template, example_count, characters)
        if twin := card.assessors.filter(model=model).first():
            fix = "Use that one, or change the card or the model."
            message = f"{twin.name} is the same model with the same card."
            raise ActionRefused("same-model", message, fix)
        automatic = create_automatic_assessor(
            actor=actor, campaign=campaign, name=name, description=f"{model}, prompt {card}."
        )
        automatic.card, automatic.model = card, model
        automatic.save(update_fields=["card", "model"])
    return automatic


def check_card(model: str, template: str, example_count: int, characters: int) -> None:
    """Raise ``ActionRefused`` for a card that no request can be made from."""
    if not model.strip() or len(model) > 200:
        fix = "Write it as the address expects it, at most 200 characters."
        raise ActionRefused("bad-model", "The model has no name.", fix)
    if place := prompts.find_missing_place(template):
        message = f"The template lacks {{{place}}}."
        raise ActionRefused("bad-template", message, "Write it where that text belongs.")
    if not (0 <= example_count <= MOST_SHOWN and 1 <= characters <= MOST_CHARACTERS):
        fix = f"At most {MOST_SHOWN} examples and {MOST_CHARACTERS:,} characters of a document."
        raise ActionRefused("bad-card", "The card is beyond the limits.", fix)


def get_or_write_card(
    actor: User, campaign: Campaign, template: str, example_count: int, characters: int
) -> PromptCard:
    """The card of the campaign with this content and the current scale and training pairs."""
    text = template.replace("\r\n", "\n")
    scale = tuple(campaign.grades.order_by("value").values_list("value", "label", "meaning"))
    content = prompts.PromptContent(
        template=text,
        scale=scale,
        examples=tuple(choose_examples(campaign, example_count)),
        example_count=example_count,
        characters=characters,
    )
    if card := campaign.prompt_cards.filter(sha256=content.sha256).first():
        return card
    card = PromptCard(
        campaign=campaign,
        version=campaign.prompt_cards.count() + 1,
        template=text,
        scale=[list(grade) for grade in scale],
        examples=[list(asdict(example).values()) for example in content.examples],
        example_count=example_count,
        characters=characters,
        sha256=content.sha256,
        created_by=actor,
    )
    if sampled := list_sampled_examples(card):
        raise ActionRefused("example-sampled", explain_sampled(sampled), FIX_SAMPLED)
    card.save()
    events.log_event(
        campaign=campaign, actor=actor, code="automatic.card_written", subject=str(card),
        sha256=card.sha256,
    )  # fmt: skip
    return card


def release_card(*, actor: User, card: PromptCard) -> PromptCardRelease:
    """Let everybody in the campaign read ``card``, permanently; after scores are released, since
    runs and texts can be written for a prompt that is known.
    """
    campaign = card.campaign
    require_permission(actor, "campaigns.manage", campaign)
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        if not campaign.score_sets.filter(released_at__isnull=False).exists():
            fix = "Release a score set first: teams could write runs for a prompt that they know."
            raise ActionRefused("scores-hidden", "No scores are released.", fix)
        if PromptCardRelease.objects.filter(card=card).exists():
            fix = "Nothing is left to do."
            raise ActionRefused("already-released", f"The {card} is released already.", fix)
        released = PromptCardRelease.objects.create(card=card, by=actor)
        events.log_event(
            campaign=campaign, actor=actor, code="automatic.card_released", subject=str(card),
            sha256=card.sha256,
        )  # fmt: skip
    return released


FIX_SAMPLED = "Take other training pairs, or write a card without examples."


def explain_sampled(examples: Sequence[Example]) -> str:
    first = examples[0]
    return (
        f"{len(examples)} of the card's examples are in a sample, first {first.docno} of topic "
        f"{first.topic}: people's grades of them would correct a model that knows these grades."
    )


def choose_examples(campaign: Campaign, example_count: int) -> list[Example]:
    """The first ``example_count`` training pairs of each topic."""
    by_topic = dict[str, list[Example]]()
    for pair in list_training(campaign) if example_count else ():
        own = by_topic.setdefault(pair.topic.number, [])
        if len(own) < example_count:
            own.append(Example(pair.topic.number, pair.docno, pair.grade))
    return [example for own in by_topic.values() for example in own]
