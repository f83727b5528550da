"""The designs by name."""

from __future__ import annotations

from judging.core.designs.allocation import PlanDesign
from judging.core.designs.blocks import BLOCKS
from judging.core.designs.overlap import OVERLAP
from judging.core.designs.round_robin import ROUND_ROBIN
from judging.core.designs.share import SHARE
from judging.core.designs.topic_owner import TOPIC_OWNER

DESIGNS: dict[str, PlanDesign] = {
    design.name: design for design in (TOPIC_OWNER, OVERLAP, SHARE, ROUND_ROBIN, BLOCKS)
}
