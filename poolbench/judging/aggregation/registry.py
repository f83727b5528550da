"""The models by name, in display order."""

from poolbench.judging.aggregation.base import AggregationModel
from poolbench.judging.aggregation.dawid_skene import DAWID_SKENE, ONE_COIN, ORDINAL
from poolbench.judging.aggregation.glad import GLAD
from poolbench.judging.aggregation.mace import MACE
from poolbench.judging.aggregation.majority import MAJORITY, WEIGHTED_MAJORITY

MODELS: dict[str, AggregationModel] = {
    model.name: model
    for model in (MAJORITY, WEIGHTED_MAJORITY, DAWID_SKENE, ONE_COIN, GLAD, MACE, ORDINAL)
}
