"""What kind of scores come of qrels: by people's grades of a pool, of a sample, or filled in."""

from campaigns.models import CampaignTask
from evaluation.models import ScoreSet
from judging.models import Qrels
from pooling.models import Pool


def find_pool(qrels: Qrels, task: CampaignTask | None) -> Pool | None:
    """The latest pool before the qrels were frozen."""
    pools = qrels.campaign.pools.filter(task=task, frozen_at__lte=qrels.frozen_at)
    return pools.order_by("-version").first()


def decide_kind(qrels: Qrels, task: CampaignTask | None) -> str:
    """The kind of plain scores by ``qrels``."""
    if qrels.label:
        return ScoreSet.Kind.FILLED
    pool = find_pool(qrels, task)
    is_sample = pool is not None and pool.items.filter(probability__lt=1).exists()
    return ScoreSet.Kind.SAMPLE if is_sample else ScoreSet.Kind.PEOPLE
