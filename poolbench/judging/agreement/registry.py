"""The coefficients by name, in display order."""

from poolbench.judging.agreement.coefficient import AgreementCoefficient
from poolbench.judging.agreement.cohen import COHEN
from poolbench.judging.agreement.fleiss import BRENNAN_PREDIGER, FLEISS, SCOTT
from poolbench.judging.agreement.gwet import GWET
from poolbench.judging.agreement.krippendorff import KRIPPENDORFF
from poolbench.judging.agreement.observed import OVERLAP, PERCENT

COEFFICIENTS: dict[str, AgreementCoefficient] = {
    each.name: each
    for each in (PERCENT, *COHEN, SCOTT, FLEISS, BRENNAN_PREDIGER, *GWET, *KRIPPENDORFF, OVERLAP)
}
