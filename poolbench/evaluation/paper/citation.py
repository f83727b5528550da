"""What a paper says and cites: the sentence on conditions, and entries of BibTeX."""

import re
from collections.abc import Mapping
from typing import Any

from poolbench.evaluation.paper.results import PaperConditions, PaperResults
from poolbench.number_formats import format_decimals
from poolbench.reports.late_runs import describe_late_runs
from poolbench.reports.latex import escape_latex

KEY = re.compile("[^A-Za-z0-9:-]+")


def write_conditions(results: PaperResults) -> str:
    """How the scores were computed, as one paragraph of plain text."""
    one = results.conditions
    level = one.provenance.get("level", 1)
    label = f"; {one.label}" if one.label else ""
    scores = (
        f"Scores are means over {one.topics} topics of {one.title} under qrels {one.qrels} "
        f"(sha256 {one.qrels_sha256[:12]}{label}); grade {level} or higher counts as "
        f"relevant{describe_gains(one.provenance)}; {describe_unjudged(results)}."
    )
    titles = ", ".join(measure.mean_title for measure in results.measures)
    parts = [scores, f"Measures: {titles}."]
    if one.pool:
        parts.append(f"Pool: {one.pool}.")
    if one.residual:
        parts.append(one.residual)
    if one.reading:
        parts.append(one.reading)
    if one.test:
        # What replaces the test of the campaign for estimates was not chosen by it.
        set_before = (
            "" if one.provenance.get("kind") == "estimate" else ", set before the first scores"
        )
        parts.append(f"Significance: {one.test}{set_before}.")
    if one.late:
        were = "was" if one.late == 1 else "were"
        parts.append(f"{one.late} of all {results.count} runs {were} submitted after the release.")
    parts.extend(describe_late_runs(results.late_tags))
    profile = one.provenance.get("profile", "poolbench")
    parts.append(f"Computed by {one.product}, profile {profile}, on {one.evaluated:%Y-%m-%d}.")
    return " ".join(parts)


def describe_gains(provenance: Mapping[str, Any]) -> str:
    """The gains by grade, where they were stated."""
    gains = provenance.get("gains")
    if not isinstance(gains, Mapping) or not gains:
        return ", its gain is the grade"
    listed = sorted(((int(grade), gain) for grade, gain in gains.items()))
    return ", gains are " + ", ".join(f"{gain:g} for {grade}" for grade, gain in listed)


def describe_unjudged(results: PaperResults) -> str:
    """What became of unjudged documents, and how many the best own run has in its top 10."""
    conditions, run = results.conditions, results.lead_run
    share = ""
    if run is not None and conditions.judged is not None:
        # No share reads as the limit, or the whole, that it does not reach.
        limit = 0.9 if conditions.judged < 0.9 else 1.0
        judged = format_decimals(conditions.judged, 2, limit=limit)
        share = f" (judged@10 of {run.tag}: {judged})"
    if conditions.provenance.get("judged_only"):
        return f"unjudged documents were taken out of the rankings{share}"
    return f"unjudged documents count as not relevant{share}"


def write_bibtex(conditions: PaperConditions) -> str:
    """The campaign, as its organizers prefer or as an entry of its own, and the software."""
    own = conditions.citation
    # Other text, and braces that do not match, would break the entry after it.
    if not own.startswith("@") or own.count("{") != own.count("}"):
        own = write_misc_entry(conditions)
    name, _, version = conditions.product.partition(" ")
    return (
        f"{own}\n\n"
        f"@software{{poolbench{KEY.sub('', version)},\n"
        f"  author  = {{{{{escape_latex(name)} contributors}}}},\n"
        f"  title   = {{{{{escape_latex(name)}}}: relevance judgments and pooling for shared tasks "
        "in information retrieval},\n"
        f"  version = {{{escape_latex(version)}}},\n"
        f"  year    = {{{conditions.evaluated.year}}},\n"
        "  license = {Apache-2.0},\n"
        "}\n"
    )


def write_misc_entry(conditions: PaperConditions) -> str:
    """The campaign without BibTeX of its own; its preferred reference stands in the note."""
    key = KEY.sub("", conditions.slug) or "campaign"
    title, year = escape_latex(conditions.campaign), conditions.evaluated.year
    key = key if key.endswith(str(year)) else f"{key}{year}"
    note = f"Qrels {conditions.qrels}, sha256 {conditions.qrels_sha256}"
    if conditions.citation:
        note = f"{escape_latex(' '.join(conditions.citation.split()))}. {note}"
    website = conditions.website.replace("{", "%7B").replace("}", "%7D")
    url = f"  url    = {{{website}}},\n" if website else ""
    return (
        f"@misc{{{key},\n"
        f"  author = {{{{Organizers of {title}}}}},\n"
        f"  title  = {{{{{title}}}}},\n"
        f"  year   = {{{year}}},\n"
        f"{url}"
        f"  note   = {{{note}}},\n"
        "}"
    )
