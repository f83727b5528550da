"""The files of an archive that people read first: README, citation, settings."""

from collections.abc import Mapping
from typing import Any

import yaml

from campaigns.models import Campaign
from poolbench.evaluation.evaluate import product_version
from poolbench.replay.archive_folder import FORM, SUMS

README = """\
# {title}

An archive of the campaign *{title}*, written by {product}.

| file | what |
|---|---|
| `campaign.yaml` | title, texts and settings |
| `tables/*.jsonl` | topics, teams, pools, plans, judgments, scores: one JSON object per line |
| `runs/` | the runs as they were submitted; `tables/runs.jsonl` describes them |
| `qrels/` | every qrels version; `tables/qrels.jsonl` has their manifests |
| `documents/` | documents that are files; texts are in `tables/documents.jsonl` |
| `SHA256SUMS` | checksums of all other files |
| `CITATION.cff` | how to cite |

{documents} {comments}

Assessors have pseudonyms, the same in every archive of this campaign. Rows are numbered by `id`;
other tables name a row by its `id`, topics by their number. A value that is missing in a row is
empty. The help page *File formats* of Poolbench describes each table.

    sha256sum --check SHA256SUMS
    poolbench verify-archive {slug}.zip
    poolbench manage load_campaign {slug}.zip

The second line builds pools, qrels and scores again and says what differs; the third makes the
campaign again in another installation.
"""
DOCUMENTS = {
    True: "Documents are included.",
    False: "Documents are not included; `docnos.txt` has their IDs.",
}
COMMENTS = {
    True: "Comments of assessors are included.",
    False: "Comments of assessors are left out.",
}


def write_archive_readme(campaign: Campaign, *, documents: bool, comments: bool) -> str:
    return README.format(
        title=campaign.title,
        slug=campaign.slug,
        product=product_version(),
        documents=DOCUMENTS[documents],
        comments=COMMENTS[comments],
    )


def write_settings(
    campaign: Campaign, fields: Mapping[str, Any], *, documents: bool, comments: bool
) -> str:
    """``campaign.yaml``."""
    head = {
        "archive": FORM,
        "product": product_version(),
        "slug": campaign.slug,
        "documents": "included" if documents else "docnos only",
        "comments": "included" if comments else "left out",
        "sums": SUMS,
    }
    return write_yaml(head | dict(fields))


def write_citation(campaign: Campaign) -> str:
    """``CITATION.cff``: the campaign as a data set. How papers should cite it comes first, if the
    organizers say so.
    """
    entry: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "Cite this test collection as below.",
        "type": "dataset",
        "title": campaign.title,
        "authors": [{"name": f"The organizers of {campaign.title}"}],
        "version": campaign.slug,
    }
    if campaign.website:
        entry["url"] = campaign.website
    if citation := campaign.citation.strip():
        entry["message"] = f"Cite this test collection as its organizers ask: {citation}"
    return write_yaml(entry)


def write_yaml(values: Mapping[str, Any]) -> str:
    text: str = yaml.safe_dump(dict(values), sort_keys=False, allow_unicode=True, width=100)
    return text
