"""The coefficients by name, in display order."""

from __future__ import annotations

from poolbench.judging.agreement.coefficient import AgreementCoefficient
from poolbench.judging.agreement.cohen import KAPPA, KAPPA_LINEAR, KAPPA_QUADRATIC
from poolbench.judging.agreement.fleiss import BRENNAN_PREDIGER, FLEISS, SCOTT
from poolbench.judging.agreement.gwet import AC1, AC2_LINEAR, AC2_ORDINAL, AC2_QUADRATIC
from poolbench.judging.agreement.krippendorff import (
    ALPHA_INTERVAL,
    ALPHA_NOMINAL,
    ALPHA_ORDINAL,
    ALPHA_RATIO,
)
from poolbench.judging.agreement.observed import OVERLAP, PERCENT

COEFFICIENTS: dict[str, AgreementCoefficient] = {
    coefficient.name: coefficient
    for coefficient in (
        PERCENT,
        KAPPA,
        KAPPA_LINEAR,
        KAPPA_QUADRATIC,
        SCOTT,
        FLEISS,
        BRENNAN_PREDIGER,
        AC1,
        AC2_LINEAR,
        AC2_QUADRATIC,
        AC2_ORDINAL,
        ALPHA_NOMINAL,
        ALPHA_ORDINAL,
        ALPHA_INTERVAL,
        ALPHA_RATIO,
        OVERLAP,
    )
}
