"""The pages on the trust in a collection belong to the tabs of what they examine."""

from __future__ import annotations

from campaigns.lifecycle.registry import LifeCycle

LIFE_CYCLE = LifeCycle(
    paths={
        "pools": ("simulation",),
        "judging": ("stopping",),
        "agreement": ("disagreement",),
        "qrels-list": ("collection",),
    }
)
