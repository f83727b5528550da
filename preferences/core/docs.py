"""The blocks of docs/preferences.md: the cards of this package."""

from __future__ import annotations

from functools import partial

from campaigns.core.cards import render_cards
from common.docs import Blocks
from preferences.core.bradley_terry import BRADLEY_TERRY
from preferences.core.click_preferences import PREFERENCES
from preferences.core.credit_outcome import OUTCOME
from preferences.core.cycles import CYCLES
from preferences.core.interleaving_methods import METHODS
from preferences.core.pair_designs import PAIR_DESIGN
from preferences.core.preference_score import KEPT_SHARE

METHOD_CARDS = tuple(method.card for method in METHODS.values())
BLOCKS: Blocks = {
    "preferences.pair_design": partial(render_cards, (PAIR_DESIGN,)),
    "preferences.interleaving": partial(render_cards, (*METHOD_CARDS, OUTCOME)),
    "preferences.clicks": partial(render_cards, (PREFERENCES,)),
    "preferences.score": partial(render_cards, (KEPT_SHARE,)),
    "preferences.strengths": partial(render_cards, (BRADLEY_TERRY,)),
    "preferences.cycles": partial(render_cards, (CYCLES,)),
}
