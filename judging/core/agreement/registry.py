"""The coefficients by name, in display order."""

from __future__ import annotations

from judging.core.agreement.coefficient import AgreementCoefficient
from judging.core.agreement.cohen import KAPPA, KAPPA_LINEAR, KAPPA_QUADRATIC
from judging.core.agreement.fleiss import BRENNAN_PREDIGER, FLEISS, SCOTT
from judging.core.agreement.gwet import AC1, AC2_LINEAR, AC2_ORDINAL, AC2_QUADRATIC
from judging.core.agreement.krippendorff import (
    ALPHA_INTERVAL,
    ALPHA_NOMINAL,
    ALPHA_ORDINAL,
    ALPHA_RATIO,
)
from judging.core.agreement.overlap import OVERLAP
from judging.core.agreement.percent import PERCENT

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
