"""Binary preference: are relevant documents ranked above judged non-relevant ones?

bpref has c = 0, bpref-10 has c = 10. The forms differ in the divisor of n(r), the number of judged
non-relevant documents above a relevant one; they agree if enough documents are judged.
"""

from functools import partial

import numpy as np

from poolbench.cards import Parameter
from poolbench.evaluation.batch import ScoringBatch, safe_ratio
from poolbench.evaluation.judgments import Floats, Ints
from poolbench.evaluation.measures.family import MeasureFamily, WorkedExample

FORMS = ("trec_eval", "textbook", "2004")
_FORM = Parameter(
    "form",
    "Divisor of the number of non-relevant documents above: `trec_eval` min(N, R+c); `textbook` "
    "R+c; `2004` as trec_eval, but N counts only the judged non-relevant documents retrieved.",
    "trec_eval",
    FORMS,
)
_EDGES = (
    "R = 0: the value is 0.",
    "Only retrieved relevant documents add to the sum; unjudged documents are ignored.",
    "N = 0: every retrieved relevant document adds 1, so the value does not depend on the order.",
    "Forms trec_eval and textbook differ only if N < R + c (c = 0 for bpref, 10 for bpref-10).",
    "Form 2004 differs if the run retrieves fewer than R + c of the judged non-relevant documents.",
    'docs/measures.md compares the forms under "bpref variants".',
)
_SOURCE = (
    "Buckley and Voorhees, SIGIR 2004. Form trec_eval: trec_eval 8 to 10{program}. Form textbook: "
    "Modern Information Retrieval, chapter 4. Form 2004: as first implemented, trec_eval 8's {old}."
)
EXTRA_NONRELEVANT = {"bpref": 0, "bpref-10": 10, "gm_bpref": 0}
"""By measure: c, the number of judged non-relevant documents considered beyond R."""
_LONG = {
    "trec_eval": "trec_eval: divisor min(N, {most})",
    "textbook": "textbook: divisor {most}",
    "2004": "2004: divisor min(N retrieved, {most})",
}


def bpref_long_name(name: str, *, form: str = "trec_eval") -> str:
    """``bpref (trec_eval: divisor min(N, R))``: an unambiguous name."""
    most = f"R + {EXTRA_NONRELEVANT[name]}" if EXTRA_NONRELEVANT[name] else "R"
    return f"{name} ({_LONG[form].format(most=most)})"


def bpref(batch: ScoringBatch, *, form: str = "trec_eval", c: int = 0) -> Floats:
    """1/R · Σ over retrieved relevant r of 1 − min(n(r), R+c) / bound, the bound by form."""
    hits = batch.hits
    segment = batch.segment[hits]
    most = (batch.relevant + c)[segment]
    bound = _bound(batch, form, c)[segment]
    lost = safe_ratio(np.minimum(batch.nonrelevant_at_hits, most), bound)
    return safe_ratio(batch.sums(1.0 - lost, hits), batch.relevant)


def _bound(batch: ScoringBatch, form: str, c: int) -> Ints:
    most = batch.relevant + c
    if form == "textbook":
        return most
    judged = batch.nonrelevant if form == "trec_eval" else batch.count(batch.is_nonrelevant)
    return np.minimum(judged, most)


_worked_e3 = partial(WorkedExample, (0, 1, 1, 1, 1), (1, 1, 1, 1, 1, 1, 0, 0, 0, 0))
_preference = partial(MeasureFamily, parameters=(_FORM,), group="incomplete")
BPREF = _preference(
    name="bpref",
    title="Binary preference",
    formula="1/R · Σ over retrieved relevant r of [n(r) = 0: 1, else 1 − min(n(r), R) / min(N, R)]",
    reading="The proportion of relevant documents ranked above judged non-relevant ones; "
    "designed for incomplete judgments.",
    source=_SOURCE.format(program=" bpref", old="old_bpref"),
    edge_cases=_EDGES,
    compute=bpref,
    examples=(
        _worked_e3(1 / 2, "R = 6, N = 4: 4 · (1 − 1/4) / 6"),
        _worked_e3(5 / 9, "4 · (1 − 1/6) / 6", "bpref(form=textbook)"),
        _worked_e3(
            0.0, "one non-relevant document retrieved: 4 · (1 − 1/1) / 6", "bpref(form=2004)"
        ),
    ),
    spellings=("Bpref", "BPref"),
    long_name=partial(bpref_long_name, "bpref"),
)

_worked_of_two = partial(WorkedExample, (0, 1), (1, 0, 0, 0, 0, 0))
BPREF_10 = _preference(
    name="bpref-10",
    title="Binary preference over R + 10 non-relevant documents",
    formula="1/R · Σ over retrieved relevant r of [n(r) = 0: 1, else "
    "1 − min(n(r), R+10) / min(N, R+10)]",
    reading="bpref over ten more non-relevant documents, so that it remains meaningful for "
    "topics with very few relevant documents.",
    source=_SOURCE.format(program=", removed in 9", old="old_bpref_top10pRnonrel")
    + " trec_eval 8 calls it bpref_top10pRnonrel; its bpref_10 is a different measure.",
    edge_cases=_EDGES,
    compute=partial(bpref, c=EXTRA_NONRELEVANT["bpref-10"]),
    examples=(
        _worked_of_two(4 / 5, "R = 1, N = 5: (1 − 1/5) / 1"),
        _worked_of_two(10 / 11, "1 − 1/11", "bpref-10(form=textbook)"),
        _worked_of_two(0.0, "1 − 1/1", "bpref-10(form=2004)"),
    ),
    long_name=partial(bpref_long_name, "bpref-10"),
)

GM_BPREF = _preference(
    name="gm_bpref",
    title="Geometric mean of binary preference",
    formula="exp(mean over topics of ln max(bpref, 0.00001))",
    reading="bpref that emphasizes difficult topics.",
    source="trec_eval gm_bpref.",
    edge_cases=(
        (
            "Topic values below 0.00001 count as 0.00001, so that one failed topic does "
            "not make the mean 0."
        ),
        "Reported over all topics only.",
    ),
    compute=bpref,
    examples=(_worked_e3(1 / 2, "one topic: exp(ln 1/2)"),),
    modifiers=("rel", "list", "unjudged"),
    aggregate="geometric",
    summary_only=True,
    long_name=partial(bpref_long_name, "gm_bpref"),
)
