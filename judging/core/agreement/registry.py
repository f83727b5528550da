"""The table of coefficients, in the order of display."""

from __future__ import annotations

from judging.core.agreement.cohen import KAPPA, KAPPA_LINEAR, KAPPA_QUADRATIC
from judging.core.agreement.krippendorff import ALPHA_NOMINAL, ALPHA_ORDINAL
from judging.core.agreement.labels import Agreement
from judging.core.agreement.overlap import OVERLAP
from judging.core.agreement.percent import PERCENT

COEFFICIENTS: dict[str, Agreement] = {
    coefficient.name: coefficient
    for coefficient in (
        PERCENT,
        KAPPA,
        KAPPA_LINEAR,
        KAPPA_QUADRATIC,
        OVERLAP,
        ALPHA_NOMINAL,
        ALPHA_ORDINAL,
    )
}
