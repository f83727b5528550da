"""The Wilson score interval of a share: how sure an accuracy on few answers is."""

from __future__ import annotations

from poolbench.cards import Card
from poolbench.statistics.estimate import Estimate
from poolbench.statistics.proportions import wilson_estimate

WILSON = Card(
    name="gold-accuracy",
    title="Accuracy on gold, with its Wilson interval",
    formula="p = right / n;  (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n),  z = 1.95996",
    reading=(
        "The share of gold documents on which a worker gave exactly the known grade, and the "
        "accuracies that are compatible with it at 95 % confidence."
    ),
    source=(
        "E. B. Wilson, Probable inference, the law of succession, and statistical inference, "
        "Journal of the American Statistical Association 22(158), 1927, 209–212."
    ),
    edge_cases=(
        "A skipped gold document is no answer: it is in neither right nor n.",
        "Of an answer that was changed, the latest revision counts.",
        "With 0 or n right the interval has one end at 0 or 1, never a width of 0.",
    ),
    undefined="no gold document was answered (n = 0); the interval is then 0 to 1.",
    example="8 right of 10: p = .8; z²/n = .38415; centre (.8 + .19207)/1.38415 = .71674; "
    "half width 1.95996 √(.016 + .0096037)/1.38415 = .22657; so .4902 to .9433.",
)


def compute_wilson_interval(right: int, n: int) -> Estimate:
    """The share of ``right`` among ``n`` answers; its interval is 0 to 1 without answers.

    Raises ``ValueError`` unless 0 ≤ ``right`` ≤ ``n``.
    """
    if not 0 <= right <= n:
        raise ValueError(f"{right} of {n} answers cannot be right")
    return wilson_estimate(right, n) if n else Estimate(None, 0, 0.0, 1.0)
