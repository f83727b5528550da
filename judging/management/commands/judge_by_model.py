"""``manage.py judge_by_model SLUG NAME``: let a model judge the pairs of a campaign's pool."""

from functools import partial
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaigns.errors import ActionRefused
from campaigns.management.campaign_command import get_campaign
from campaigns.management.import_command import get_organizer
from judging.management.commands.import_judgments import find_automatic_assessor
from judging.models import AutomaticAssessor
from judging.queries.models import (
    find_pool_to_judge,
    forecast_rest,
    list_pairs_to_judge,
    sum_answers,
)
from judging.services.model_judging import ModelWish, check_wish, judge_by_model, log_consent
from poolbench.files.faults import format_count


class Command(BaseCommand):
    help = (
        "Let a model judge the pairs of a campaign's pool, by the prompt card of an automatic "
        "assessor. What was answered before is not asked again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("slug", help="short name of the campaign")
        add("name", help="name of the automatic assessor")
        add("--address", help="where the model is (default: the operator's first address)")
        add("--at-once", type=int, default=4, help="requests at the same time (default: 4)")
        add("--per-minute", type=int, default=60, help="requests per minute (default: 60)")
        add("--trial", action="store_true", help="20 pairs only, after which the rest is estimated")
        add(
            "--prices",
            nargs=2,
            type=float,
            metavar=("PROMPT", "ANSWER"),
            help="prices of 1,000 tokens of prompts and of answers",
        )
        add(
            "--texts-may-leave",
            action="store_true",
            help="confirm that topics and documents may be sent to the address",
        )
        add("--as", dest="username", help="act as this organizer (default: the first one)")

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = get_campaign(options["slug"])
        actor = get_organizer(campaign, options["username"])
        automatic = find_automatic_assessor(campaign, options["name"])
        if automatic is None:
            raise CommandError("Name the automatic assessor.")
        wish = ModelWish(
            address=options["address"] or next(iter(settings.POOLBENCH_MODEL_ADDRESSES), ""),
            at_once=options["at_once"],
            per_minute=options["per_minute"],
            trial=options["trial"],
            texts_may_leave=options["texts_may_leave"],
        )
        try:
            check_wish(actor, campaign, automatic, wish)
            log_consent(actor, campaign, automatic, wish)
            judge = partial(judge_by_model, actor=actor, campaign=campaign, automatic=automatic)
            judge(wish=wish, progress=self.write_progress)
        except ActionRefused as refused:
            raise CommandError(f"{refused} {refused.fix}") from refused
        self.write_totals(automatic, wish, options["prices"])

    def write_progress(self, done: int, total: int) -> None:
        self.stderr.write(f"{done:,} of {format_count(total, 'pair')}")

    def write_totals(
        self, automatic: AutomaticAssessor, wish: ModelWish, prices: list[float] | None
    ) -> None:
        """Write what was answered, and what the rest will take."""
        totals, pool = sum_answers(automatic), find_pool_to_judge(automatic.campaign)
        self.stdout.write(
            f"{format_count(totals.answers, 'answer')}, {totals.without:,} without a grade, "
            f"{totals.flagged:,} about documents that speak to the model; "
            f"{totals.prompt_tokens:,} + {totals.answer_tokens:,} tokens"
        )
        card = automatic.card
        if pool is None or card is None:
            return
        rest = forecast_rest(
            totals,
            len(list_pairs_to_judge(pool, card)),
            at_once=wish.at_once,
            per_minute=wish.per_minute,
            prices=prices,
        )
        if rest is not None and rest.pairs:
            cost = "" if rest.cost is None else f", costs {rest.cost:,.2f}"
            self.stdout.write(
                f"left: {format_count(rest.pairs, 'pair')}, about {rest.prompt_tokens:,} + "
                f"{rest.answer_tokens:,} tokens, {rest.hours:.1f} hours{cost}"
            )
