"""The models by name, in display order."""

from __future__ import annotations

from judging.core.aggregation.base import AggregationModel
from judging.core.aggregation.dawid_skene import DAWID_SKENE
from judging.core.aggregation.glad import GLAD
from judging.core.aggregation.mace import MACE
from judging.core.aggregation.majority import MAJORITY
from judging.core.aggregation.one_coin import ONE_COIN
from judging.core.aggregation.ordinal import ORDINAL
from judging.core.aggregation.weighted import WEIGHTED_MAJORITY

MODELS: dict[str, AggregationModel] = {
    model.name: model
    for model in (
        MAJORITY,
        WEIGHTED_MAJORITY,
        DAWID_SKENE,
        ONE_COIN,
        GLAD,
        MACE,
        ORDINAL,
    )
}
