"""Answers of the help's search to what newcomers try and Poolbench does in another way, or not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from campaigns.help.search import list_query_stems, list_stems

WORDS = {
    "REMOVE": "delete remove erase drop archive discard",
    "CHANGE": "change edit correct fix rename typo mistake erratum wrong",
    "UNDO": "undo revert unfreeze unrelease retract withdraw cancel hide reset",
}
TABLE = """
REMOVE close end | campaign | organizer#acts-that-cannot-be-undone
A campaign cannot be deleted or archived: its log and judgments stay. Close its submission and
plans; it stays readable.
copy clone duplicate template export save import rehearse | campaign | organizer#campaign-folders
A campaign cannot be copied or saved as a whole. Judgments, qrels and scores are downloaded one by
one; a folder of files becomes a campaign with one command.
forgot forgotten lost reset recover | password login account username | deployment#sign-in
No mail is sent. An administrator of the installation sets a new password with manage.py
changepassword NAME.
sign signup register create new open | up signup register account | participant#submit-a-run
Open the invitation link of an organizer: it creates the account and adds its role.
REMOVE CHANGE | account username user | organizer#acts-that-cannot-be-undone
Accounts cannot be deleted and usernames not changed, as judgments and log name them. An organizer
removes a member from a campaign; name and e-mail are changed under Account.
extend later late postpone move change reopen open missed | deadline submission | organizer#runs
Organizers extend or reopen submission, for all teams or one, on the page Runs. The judging
deadline is changed in the settings.
UNDO | release scores leaderboard | organizer#scores
A release is for good. Freeze corrected qrels, evaluate and release again; what participants see
can be changed in the settings.
UNDO REMOVE CHANGE | pool qrels version | organizer#acts-that-cannot-be-undone
Frozen pools and qrels stay, so that scores can be traced. Freeze another version.
CHANGE | topic label grade scale title document text | organizer#correct-a-mistake
Texts of topics, labels and descriptions of grades and titles of documents are corrected at any
time, with a notice. Values and gains of grades stay once judgments use them.
REMOVE | topic document | organizer#topics-and-documents
All topics, or all documents, are deleted together, until runs, pools or judgments refer to them.
A single text can be corrected.
REMOVE UNDO CHANGE | run tag | participant#submit-a-run
Runs are not deleted or changed: until the deadline a team withdraws or replaces its own.
REMOVE UNDO CHANGE | judgment | assessor#judging
Assessors change and undo their own judgments; the log keeps both. Organizers delete none, but send
documents back to be looked at again.
rename merge delete | team | organizer#setup
Teams cannot be renamed, merged or deleted. Invite to a team with the right name.
mail email notify notification reminder newsletter | | organizer#setup
Poolbench sends no mail. Members see notices on the pages of the campaign; you copy and send
invitation links.
download get | topic document collection corpus data qrels | participant#data
The page Data has topics, docnos, documents, guidelines and released qrels as files, each with its
hash. What is not there has not been released by the organizers.
publish public | page campaign call scores results leaderboard | organizer#public-page
A campaign has a public page once an organizer publishes it; released scores and qrels are
published by acts of their own.
"""
"""Acts, things and the place in the help; then the answer. A query has one of the acts and, if
there are any, one of the things, compared by stem.
"""


_ENTRY = re.compile(r"^(.+) \| (.*)\| (\S+)\n((?:[^|\n]+\n)+)", re.MULTILINE)


class HelpAnswer(NamedTuple):
    """What is possible, and where the help says more."""

    text: str
    place: str


def read_table() -> Iterator[tuple[frozenset[str], frozenset[str], HelpAnswer]]:
    """The stems of acts and of things, and the answer."""
    for acts, things, place, text in _ENTRY.findall(TABLE):
        words = " ".join(WORDS.get(word, word) for word in acts.split())
        answer = HelpAnswer(" ".join(text.split()), place)
        yield frozenset(list_stems(words)), frozenset(list_stems(things)), answer


ANSWERS = tuple(read_table())


def find_answer(query: str) -> HelpAnswer | None:
    """The first that fits ``query``."""
    stems = frozenset(list_query_stems(query))
    fitting = (
        answer
        for acts, things, answer in ANSWERS
        if stems & acts and (stems & things or not things)
    )
    return next(fitting, None)
