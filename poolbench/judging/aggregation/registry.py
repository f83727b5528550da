"""The models by name, in display order."""

from __future__ import annotations

from poolbench.judging.aggregation.base import AggregationModel
from poolbench.judging.aggregation.dawid_skene import DAWID_SKENE
from poolbench.judging.aggregation.glad import GLAD
from poolbench.judging.aggregation.mace import MACE
from poolbench.judging.aggregation.majority import MAJORITY
from poolbench.judging.aggregation.one_coin import ONE_COIN
from poolbench.judging.aggregation.ordinal import ORDINAL
from poolbench.judging.aggregation.weighted import WEIGHTED_MAJORITY

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
