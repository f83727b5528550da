"""What the help offers first: tasks by role, pages by subject, and the help for each page.

A place is a page of docs/ with an anchor, ``organizer#pool``; ``tests/test_help.py`` checks that
every place exists and every page of docs/ is listed.
"""

from collections.abc import Collection


def build_place_url(root: str, place: str) -> str:
    """The address of a place below the help's own: ``/help/organizer/#pool``."""
    page, hash_, anchor = place.partition("#")
    return f"{root}{page}/{hash_}{anchor}"


ROLES = {
    ("Organizers", "organizer"): {
        "Create a campaign": "organizer#setup",
        "Import topics and documents": "organizer#topics-and-documents",
        "Give data to teams and to everybody": "organizer#data",
        "Publish a page with call, dates and results": "organizer#public-page",
        "Invite teams and assessors": "organizer#setup",
        "Let teams register themselves": "organizer#teams",
        "Follow and check runs": "organizer#runs",
        "Create a pool, and choose its depth": "organizer#pool",
        "Plan who judges what": "organizer#judging",
        "See every morning what judging needs": "today",
        "See how far assessors agree": "organizer#agreement-and-assessor-quality",
        "Decide when to stop judging": "stopping",
        "Adjudicate disagreements": "organizer#adjudication",
        "Freeze, release and publish qrels": "organizer#qrels",
        "Evaluate runs and release scores": "organizer#scores",
        "Judge with a crowd": "crowd",
    },
    ("Participants", "participant"): {
        "Download topics, documents and qrels": "participant#data",
        "Register a team": "participant#register-a-team",
        "Invite colleagues, or leave": "participant#your-team",
        "Set a new password or address": "participant#your-account",
        "Submit a run": "participant#submit-a-run",
        "Write a run file": "formats#runs",
        "Find out what a code such as E07 means": "formats#codes",
        "Read and download your scores": "participant#read-your-scores",
        "See whether two runs differ significantly": "comparison#interpreting-a-test",
        "Take tables and figures for a paper": "results#for-a-paper",
        "Look up a measure": "measures",
    },
    ("Assessors", "assessor"): {
        "Judge documents, with all keys": "assessor#judging",
        "Change or undo a judgment": "assessor#judging",
        "Judge without a connection": "assessor#working-offline",
        "Compare two documents or rankings": "assessor#comparing-documents-and-runs-side-by-side",
        "Adjudicate": "assessor#adjudicating",
    },
    ("Everybody", "glossary"): {
        "What a word means": "glossary",
        "File formats and all error codes": "formats",
        "Use the REST API": "api",
        "Work on files on the command line": "commands#on-plain-files",
        "Use Python and notebooks": "library",
        "Run an installation": "deployment",
    },
}
"""By role and its whole guide: answers to "How do I …", and the places that give them."""

READERS = {
    "organizer": "Organizers",
    "participant": "Participants",
    "assessor": "Assessors",
    "operator": "Operators",
}
"""By role, in addresses: who can restrict a search to what is for them."""

_FOR_ROLE = {
    "organizer": (
        "organizer pooling sampling estimates judging today agreement disagreement stopping"
        " policies crowd crowd-providers crowd-quality aggregation verdicts collection preferences"
    ),
    "participant": "participant",
    "assessor": "assessor",
    "operator": "deployment performance",
}
PAGE_ROLES = {page: role for role, pages in _FOR_ROLE.items() for page in pages.split()}
"""The one role that a page is for; all others are for everybody."""

SUBJECTS = {
    "Guides": {
        "Organizer's guide": "organizer",
        "Assessor's guide": "assessor",
        "Participant's guide": "participant",
        "Glossary": "glossary",
    },
    "Pooling and judging": {
        "Pooling": "pooling",
        "Sampled pools and their measures": "sampling",
        "Estimates from a sample": "estimates",
        "Judging plans and assignments": "judging",
        "Judging today": "today",
        "Agreement coefficients": "agreement",
        "Effect of disagreement": "disagreement",
        "Stopping": "stopping",
        "Qrels policies": "policies",
    },
    "Crowd and preferences": {
        "Crowd studies": "crowd",
        "Crowd providers": "crowd-providers",
        "Quality and pay of crowd work": "crowd-quality",
        "Aggregation of crowd judgments": "aggregation",
        "Interleaving and preferences": "preferences",
    },
    "Evaluation": {
        "Measures": "measures",
        "trec_eval compatibility": "trec_eval",
        "Comparing runs": "comparison",
        "Score bounds": "bounds",
        "Results for a paper": "results",
        "Verdicts and their thresholds": "verdicts",
        "Reusability and reliability": "collection",
        "User-based measures": "users",
    },
    "Reference": {
        "File formats and error codes": "formats",
        "Commands": "commands",
        "REST API": "api",
        "Python API": "library",
    },
    "Operation": {"Deployment": "deployment", "Performance": "performance", "Changes": "CHANGELOG"},
    "For developers": {
        "Overview": "README",
        "Contributing": "CONTRIBUTING",
        "Architecture": "architecture",
        "Interface guide": "interface",
        "Translating": "translating",
        "Decisions": "decisions/README",
    },
}
"""By subject: the names of its pages, and their places."""

SITE_PAGES = {
    "measures": ("measures", "Search measures, and compute one rank by rank on your own ranking"),
    "pooling": ("pooling-methods", "Pooling methods with their parameters"),
    "preferences": ("interleaving", "Interleaving and preferences, by hand"),
    "api": ("api-docs", "Every endpoint of the API, with its fields"),
}
"""By page of docs/: the URL name of a page of the site about the same, and what it offers."""

_HELPED = {
    "aggregation": "qrels-aggregation",
    "agreement#assessor-quality": "assessor-quality",
    "agreement#coefficients": "coefficients",
    "agreement#variation-between-assessors": "agreement-variation",
    "api#token": "account",
    "assessor#adjudicating": "adjudicate",
    "assessor#comparing-documents-and-runs-side-by-side": (
        "comparison-desk comparisons my-preferences"
    ),
    "assessor#judging": "judge judge-change judge-training my-judgments work",
    "collection#reading-the-report": "reusability reusability-report",
    "comparison": "compare",
    "comparison#multiple-comparisons": "pairs",
    "comparison#rankings-of-runs": "measures-compared",
    "crowd": "studies",
    "crowd#2-practice-and-gold": "study-gold study-practice",
    "crowd#3-the-study": "study-edit study-new",
    "crowd#4-try-it": "study-try",
    "crowd#5-provider": "study-keys",
    "crowd#6-start": "study-start",
    "crowd#7-while-it-runs": "study study-extend",
    "crowd#8-pay": "study-payments study-reconcile",
    "crowd-quality": "study-worker study-workers",
    "formats#codes-of-runs": "run",
    "formats#documents": "documents-import",
    "organizer#collections-of-millions": "collection-files",
    "formats#judgments": "judgments-import",
    "formats#topics": "topics-import",
    "judging": "plan-assign plan-new",
    "judging#during-judging": "plan-reassign",
    "judging#training": "training-sets",
    "measures": "measure measures",
    "organizer": "campaign home",
    "organizer#close-delete-and-copy": ("campaign-close campaign-delete campaign-reopen life"),
    "organizer#acts-that-cannot-be-undone": (
        "comparison-plan-close documents-delete events member-add member-remove"
        " ownership-transfer plan-close"
        " pool-freeze public-page-publish qrels-freeze qrels-release round-end run-withdraw"
        " data-file-release score-publish score-release study-stop"
        " submissions-close topics-delete visibility-change"
    ),
    "organizer#adjudication": "adjudication consensus consensus-pair",
    "organizer#agreement-and-assessor-quality": (
        "agreement agreement-pair agreement-topics judging-assessor"
    ),
    "organizer#automatic-assessors": "automatic automatic-list",
    "organizer#let-a-model-judge": "model model-new",
    "organizer#comparing-documents-and-runs-side-by-side": "comparison-plans",
    "organizer#effect-of-disagreement": "disagreement-effect",
    "organizer#correct-a-mistake": "errata erratum-new",
    "organizer#data": "data-file-edit data-file-new",
    "organizer#public-page": "public-page-edit",
    "organizer#import-and-export": "import-export",
    "organizer#estimates-while-people-judge": "estimates",
    "organizer#judging": "duplicate-grades flagged-documents interim-scores judging",
    "organizer#pool": "pool pools",
    "organizer#qrels": "qrels qrels-changes qrels-compare qrels-list",
    "organizer#runs": "run-form runs submissions-reopen",
    "organizer#scores": "score-set scores",
    "organizer#setup": "campaign-new campaign-settings guidelines people",
    "organizer#teams": "invitation-list people-team teams",
    "organizer#topics-and-documents": "document documents topic topics",
    "participant#data": "data",
    "participant#read-your-scores": "run-scores",
    "participant#register-a-team": "team_register",
    "participant#submit-a-run": "join run-upload runs-submitted",
    "participant#your-account": "account_email account-delete mfa_index",
    "participant#your-team": "team team-leave team-terms",
    "policies": "qrels-policies",
    "pooling#methods": "pooling-methods",
    "pooling#simulation-in-a-campaign": "simulation simulation-report",
    "preferences": "interleaving",
    "preferences#clicks": "click-log-import click-logs",
    "preferences#judging-comparisons": "comparison-plan comparison-plan-new",
    "preferences#strengths-of-documents": "preference-results",
    "results#for-a-paper": "paper",
    "results#what-moved": "score-set-changes",
    "stopping": "stopping",
    "today": "judging-today",
    "today#put-aside-and-sent-to-look-at-again": "review-new",
}
PAGE_HELP = {name: place for place, names in _HELPED.items() for name in names.split()}
"""The help for each page by its URL name: the one place that says so."""

GUIDES = {"participant": "participant", "assessor": "assessor", "viewer": "glossary"}
"""By role: what its members read first; adjudicators read that of assessors."""


def get_help_for(place: str, roles: Collection[str] | None, denied: bool | None = False) -> str:
    """``place``, but the guide of their own for members (``roles``; None: no campaign's page) who
    do not organize, where it is the organizer's guide or the page is ``denied`` to them.
    """
    if roles is None or "organizer" in roles or not (denied or place.startswith("organizer")):
        return place
    return next((guide for role, guide in GUIDES.items() if role in roles), GUIDES["assessor"])
