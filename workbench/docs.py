"""Fill the blocks of docs/*.md: ``make docs``. Needs no database.

Every block of every page and the function behind it: those of the cores are in ``BLOCKS`` of their
modules ``docs``; a list of cards needs no function of its own.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

import django

from campaigns.core.cards import render_card_markdown, render_cards
from common.docs import Blocks, fill_blocks, find_stale_blocks
from crowd.core.hourly_pay import PAY
from crowd.core.providers.registry import PROVIDERS
from crowd.core.quality.cards import CARDS as CROWD_QUALITY_CARDS
from crowd.core.quality.cards import PAY_CARDS
from crowd.core.quality.operating import render_operating_table
from evaluation.core.charts.boxes import BOX_PLOT
from evaluation.core.charts.caterpillar import CATERPILLAR
from evaluation.core.comparison import docs as comparison_docs
from evaluation.core.measures import docs as measures_docs
from evaluation.core.precision_histogram import PRECISION_HISTOGRAM
from evaluation.core.users.measures import USER_MEASURES
from judging.core.agreement import docs as agreement_docs
from judging.core.designs.registry import DESIGNS
from pooling.core import docs as pooling_docs
from preferences.core import docs as preferences_docs
from reliability.core.collection.cards import CARDS as COLLECTION_CARDS
from reliability.core.disagreement.cards import CARDS as DISAGREEMENT_CARDS
from reliability.core.stopping.cards import CARDS as STOPPING_CARDS
from workbench import command_docs

DOCS = Path(__file__).parent.parent / "docs"
BLOCKS: Blocks = {
    **agreement_docs.BLOCKS,
    **command_docs.BLOCKS,
    **comparison_docs.BLOCKS,
    **measures_docs.BLOCKS,
    **pooling_docs.BLOCKS,
    **preferences_docs.BLOCKS,
    **{
        f"judging.{name}": partial(render_card_markdown, design.card)
        for name, design in DESIGNS.items()
    },
    "crowd.hourly-pay": partial(render_card_markdown, PAY, level=4),
    "crowd.providers": partial(
        render_cards, [provider.card for provider in PROVIDERS.values()], level=4
    ),
    "crowd.pay": partial(render_cards, PAY_CARDS),
    "crowd.quality": partial(render_cards, CROWD_QUALITY_CARDS),
    "crowd.stop-rule": render_operating_table,
    "collection.cards": partial(render_cards, COLLECTION_CARDS, level=2),
    "disagreement.cards": partial(render_cards, DISAGREEMENT_CARDS, level=2),
    "results.box-plot": partial(render_card_markdown, BOX_PLOT),
    "results.caterpillar": partial(render_card_markdown, CATERPILLAR),
    "results.histogram": partial(render_card_markdown, PRECISION_HISTOGRAM),
    "results.letters": comparison_docs.render_letters,
    "stopping.cards": partial(render_cards, STOPPING_CARDS, level=2),
    "users.known-documents": partial(render_cards, USER_MEASURES),
}
"""The function that renders each block."""


def main() -> None:
    """Fill the blocks of all pages and print the names of those that were stale."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    django.setup()
    for path in sorted(DOCS.glob("*.md")):
        page = path.read_text()
        if stale := find_stale_blocks(page, BLOCKS):
            path.write_text(fill_blocks(page, BLOCKS))
            sys.stdout.write(f"{path.name}: {', '.join(stale)}\n")


if __name__ == "__main__":
    main()
