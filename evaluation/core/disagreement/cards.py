"""What the numbers of disagreement mean: made into docs/disagreement.md."""

from __future__ import annotations

from campaigns.core.cards import Card, Parameter

VOORHEES = (
    "Voorhees, SIGIR 1998, and Information Processing and Management 36(5), 2000, with binary "
    "judgments of three assessors"
)
_SEED = Parameter("seed", "Where the random numbers start.", "0")

OWN = Card(
    name="own",
    title="Each assessor's own qrels",
    formula="score of a run = the measure over the topics that the assessor judged a pair of, "
    "by the assessor's grades alone",
    reading="The ranking if this assessor alone had judged. It is compared with the ranking by "
    "the policy over the same topics, so that a difference is one of judgments, not of topics.",
    source=VOORHEES + ".",
    range="as the measure",
    edge_cases=(
        "Pairs that the assessor did not judge are not in the qrels: they count as unjudged.",
        "A judgment beyond what the plan wanted counts here, and in no policy.",
        (
            "Automatic assessors have rankings too; no policy of this page hears them unless its "
            "name says so, and nobody draws them."
        ),
    ),
)

FILLED = Card(
    name="filled",
    title="Own, else the policy's",
    formula="grade of a pair = the assessor's where there is one, else that by the policy",
    reading="The assessor's judgments swapped in for the official ones, over all topics: what "
    "is left of the ranking when this one person is believed wherever they spoke.",
    source="Judgments of another assessor swapped in, as in " + VOORHEES + ".",
    range="as the measure",
    edge_cases=("Who judged few pairs can change little: read it beside the number of pairs.",),
)

UNION = Card(
    name="union",
    title="Union and intersection",
    formula="union: the highest grade that a person gave the pair; intersection: the lowest",
    reading="The most and the least that the assessors together call relevant, at any level: a "
    "document is relevant in the union if anybody found it so, in the intersection if all did.",
    source=VOORHEES + "; for grades our form, which is theirs at each relevance level.",
    range="as the measure",
    edge_cases=(
        "A pair with one judgment has its grade in both.",
        "A topic without a relevant document in the intersection stays in the mean.",
    ),
)

BOOTSTRAP = Card(
    name="bootstrap",
    title="Bootstrap over assessors",
    formula="B times: draw as many people as there are, with replacement; a pair's grade is the "
    "policy applied to what they said, each as often as drawn; score and rank all runs. Bands: "
    "the 2.5 % and 97.5 % quantiles of a run's scores and of its ranks",
    reading="Where a run's score and rank could have come out with other assessors of the same "
    "kind: the interval of a score due to disagreement.",
    source="Efron and Tibshirani 1993, percentile interval, with assessors as the units.",
    range="score: as the measure; rank: 1 to the number of runs",
    parameters=(Parameter("draws", "How often.", "200"), _SEED),
    edge_cases=(
        (
            "A pair that nobody drawn has judged keeps its grade by the policy. So a pair with one "
            "judgment never changes: how many there are is told, and where there are many the band "
            "is too narrow."
        ),
        "An adjudicated pair keeps its grade where the policy hears adjudications.",
        (
            "A draw has fewer different people than there are (of 8 some 5), and a policy applied "
            "to fewer can give higher or lower grades: a band can lie beside the score."
        ),
        (
            "With fewer than five assessors few different draws exist, and the band is much too "
            "narrow to be taken for 95 %."
        ),
        "Ranks are quantiles among ranks that came up, so they are whole.",
        "Topics are not drawn: this is not the interval over topics.",
    ),
    undefined="fewer than two runs have a score; fewer than two people have judged; no pair is in "
    "dispute; the policy hears one assessor alone.",
)

SWAPS = Card(
    name="random-swaps",
    title="One assessor a topic, at random",
    formula="B times: for each topic one of the people who judged any of its pairs, each as "
    "likely, and their qrels; the mean, least, 5 % and 95 % quantile of the correlations with "
    "the ranking by the policy",
    reading="How alike the rankings are that come of one assessor a topic, as many campaigns "
    "have it, whoever the assessor happens to be.",
    source=VOORHEES + ", who drew 100,000 such qrels.",
    range="-1 to 1",
    parameters=(Parameter("swaps", "How often.", "1000"), _SEED),
    edge_cases=("A topic that no person judged keeps its grades by the policy.",),
    undefined="fewer than two runs have a score; fewer than two people have judged.",
)

CORRELATIONS = Card(
    name="correlations",
    title="Against the ranking by the policy",
    formula="tau-b, tau_AP and rank-biased overlap (p = 0.9), as in comparison.md; largest drop: "
    "the most places that a run falls",
    reading="How much of the ranking holds, over all places and at the top.",
    source="See comparison.md.",
    range="-1 to 1",
    edge_cases=(
        (
            "tau_AP is tau-ap-a with the ranking by the policy as the truth; where that has ties, "
            "which leaves tau-ap-a undefined, it is tau-ap-b in the whole table."
        ),
        (
            "Published coefficients mostly compare scores as printed, with four decimals, so that "
            "runs whose printed scores are equal are tied: `--digits 4` does the same."
        ),
    ),
    undefined="fewer than two runs have a score; all runs are tied in one of the rankings.",
)

RANK_SWAP = Card(
    name="rank-swap",
    title="Rank-swap value of a pair",
    formula="max over grades g that a person gave the pair, but the policy's, of swaps(g) + "
    "closed(g). All runs are scored again with the pair at g and all else by the policy. "
    "swaps(g) = ½ Σ over pairs of runs |sign(s_i − s_j) − sign(s_i(g) − s_j(g))|; closed(g) = "
    "max over pairs of runs that keep their order, s_i > s_j, of "
    "((s_i − s_j) − (s_i(g) − s_j(g))) / (s_i − s_j), at least 0",
    reading="How far settling this pair can move the ranking. Before the point: how many pairs "
    "of runs change their order. Behind it: where nothing more swaps, how near the pair brings "
    "the nearest two runs to it, 0.5 being half of their gap.",
    source="Poolbench. swaps is Kendall's distance with ties at one half, K^(1/2) of Fagin, "
    "Kumar, Mahdian, Sivakumar and Vee, SIAM Journal on Discrete Mathematics 20(3), 2006.",
    range="0 to the number of pairs of runs + 1",
    parameters=(
        Parameter("between", "Two runs: only their order is looked at.", "all pairs of runs"),
    ),
    edge_cases=(
        "A tie that comes or goes is half a swap, and two tied runs have no gap to close.",
        (
            "Pairs whose people agree, with one judgment, or with an adjudication have none: there "
            "is nothing to settle."
        ),
        "Where the policy cannot decide, the pair counts as unjudged before it is settled.",
        "Scores closer than a billionth of the highest are tied.",
        "Pairs of runs one of which has no score are left out.",
        "Each pair is settled by itself: two pairs that swap nothing alone may swap together.",
        "Of equal value the pair that shifts a score more comes first.",
    ),
    undefined="fewer than two runs have a score: no pair has a value.",
    example="P_1 on three topics, policy `maximum`. A's first documents are d1 (given 0 and 1) and "
    "d2 (given 0 and 1) and one that is not relevant, B's first document is relevant on topic 3 "
    "alone, C's never. Scores: A 2/3, B 1/3, C 0. With d1 at 0, A is at 1/3, tied with B: half a "
    "swap; and of A's lead over C, 2/3, half is gone: closed 0.5. Value 1.0.",
)

TURNING = Card(
    name="between",
    title="What could still swap two runs",
    formula="disputed pairs that help the worse run with one of their grades, by falling help; "
    "settled so one after the other, all runs scored again after each, until the order turns",
    reading="A list of pairs that suffices to turn the order of two runs, or none that could.",
    source="Poolbench.",
    range="0 to the number of disputed pairs",
    edge_cases=(
        (
            "The number found suffices. No smaller one is promised: pairs of one topic can do "
            "more together than each alone; for the same reason an order that holds is not proved "
            "to hold whatever is settled."
        ),
    ),
    undefined="one of the runs has no score; no pair is in dispute.",
    example="As above, A before B by 1/3: d1 at 0 makes a tie, d2 at 0 as well turns the order, so "
    "two pairs are needed.",
)

CARDS = (OWN, FILLED, UNION, CORRELATIONS, BOOTSTRAP, SWAPS, RANK_SWAP, TURNING)
