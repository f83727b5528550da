"""What the help offers first: tasks by role, pages by subject, and the help for each page.

A place is a page of docs/ with an anchor, ``organizer#pool``; ``tests/test_help.py`` checks that
every place exists and every page of docs/ is listed.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class HelpTask:
    """An answer to "How do I …" and the place that gives it."""

    label: str
    place: str


@dataclass(frozen=True)
class HelpRole:
    """A role, its whole guide, and what it does most."""

    label: str
    guide: str
    tasks: tuple[HelpTask, ...]


@dataclass(frozen=True)
class HelpSubject:
    """Pages about one subject, each with its name among them."""

    label: str
    pages: tuple[HelpTask, ...]


def build_place_url(root: str, place: str) -> str:
    """The address of a place below the help's own: ``/help/organizer/#pool``."""
    page, hash_, anchor = place.partition("#")
    return f"{root}{page}/{hash_}{anchor}"


ROLES = (
    HelpRole(
        "Organizers",
        "organizer",
        (
            HelpTask("Create a campaign", "organizer#setup"),
            HelpTask("Import topics and documents", "organizer#topics-and-documents"),
            HelpTask("Invite teams and assessors", "organizer#setup"),
            HelpTask("Follow and check runs", "organizer#runs"),
            HelpTask("Create a pool, and choose its depth", "organizer#pool"),
            HelpTask("Plan who judges what", "organizer#judging"),
            HelpTask("See every morning what judging needs", "today"),
            HelpTask("See how far assessors agree", "organizer#agreement-and-assessor-quality"),
            HelpTask("Decide when to stop judging", "stopping"),
            HelpTask("Adjudicate disagreements", "organizer#adjudication"),
            HelpTask("Freeze qrels", "organizer#qrels"),
            HelpTask("Evaluate runs and release scores", "organizer#scores"),
            HelpTask("Judge with a crowd", "crowd"),
        ),
    ),
    HelpRole(
        "Participants",
        "participant",
        (
            HelpTask("Join a team and submit a run", "participant#submit-a-run"),
            HelpTask("Write a run file", "formats#runs"),
            HelpTask("Find out what a code such as E07 means", "formats#codes"),
            HelpTask("Read and download your scores", "participant#read-your-scores"),
            HelpTask("See whether two runs differ significantly", "comparison#interpreting-a-test"),
            HelpTask("Take tables and figures for a paper", "results#for-a-paper"),
            HelpTask("Look up a measure", "measures"),
        ),
    ),
    HelpRole(
        "Assessors",
        "assessor",
        (
            HelpTask("Judge documents, with all keys", "assessor#judging"),
            HelpTask("Change or undo a judgment", "assessor#judging"),
            HelpTask("Judge without a connection", "assessor#working-offline"),
            HelpTask(
                "Compare two documents or rankings",
                "assessor#comparing-documents-and-runs-side-by-side",
            ),
            HelpTask("Adjudicate", "assessor#adjudicating"),
        ),
    ),
    HelpRole(
        "Everybody",
        "glossary",
        (
            HelpTask("What a word means", "glossary"),
            HelpTask("File formats and all error codes", "formats"),
            HelpTask("Use the REST API", "api"),
            HelpTask("Work on files on the command line", "commands#on-plain-files"),
            HelpTask("Use Python and notebooks", "library"),
            HelpTask("Run an installation", "deployment"),
        ),
    ),
)

SUBJECTS = (
    HelpSubject(
        "Guides",
        (
            HelpTask("Organizer's guide", "organizer"),
            HelpTask("Assessor's guide", "assessor"),
            HelpTask("Participant's guide", "participant"),
            HelpTask("Glossary", "glossary"),
        ),
    ),
    HelpSubject(
        "Pooling and judging",
        (
            HelpTask("Pooling", "pooling"),
            HelpTask("Sampled pools and estimates", "sampling"),
            HelpTask("Judging plans and assignments", "judging"),
            HelpTask("Judging today", "today"),
            HelpTask("Agreement coefficients", "agreement"),
            HelpTask("Effect of disagreement", "disagreement"),
            HelpTask("Stopping", "stopping"),
            HelpTask("Qrels policies", "policies"),
        ),
    ),
    HelpSubject(
        "Crowd and preferences",
        (
            HelpTask("Crowd studies", "crowd"),
            HelpTask("Crowd providers", "crowd-providers"),
            HelpTask("Quality and pay of crowd work", "crowd-quality"),
            HelpTask("Aggregation of crowd judgments", "aggregation"),
            HelpTask("Interleaving and preferences", "preferences"),
        ),
    ),
    HelpSubject(
        "Evaluation",
        (
            HelpTask("Measures", "measures"),
            HelpTask("trec_eval compatibility", "trec_eval"),
            HelpTask("Comparing runs", "comparison"),
            HelpTask("Score bounds", "bounds"),
            HelpTask("Results for a paper", "results"),
            HelpTask("Verdicts and their thresholds", "verdicts"),
            HelpTask("Reusability and reliability", "collection"),
            HelpTask("User-based measures", "users"),
        ),
    ),
    HelpSubject(
        "Reference",
        (
            HelpTask("File formats and error codes", "formats"),
            HelpTask("Commands", "commands"),
            HelpTask("REST API", "api"),
            HelpTask("Python API", "library"),
        ),
    ),
    HelpSubject(
        "Operation",
        (
            HelpTask("Deployment", "deployment"),
            HelpTask("Performance", "performance"),
            HelpTask("Changes", "CHANGELOG"),
        ),
    ),
    HelpSubject(
        "For developers",
        (
            HelpTask("Overview", "README"),
            HelpTask("Contributing", "CONTRIBUTING"),
            HelpTask("Architecture", "architecture"),
            HelpTask("Interface guide", "interface"),
            HelpTask("Translating", "translating"),
            HelpTask("Decisions", "decisions/README"),
        ),
    ),
)

SITE_PAGES = {
    "measures": ("measures", "Search measures, and compute one rank by rank on your own ranking"),
    "pooling": ("pooling-methods", "Pooling methods with their parameters"),
    "preferences": ("interleaving", "Interleaving and preferences, by hand"),
    "api": ("api-docs", "Try the API in the browser"),
}
"""By page of docs/: the URL name of a page of the site about the same, and what it offers."""

PAGE_HELP = {
    "account": "api#token",
    "adjudicate": "assessor#adjudicating",
    "adjudication": "organizer#adjudication",
    "agreement": "organizer#agreement-and-assessor-quality",
    "agreement-pair": "organizer#agreement-and-assessor-quality",
    "agreement-topics": "organizer#agreement-and-assessor-quality",
    "agreement-variation": "agreement#variation-between-assessors",
    "assessor-quality": "agreement#assessor-quality",
    "automatic": "organizer#automatic-assessors",
    "automatic-list": "organizer#automatic-assessors",
    "campaign": "organizer",
    "campaign-new": "organizer#setup",
    "campaign-settings": "organizer#setup",
    "click-log-import": "preferences#clicks",
    "click-logs": "preferences#clicks",
    "coefficients": "agreement#coefficients",
    "compare": "comparison",
    "comparison-desk": "assessor#comparing-documents-and-runs-side-by-side",
    "comparison-plan": "preferences#judging-comparisons",
    "comparison-plan-close": "organizer#acts-that-cannot-be-undone",
    "comparison-plan-new": "preferences#judging-comparisons",
    "comparison-plans": "organizer#comparing-documents-and-runs-side-by-side",
    "comparisons": "assessor#comparing-documents-and-runs-side-by-side",
    "consensus": "organizer#adjudication",
    "consensus-pair": "organizer#adjudication",
    "disagreement-effect": "organizer#effect-of-disagreement",
    "document": "organizer#topics-and-documents",
    "documents": "organizer#topics-and-documents",
    "documents-delete": "organizer#acts-that-cannot-be-undone",
    "documents-import": "formats#documents",
    "events": "organizer#acts-that-cannot-be-undone",
    "flagged-documents": "organizer#judging",
    "guidelines": "organizer#setup",
    "home": "organizer",
    "import-export": "organizer#import-and-export",
    "interim-scores": "organizer#judging",
    "interleaving": "preferences",
    "join": "participant#submit-a-run",
    "judge": "assessor#judging",
    "judge-change": "assessor#judging",
    "judge-training": "assessor#judging",
    "judging": "organizer#judging",
    "judging-assessor": "organizer#agreement-and-assessor-quality",
    "judging-today": "today",
    "judgments-import": "formats#judgments",
    "measure": "measures",
    "measures": "measures",
    "measures-compared": "comparison#rankings-of-runs",
    "member-add": "organizer#acts-that-cannot-be-undone",
    "member-remove": "organizer#acts-that-cannot-be-undone",
    "my-judgments": "assessor#judging",
    "my-preferences": "assessor#comparing-documents-and-runs-side-by-side",
    "pairs": "comparison#multiple-comparisons",
    "paper": "results#for-a-paper",
    "people": "organizer#setup",
    "plan-assign": "judging",
    "plan-close": "organizer#acts-that-cannot-be-undone",
    "plan-new": "judging",
    "plan-reassign": "judging#during-judging",
    "pool": "organizer#pool",
    "pool-freeze": "organizer#acts-that-cannot-be-undone",
    "pooling-methods": "pooling#methods",
    "pools": "organizer#pool",
    "preference-results": "preferences#strengths-of-documents",
    "qrels": "organizer#qrels",
    "qrels-aggregation": "aggregation",
    "qrels-changes": "organizer#qrels",
    "qrels-compare": "organizer#qrels",
    "qrels-freeze": "organizer#acts-that-cannot-be-undone",
    "qrels-list": "organizer#qrels",
    "qrels-policies": "policies",
    "reusability": "collection#reading-the-report",
    "reusability-report": "collection#reading-the-report",
    "review-new": "today#put-aside-and-sent-to-look-at-again",
    "round-end": "organizer#acts-that-cannot-be-undone",
    "run": "formats#codes-of-runs",
    "run-scores": "participant#read-your-scores",
    "run-upload": "participant#submit-a-run",
    "run-withdraw": "organizer#acts-that-cannot-be-undone",
    "runs": "organizer#runs",
    "score-release": "organizer#acts-that-cannot-be-undone",
    "score-set": "organizer#scores",
    "scores": "organizer#scores",
    "simulation": "pooling#simulation-in-a-campaign",
    "simulation-report": "pooling#simulation-in-a-campaign",
    "stopping": "stopping",
    "studies": "crowd",
    "study": "crowd#7-while-it-runs",
    "study-edit": "crowd#3-the-study",
    "study-extend": "crowd#7-while-it-runs",
    "study-gold": "crowd#2-practice-and-gold",
    "study-keys": "crowd#5-provider",
    "study-new": "crowd#3-the-study",
    "study-payments": "crowd#8-pay",
    "study-practice": "crowd#2-practice-and-gold",
    "study-reconcile": "crowd#8-pay",
    "study-start": "crowd#6-start",
    "study-stop": "organizer#acts-that-cannot-be-undone",
    "study-try": "crowd#4-try-it",
    "study-worker": "crowd-quality",
    "study-workers": "crowd-quality",
    "submissions-close": "organizer#acts-that-cannot-be-undone",
    "thresholds": "verdicts#thresholds",
    "topic": "organizer#topics-and-documents",
    "topics": "organizer#topics-and-documents",
    "topics-delete": "organizer#acts-that-cannot-be-undone",
    "topics-import": "formats#topics",
    "training-sets": "judging#training",
    "visibility-change": "organizer#acts-that-cannot-be-undone",
    "work": "assessor#judging",
}
"""The help for each page by its URL name: the one place that says so."""
