"""The designs by name."""

from __future__ import annotations

from poolbench.judging.designs.allocation import PlanDesign
from poolbench.judging.designs.blocks import BLOCKS
from poolbench.judging.designs.overlap import OVERLAP
from poolbench.judging.designs.round_robin import ROUND_ROBIN
from poolbench.judging.designs.share import SHARE
from poolbench.judging.designs.topic_owner import TOPIC_OWNER

DESIGNS: dict[str, PlanDesign] = {
    design.name: design for design in (TOPIC_OWNER, OVERLAP, SHARE, ROUND_ROBIN, BLOCKS)
}
