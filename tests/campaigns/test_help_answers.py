"""What the help answers to questions about what is not possible."""

import pytest

from campaigns.help.answers import ANSWERS, find_answer
from campaigns.help.guide import READERS


def test_answers_are_for_known_roles():
    assert {role for *_, answer in ANSWERS for role in answer.roles} <= set(READERS)


QUESTIONS = {
    "delete campaign": "disappears for all but organizers",
    "archive the campaign": "everything stays readable",
    "copy last year's campaign": "for next year, or a rehearsal",
    "rehearse": "a rehearsal with generated runs",
    "Forgot my password?": "manage.py reset_link NAME",
    "I lost my API token": "Revoke it under Account",
    "sign up": "where a campaign lets teams register",
    "delete my account": "stay under a pseudonym",
    "transfer ownership": "A campaign has no owner",
    "extend the deadline": "extend or reopen submission, for all teams or one",
    "undo a release": "A release is for good",
    "thaw a frozen pool": "A frozen pool is not thawed",
    "unfreeze qrels": "Freeze another version",
    "another qrels policy": "Freeze another version under the other policy",
    "change the scale after judging": "Values, keys and gains of grades stay",
    "change topics": "Texts of topics, labels and descriptions of grades",
    "delete a topic": "All topics, or all documents, are deleted together",
    "change the significance test": "fixed once scores have been computed",
    "add a measure": "evaluate again to compute them",
    "rename a run": "Submit the file with the other tag",
    "delete a run": "Runs are not deleted or changed",
    "move a run to another team": "A run stays with its team",
    "raise the run limit": "The run limit is a setting of the campaign",
    "undo a skip": "Undo brings back a document just skipped",
    "undo judgment": "Assessors change and undo their own judgments",
    "which run found this document? see rank": "Assessors judge blind",
    "reopen a closed plan": "What is closed or stopped is not reopened",
    "merge teams": "Teams cannot be renamed, merged or deleted",
    "change the slug": "The address of a campaign cannot be changed",
    "edit the log": "The log is never changed",
    "can an assessor also be a participant: both roles": "Who judges should not take part",
    "how do I email teams": "the page Outbox has all of it",
    "download all documents": "The page Data has topics",
}


@pytest.mark.parametrize("query", QUESTIONS)
def test_what_is_not_possible_is_answered(query):
    assert QUESTIONS[query] in find_answer(query).text


@pytest.mark.parametrize(
    ("role", "query", "said"),
    [
        ("participant", "extend deadline", "Only organizers extend"),
        ("assessor", "extend deadline", "Organizers extend or reopen"),
        ("participant", "delete campaign", "Only organizers delete"),
        ("participant", "raise run limit", "Withdraw or replace a run"),
        ("participant", "see other teams", "Before the release no team sees"),
    ],
)
def test_an_answer_is_for_the_role_that_asks(role, query, said):
    assert said in find_answer(query, role).text
