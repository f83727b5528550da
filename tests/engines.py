"""Which tests run on both database engines, and which on SQLite alone.

A test runs on both (marker ``engine``) unless its module or folder is listed here. List a module
only if no engine can change its outcome: it asks no database or, as ``services``, one of its own
that is always SQLite; or it stands on top of queries and services that are tested on both, such as
a page or the walk through a large published campaign. The marker ``sqlite`` does that for one test.
Locks, claims, constraints, aggregates, order, JSON, text comparison, odd values, query counts and
migrations stay on both.
"""

from __future__ import annotations

NO_DATABASE = """
    poolbench replay services translation
    test_architecture test_changed test_docs test_engines test_names test_wording
    evaluation/test_charts judging/test_figures
"""
ON_TOP = """
    browser
    campaigns/test_api_fields campaigns/test_confirmed_acts campaigns/test_document_files
    campaigns/test_document_pages campaigns/test_faces campaigns/test_help
    campaigns/test_help_answers
    campaigns/test_malformed_runs
    campaigns/test_pages
    evaluation/test_comparison_pages evaluation/test_confirmed_acts
    evaluation/test_filled_scores evaluation/test_measure_pages evaluation/test_pages
    evaluation/test_paper evaluation/test_trec_covid evaluation/test_whole_way
    preferences/test_tryout
    judging/settling/test_confirmed_acts judging/settling/test_eight_assessors
    judging/settling/test_meeting judging/settling/test_pages
    judging/test_agreement_pages judging/test_crowd_policies judging/test_llm_judges
    judging/test_organizer_pages judging/test_progress_of_designs judging/test_screen
    pooling/test_confirmed_freeze pooling/test_pages
    reliability/test_collection_page reliability/test_disagreement reliability/test_one_value
    reliability/test_simulation_page reliability/test_stopping reliability/test_verdicts
    crowd/test_gold_cannot_be_told crowd/test_trying crowd/test_workers_page
    preferences/test_desk_pages
    test_chart_downloads test_page_queries test_request_limits test_security test_sign_in
    workbench
"""
ONE_ENGINE = frozenset(f"tests/{place}" for place in (NO_DATABASE + ON_TOP).split())


def depends_on_engine(path: str) -> bool:
    """Whether the tests of the module ``path`` ("tests/…/test_x.py") run on both engines."""
    place = path.removesuffix(".py")
    folders = [place, *(place[:at] for at, sign in enumerate(place) if sign == "/")]
    return not ONE_ENGINE.intersection(folders)
