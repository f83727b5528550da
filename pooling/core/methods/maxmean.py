"""MaxMean: play the run whose documents have been relevant most often."""

from __future__ import annotations

from campaigns.core.cards import Card, Parameter
from pooling.core.candidates import Candidates, Mask
from pooling.core.method import Choice, Method, Values
from pooling.core.playing import Counts, best, next_of, playable, tie_of_runs

MAXMEAN = Card(
    name="maxmean",
    title="MaxMean",
    formula="play argmax over runs r of (1 + jrel_r) / (2 + jret_r)",
    reading="Judge the next document of the run whose judged documents were relevant most often, "
    "by the posterior mean of a Beta(1 + jrel, 1 + jret − jrel).",
    source="Losada, Parapar and Barreiro 2016, 2017; TREC 2017 Common Core.",
    range="0 to 1",
    parameters=(
        Parameter(
            "update",
            "Whether a judgment counts for `all` runs that list the document or for its `own` "
            "run, that which played it.",
            "all",
            ("all", "own"),
        ),
    ),
    edge_cases=(
        "Nothing judged: every run has 1/2, and the seeded hash order of the runs decides.",
        "Judgments of earlier steps count for every run that lists the document.",
    ),
)


class MaxMean:
    """A player by posterior means."""

    def __init__(self, candidates: Candidates, values: Values) -> None:
        self.candidates = candidates
        self.counts = Counts(candidates, values["update"])
        self.tie = tie_of_runs(candidates)

    def choose(self, open: Mask, step: int) -> Choice:  # noqa: A002, ARG002
        means = (1 + self.counts.relevant) / (2 + self.counts.judged)
        run = best(means, playable(self.candidates, open), self.tie)
        return Choice(next_of(self.candidates, run, open), run)

    def judged(self, choice: Choice, relevant: bool) -> None:
        self.counts.add(choice, relevant)


METHOD = Method(MAXMEAN, player=MaxMean)
