"""docs/agreement.md and docs/policies.md, made from the cards:
``python -m judging.core.agreement.docs [policies]``.
"""

from __future__ import annotations

import sys

from campaigns.core.cards import render_card_markdown, resolve_card_links
from judging.core.agreement.coefficient import AgreementCoefficient, Rows
from judging.core.agreement.registry import COEFFICIENTS
from judging.core.policies import FORMS, RULES
from judging.core.quality.report import CARDS

HEAD = """# Agreement coefficients

How far do assessors agree, and which assessor differs from the others? This page defines the
coefficients of the page *Agreement* and of `manage.py agreement`, and the measures of *Assessor
quality*. How several judgments become one grade is described under [qrels policies](policies.md).

No single coefficient is enough: the same judgments show "slight" agreement by one and "moderate"
by another. Report at least one chance-corrected coefficient with n and the prevalence. Poolbench
shows all of them, with n and with each assessor's prevalence, the share of judged pairs that are
relevant.

| your judgments | coefficients to start with |
|---|---|
| relevant or not, two assessors per pair | [`kappa`](#kappa), [`ac1`](#ac1) where prevalence is \
low |
| relevant or not, any number of judgments per pair | [`alpha-nominal`](#alpha-nominal), \
[`fleiss`](#fleiss) |
| graded | [`alpha-ordinal`](#alpha-ordinal), [`kappa-quadratic`](#kappa-quadratic) |
| compared with published overlap | [`overlap`](#overlap) |

## How they are computed

- A pair is a topic and a document. Grades below 0 mean "not judged".
- Every coefficient is computed for each pair of assessors over the pairs that both judged; the
  mean over assessor pairs is not weighted, and leaves undefined values out.
- All but Cohen's and Scott's are also computed over all assessors at once.
- The same is computed per topic; the mean over topics leaves undefined values out too.
- Weights use the values of the grades (0 and 3 are 3 apart), except for ordinal weights.
- n is the number of pairs that a value is based on; prevalence is the share of the compared
  judgments that are relevant.
- Third judgments are left out, and so are all figures of assessor quality based on them: they exist
  only on pairs where two assessors disagreed, so a figure over them is selected by its outcome. The
  page and the report give their number; `--with-third-judgments` and *with third judgments* count
  them. They always count in qrels policies. Exports mark them in the column `third`.
- Grades may be cut at the relevance level first (`--binary`), which leaves two grades.
- Undefined values are null with a reason, never 0 or 1.

Each value has a 95 % interval: topics are drawn with replacement (1,000 times, from a fixed seed)
and the interval spans the middle 95 % of the values. Pairs of one topic depend on each other, so
topics are resampled, not pairs; two assessors are resampled over the topics that they share. There
is no interval, with the reason, from fewer than 5 topics, where more than 5 % of the resamples are
undefined, where all are equal, and per assessor pair with more than 500 assessor pairs. An interval
from fewer than 10 topics is marked *hint*. The same rule holds for every interval over topics:
assessor quality, run means, differences of runs, extrapolated pools.

Why 5 and 10: an interval from few topics is too narrow. Simulated share of percentile intervals of
a mean, nominally 95 %, that contain the true mean (4,000 samples of normal values; skewed values
like scores are within 2 %):

| topics | 2 | 3 | 4 | 5 | 6 | 8 | 10 | 15 | 25 | 50 |
|---|---|---|---|---|---|---|---|---|---|---|
| coverage, % | 51 | 75 | 81 | 83 | 87 | 88 | 90 | 92 | 94 | 93 |

`manage.py agreement FILE...` takes one qrels file per assessor, where the file name without its
extension is the name of the assessor; or tables with any number of assessors, such as a crowd's
`topic doc worker label` as CSV, TSV or JSON lines ([formats](formats.md#judgments)). Other labels
than integers are mapped: `--map relevant=1`. At most 50 assessors and 50 pairs of assessors are
listed, those with the most judgments; `--rows 0` lists all. 445 workers with 16,200 labels take
15 s of processor time. Duplicate pairs are reported with their line number.
`manage.py agreement --campaign SLUG` takes the judgments of a campaign, and with them their order,
times, blind repeats and automatic assessors.

## Coefficients
"""

QUALITY_HEAD = """## Assessor quality

What a coefficient cannot show: which assessor differs from the others, in which direction, since
when, and whether an assessor would give the same grade again. Only judgments by people count here;
automatic assessors are compared with people and never counted among them.
"""

POLICY_HEAD = """# Qrels policies

How several judgments of a pair become one grade. Choose a policy when you freeze qrels; the
version names it. The page *Qrels* previews what every policy would give.

| you have | use |
|---|---|
| one judgment per pair | [`single`](#single) |
| several judgments per pair | [`majority`](#majority), [`median-floor`](#median-floor) or \
[`mean-floor`](#mean-floor); [`maximum`](#maximum) if one relevant judgment is enough |
| adjudicated disagreements | [`adjudicated-RULE`](#adjudicated-RULE), for example \
`adjudicated-majority` |
| a study of one assessor | [`assessor:NAME`](#assessor:NAME) |
| judgments by a model | [`automatic:NAME`](#automatic:NAME), or \
[`RULE+automatic:NAME`](#RULE+automatic:NAME) to fill pairs that no person judged |

Grades below 0 are not judgments; a pair without any other grade gets -1, "pooled, not judged". A
pair that the policy cannot decide is *undecided*: adjudicate it, or choose another policy.

Scores by qrels in which an automatic assessor decides at least one pair are labelled *filled, no
estimate* (`RULE+automatic:NAME`) or *automatic, no estimate* (`automatic:NAME`) on every page, in
every file and in the API, as the manifest says; no table has them in one column with other scores.
Commands on plain files know no manifest, except `evaluate --manifest FILE`.
On TREC DL 2019, with a tenth of the pairs judged by people and a model for the others, P@10 was
.26 too high.

`majority`, `median-floor` and `mean-floor` leave no pair undecided, since they have a tie rule:
where two grades fit equally (equally frequent; median or mean half-way between two grades), the
lower one is taken. With two judgments per pair that is every pair one grade apart. The page
*Qrels*, `manage.py qrels policies`, the manifest and the API (`decided_by_tie_rule`) give the
number of these pairs; adjudication or a third judgment lets a person decide them. Third judgments
count like the others.
"""

NOTE = """---

Generated from the cards in `judging/core/` (`python -m judging.core.agreement.docs{arguments} >
docs/{page}`); a test compares the two and computes every example. Terms:
[glossary](glossary.md).
"""


def render_agreement_docs() -> str:
    """The page of coefficients and assessor quality as Markdown."""
    cards = [coefficient.card for coefficient in COEFFICIENTS.values()]
    coefficients = [_section(coefficient) for coefficient in COEFFICIENTS.values()]
    quality = [render_card_markdown(card) for card in CARDS.values()]
    note = NOTE.format(arguments="", page="agreement.md")
    return "\n".join([resolve_card_links(HEAD, cards), *coefficients, QUALITY_HEAD, *quality, note])


def render_policy_docs() -> str:
    """The page of qrels policies as Markdown."""
    cards = [rule.card for rule in RULES.values()] + list(FORMS.values())
    policies = [render_card_markdown(card, level=2) for card in cards]
    note = NOTE.format(arguments=" policies", page="policies.md")
    return "\n".join([resolve_card_links(POLICY_HEAD, cards), *policies, note])


def _section(coefficient: AgreementCoefficient) -> str:
    return "\n".join(
        [render_card_markdown(coefficient.card), *map(_example, coefficient.examples), ""]
    )


def _example(example: tuple[Rows, float]) -> str:
    rows, value = example
    lines = [" ".join("·" if grade is None else str(grade) for grade in row) for row in rows]
    table = "\n".join(f"    {line}" for line in lines)
    return f"Example, one line per assessor and one column per pair: {value:.4f} for\n\n{table}"


if __name__ == "__main__":
    policies = sys.argv[1:] == ["policies"]
    sys.stdout.write(render_policy_docs() if policies else render_agreement_docs())
