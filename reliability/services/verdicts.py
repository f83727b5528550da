"""The verdicts on agreement, stopping and reusability, for the registry of verdicts."""

from __future__ import annotations

from campaigns.services.verdicts import VerdictKind
from reliability.core.verdicts.agreement import AGREEMENT_RULE
from reliability.core.verdicts.reusability import COLLECTION_RULE
from reliability.core.verdicts.stopping import STOPPING_RULE
from reliability.queries.agreement_figures import (
    load_agreement_figures,
    restore_agreement_figures,
)
from reliability.queries.collection_figures import (
    load_collection_figures,
    restore_collection_figures,
)
from reliability.queries.stopping_figures import load_stopping_figures, restore_stopping_figures
from reliability.queries.verdict_figures import identify_judging

VERDICTS = (
    VerdictKind(
        AGREEMENT_RULE,
        "agreement",
        identify_judging,
        load_agreement_figures,
        restore_agreement_figures,
    ),
    VerdictKind(
        STOPPING_RULE,
        "stopping",
        identify_judging,
        load_stopping_figures,
        restore_stopping_figures,
    ),
    VerdictKind(
        COLLECTION_RULE,
        "reusability",
        identify_judging,
        load_collection_figures,
        restore_collection_figures,
    ),
)
