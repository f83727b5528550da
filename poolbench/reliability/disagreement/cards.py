"""Cards of the effect of disagreement; docs/disagreement.md is generated from them."""

from poolbench.cards import Card, Parameter

VOORHEES = (
    "Voorhees, SIGIR 1998, and Information Processing and Management 36(5), 2000, with binary "
    "judgments of three assessors"
)
_SEED = Parameter("seed", "Random seed.", "0")

OWN = Card(
    name="own",
    title="Each assessor's own qrels",
    formula="score of a run = the measure over the topics in which the assessor judged a "
    "pair, by the assessor's grades only",
    reading="The ranking if only this assessor had judged. It is compared with the ranking by "
    "the policy over the same topics, so differences come from judgments, not from topics.",
    source=VOORHEES + ".",
    range="as the measure",
    edge_cases=(
        "Pairs that the assessor did not judge are not in the qrels and count as unjudged.",
        "Extra judgments beyond the plan count here, but in no policy.",
        (
            "Third judgments count in the policy, as in the qrels, but not here: an assessor's own "
            "would be only the pairs on which others disagreed."
        ),
        (
            "Automatic assessors have rankings too. Policies of this page ignore them unless the "
            "policy name says otherwise, and they are never sampled."
        ),
    ),
)

FILLED = Card(
    name="filled",
    title="Own grades, else the policy's",
    formula="grade of a pair = the assessor's if there is one, else the policy's",
    reading="The official judgments replaced by the assessor's, over all topics: the ranking if "
    "this assessor is trusted wherever they judged.",
    source="Judgments of another assessor swapped in, as in " + VOORHEES + ".",
    range="as the measure",
    edge_cases=(
        "An assessor with few judgments can change little: read it with the number of pairs.",
        "Third judgments do not replace the policy's grade.",
    ),
)

UNION = Card(
    name="union",
    title="Union and intersection",
    formula="union: the highest human grade of the pair; intersection: the lowest",
    reading="The most lenient and the strictest combination of the assessors, at any relevance "
    "level: a document is relevant in the union if any assessor judged it relevant, in the "
    "intersection if all of its assessors did.",
    source=VOORHEES + "; our form for grades equals theirs at each relevance level.",
    range="as the measure",
    edge_cases=(
        "A pair with one judgment has its grade in both.",
        "Third judgments count.",
        "A topic without a relevant document in the intersection stays in the mean.",
    ),
)

BOOTSTRAP = Card(
    name="bootstrap",
    title="Bootstrap over assessors",
    formula="B times: draw as many assessors as there are, with replacement; apply the policy to "
    "their judgments, each counted as often as drawn; score and rank all runs. Bands: the 2.5 % "
    "and 97.5 % quantiles of a run's scores and ranks",
    reading="The range of a run's score and rank with other assessors of the same kind: the "
    "interval due to disagreement.",
    source="Efron and Tibshirani 1993, percentile interval, with assessors as the units.",
    range="score: as the measure; rank: 1 to the number of runs",
    parameters=(Parameter("draws", "Number of draws, B.", "200"), _SEED),
    edge_cases=(
        (
            "A pair that no drawn assessor judged keeps its policy grade, so a pair with one "
            "judgment never changes. The page gives their number; with many of them the band is "
            "too narrow."
        ),
        "An adjudicated pair keeps its grade if the policy uses adjudications.",
        "Third judgments count, since the policy counts them.",
        (
            "A draw has fewer distinct assessors than there are (about 5 of 8), and a policy "
            "applied to fewer can give higher or lower grades: a band may not contain the score."
        ),
        (
            "With fewer than five assessors there are few distinct draws, and the band is far too "
            "narrow for 95 %."
        ),
        "Quantiles of ranks are observed ranks, so they are integers.",
        "Topics are not resampled: this is not the interval over topics.",
    ),
    undefined="fewer than two runs have a score; fewer than two human assessors have judged; "
    "there is no disagreement; the policy uses one assessor only.",
)

SWAPS = Card(
    name="random-swaps",
    title="One random assessor per topic",
    formula="B times: for each topic the qrels of one of its assessors, all equally likely; the "
    "mean, minimum, 5 % and 95 % quantile of the correlations with the ranking by the policy",
    reading="How similar rankings are with one assessor per topic, as in many campaigns, whichever "
    "assessor it is.",
    source=VOORHEES + ", who sampled 100,000 such qrels.",
    range="-1 to 1",
    parameters=(Parameter("swaps", "Number of samples, B.", "1000"), _SEED),
    edge_cases=(
        "A topic that no person judged keeps its policy grades.",
        "Third judgments do not count, and an assessor with only such ones is not drawn.",
    ),
    undefined="fewer than two runs have a score; fewer than two human assessors have judged.",
)

CORRELATIONS = Card(
    name="correlations",
    title="Correlation with the ranking by the policy",
    formula="tau-b, tau_AP and rank-biased overlap (p = 0.9), as in comparison.md; largest drop: "
    "the most ranks that a run loses",
    reading="How much of the ranking is preserved, over all ranks and at the top.",
    source="See comparison.md.",
    range="-1 to 1",
    edge_cases=(
        (
            "tau_AP is tau-ap-a with the ranking by the policy as the reference. Ties in the "
            "reference leave tau-ap-a undefined; the whole table then uses tau-ap-b."
        ),
        (
            "Published coefficients mostly compare printed scores with four decimals, so runs "
            "with equal printed scores are tied: `--digits 4` does the same."
        ),
    ),
    undefined="fewer than two runs have a score; all runs are tied in one of the rankings.",
)

RANK_SWAP = Card(
    name="rank-swap",
    title="Rank-swap value of a pair",
    formula="max over the human grades g of the pair, except the policy's, of swaps(g) + "
    "closed(g). All runs are rescored with the pair at g and all other pairs by the policy. "
    "swaps(g) = ½ Σ over run pairs |sign(s_i − s_j) − sign(s_i(g) − s_j(g))|; closed(g) = "
    "max over run pairs that keep their order, s_i > s_j, of "
    "((s_i − s_j) − (s_i(g) − s_j(g))) / (s_i − s_j), at least 0",
    reading="How much adjudicating this pair can change the ranking. Integer part: the number of "
    "run pairs that swap. Fraction: among the others, the largest share of a score gap that "
    "closes; 0.5 is half of the gap.",
    source="Poolbench. swaps is Kendall's distance with ties at one half, K^(1/2) of Fagin, "
    "Kumar, Mahdian, Sivakumar and Vee, SIAM Journal on Discrete Mathematics 20(3), 2006.",
    range="0 to the number of run pairs + 1",
    parameters=(Parameter("between", "Two runs: consider only their order.", "all run pairs"),),
    edge_cases=(
        "A tie that appears or disappears is half a swap; tied runs have no gap to close.",
        (
            "Pairs with agreement, with one judgment or with an adjudication have no value: there "
            "is nothing to adjudicate."
        ),
        "A pair that the policy cannot decide counts as unjudged before it is adjudicated.",
        "Scores that differ by less than a billionth of the highest are tied.",
        "Run pairs in which a run has no score are left out.",
        "Each pair is treated separately: two pairs may cause a swap only together.",
        "Ties in value are ordered by the shift of a score, largest first.",
    ),
    undefined="fewer than two runs have a score: no pair has a value.",
    example="P_1 on three topics, policy `maximum`. The top documents of A are d1 (grades 0 and "
    "1), d2 (grades 0 and 1) and a non-relevant one; the top document of B is relevant on topic 3 "
    "only, that of C never. Scores: A 2/3, B 1/3, C 0. With d1 at 0, A scores 1/3 and ties with "
    "B: half a swap. A's lead over C, 2/3, is halved: closed 0.5. Value 1.0.",
)

TURNING = Card(
    name="between",
    title="Turning point of two runs",
    formula="the disagreements in which one of the grades helps the worse run, most helpful first; "
    "adjudicated that way one by one, all runs rescored after each, until the order turns",
    reading="A list of pairs that suffices to reverse the order of two runs, if there is one.",
    source="Poolbench.",
    range="0 to the number of disagreements",
    edge_cases=(
        (
            "The number is sufficient, but not necessarily minimal: pairs of one topic can have a "
            "larger effect together than separately. For the same reason, a stable order is not "
            "proved to be stable under every adjudication."
        ),
    ),
    undefined="one of the runs has no score; there is no disagreement.",
    example="As above, A leads B by 1/3: d1 at 0 makes a tie, d2 at 0 as well reverses the order, "
    "so two pairs are needed.",
)

CARDS = (OWN, FILLED, UNION, CORRELATIONS, BOOTSTRAP, SWAPS, RANK_SWAP, TURNING)
