"""Answers of the help's search to what newcomers try and Poolbench does in another way, or not."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from campaigns.help.search import list_query_stems, list_stems

WORDS = {
    "REMOVE": "delete remove erase drop discard",
    "CHANGE": "change edit correct fix rename typo mistake erratum wrong",
    "UNDO": "undo revert unfreeze thaw unrelease retract withdraw cancel hide reset",
    "LATER": "extend later late postpone move change reopen open missed after",
    "COPY": "copy clone duplicate template reuse rehearse rehearsal practise practice dry",
    "MOVE": "move transfer assign switch hand",
}
TABLE = """
CHANGE | slug address url | organizer#setup organizer
The address of a campaign cannot be changed. Copy the campaign under another one before runs come
in, and delete the first.
REMOVE restore | campaign rehearsal | organizer#close-delete-and-copy organizer
Setup, “Copy and close”, deletes a campaign: it disappears for all but organizers, who can restore
it for two weeks. A rehearsal is thrown away at once. To keep a campaign for reading, close it.
REMOVE restore | campaign | organizer#close-delete-and-copy participant assessor
Only organizers delete a campaign or restore it.
close end archive finish lock freeze readonly read-only | campaign | organizer#close-delete-and-copy
An organizer closes the campaign under Setup, “Copy and close”: everything stays readable, and
nothing can be changed until an organizer reopens it.
COPY | campaign rehearsal rehearse year run | organizer#close-delete-and-copy organizer
Setup, “Copy and close”, makes a copy for next year, or a rehearsal with generated runs that is
thrown away. Runs, judgments, teams and scores are never copied.
export save import archive | campaign | organizer#archive
Results, Archive, makes one zip of the campaign, which another installation loads with one command.
A folder of files becomes a campaign in the same way.
forgot forgotten lost reset recover | password login account username | participant#your-account
“Forgot your password?” on the sign-in page mails you a link. Without a mail server the operator of
the installation makes one with manage.py reset_link NAME.
lost forgot show see again copy leaked stolen revoke | token key | api#token
A token is shown once and cannot be shown again. Revoke it under Account and create another; others
keep working.
sign signup register create new open | up signup register account | participant#register-a-team
Create an account on the page where a campaign lets teams register, or open the invitation link of
an organizer: it creates the account and adds its role.
REMOVE | account username user | participant#your-account
Delete your account under Account: your judgments and runs stay under a pseudonym, and the page
before says all that happens. An organizer removes a member from a campaign.
CHANGE | account username user | participant#your-account
Usernames stay, as judgments and log name them. Name, address and password are changed under
Account.
MOVE | ownership owner campaign organizer | organizer#setup organizer
A campaign has no owner, only organizers. Hand it over under People: another member becomes
organizer, and your role ends.
LATER submit | deadline submission late | participant#submit-a-run participant
Only organizers extend or reopen submission, for all teams or for yours. Ask them: they can also
submit a run for your team.
LATER | deadline submission | organizer#runs
Organizers extend or reopen submission, for all teams or one, on the page Runs. The judging
deadline is changed in the settings.
more raise exceed another increase limit | run limit | participant#submit-a-run participant
The run limit is the campaign's. Withdraw or replace a run of your team to submit another one.
more raise exceed increase change limit | limit | organizer#setup organizer
The run limit is a setting of the campaign, and holds for all teams. Organizers submit for a team
within it; a run that is withdrawn before release frees a place.
UNDO | release scores leaderboard | organizer#scores
A release is for good. Freeze corrected qrels, evaluate and release again; what participants see
can be changed in the settings.
UNDO | withdrawal withdrawn withdraw | participant#submit-a-run
A withdrawn run is not accepted again. Submit its file once more while submission is open.
UNDO REMOVE CHANGE extend add | pool qrels version frozen | organizer#acts-that-cannot-be-undone
A frozen pool is not thawed, and frozen qrels are not changed, so that scores can be traced. Freeze
another version: what is judged already counts in it too.
CHANGE recompute another different | policy | organizer#qrels organizer
The policy of frozen qrels stays. Freeze another version under the other policy; the page Qrels
shows the differences before.
CHANGE | scale gain grades key | organizer#correct-a-mistake organizer
Values, keys and gains of grades stay once judgments use them; labels and descriptions are corrected
at any time. For other gains name them in the measure, for another scale copy the campaign.
CHANGE | topic label grade title document text guideline description | organizer#correct-a-mistake
Texts of topics, labels and descriptions of grades and titles of documents are corrected at any
time, with a notice. Values and gains of grades stay once judgments use them.
CHANGE add remove another | significance test correction alpha | organizer#scores organizer
The significance test is fixed once scores have been computed, or its p values mean nothing. Other
tests are on the comparison pages, marked exploratory.
CHANGE add another more | measure | organizer#scores organizer
Measures are changed in the settings; evaluate again to compute them. Score sets that exist keep
theirs.
REMOVE | topic document | organizer#topics-and-documents
All topics, or all documents, are deleted together, until runs, pools or judgments refer to them.
A single text can be corrected.
CHANGE | run tag | participant#submit-a-run
A run cannot be renamed or changed. Submit the file with the other tag and replace the run by it,
until the deadline.
MOVE wrong | run team | organizer#runs organizer
A run stays with its team. Withdraw it, and submit its file for the other team.
REMOVE UNDO CHANGE | run tag | participant#submit-a-run
Runs are not deleted or changed: until the deadline a team withdraws or replaces its own.
see view read show know | others teams competitors rivals | participant#read-your-scores participant
Before the release no team sees another's runs or scores. After it, what the organizers have chosen.
see view know show tell | origin run rank score system assessors | assessor#judging assessor
Assessors judge blind: no page shows which run found a document, its rank, or what others said.
back again undo unskip return | skip skipped | assessor#judging assessor
Undo brings back a document just skipped; others are among “My judgments”. A document that was
passed on to another assessor does not come back.
REMOVE UNDO CHANGE | judgment | assessor#judging
Assessors change and undo their own judgments; the log keeps both. Organizers delete none, but send
documents back to be looked at again.
UNDO reopen resume restart | plan study round | organizer#acts-that-cannot-be-undone organizer
What is closed or stopped is not reopened. Create another plan for the pairs without a judgment;
to stop for a while, pause instead.
add more CHANGE late | assessor assignment plan | judging#during-judging organizer
A plan can be given to more assessors, or topics reassigned, while it is open. Its design and the
number of judgments per document stay.
both two second combine also | roles role assessor participant | organizer#conflicting-roles
Who judges should not take part. Organizers can add the second role all the same: they confirm it,
and the log keeps it.
rename merge split join combine delete | team | organizer#setup
Teams cannot be renamed, merged or deleted. Invite to a team with the right name; organizers submit
its runs again for it.
without behalf for | account behalf | organizer#runs organizer
Organizers submit runs for any team, also for one that has no members.
CHANGE edit delete hide erase clear | log event history | organizer#acts-that-cannot-be-undone
The log is never changed. It goes only with the campaign, when that is deleted.
mail email notify notification reminder newsletter | | organizer#mail
Teams and assessors get mail about what concerns them, reminders too; the page Outbox has all of it.
Without a mail server it stays there, to be copied.
download get | topic document collection corpus data qrels | participant#data
The page Data has topics, docnos, documents, guidelines and released qrels as files, each with its
hash. What is not there has not been released by the organizers.
publish public | page campaign call scores results leaderboard | organizer#public-page
A campaign has a public page once an organizer publishes it; released scores and qrels are
published by acts of their own.
"""
"""Acts, things and the place in the help with the roles that the answer is for, if not for all;
then the answer. A query has one of the acts and, if there are any, one of the things, compared by
stem.
"""


_ENTRY = re.compile(r"^(.+) \| (.*)\| (\S+)( [ \w]+)?\n((?:[^|\n]+\n)+)", re.MULTILINE)


class HelpAnswer(NamedTuple):
    """What is possible, and where the help says more; ``roles``: whom it is for, empty for all."""

    text: str
    place: str
    roles: frozenset[str] = frozenset()


def read_table() -> Iterator[tuple[frozenset[str], frozenset[str], HelpAnswer]]:
    """The stems of acts and of things, and the answer."""
    for acts, things, place, roles, text in _ENTRY.findall(TABLE):
        words = " ".join(WORDS.get(word, word) for word in acts.split())
        answer = HelpAnswer(" ".join(text.split()), place, frozenset(roles.split()))
        yield frozenset(list_stems(words)), frozenset(list_stems(things)), answer


ANSWERS = tuple(read_table())


def find_answer(query: str, role: str = "") -> HelpAnswer | None:
    """The first that fits ``query`` and is for ``role``; "" is everybody's view: any will do, but
    one for all or organizers comes before those for others.
    """
    stems = frozenset(list_query_stems(query))
    fitting = [
        answer
        for acts, things, answer in ANSWERS
        if stems & acts and (stems & things or not things)
    ]
    if role:
        return next((each for each in fitting if not each.roles or role in each.roles), None)
    upper = [each for each in fitting if not each.roles or "organizer" in each.roles]
    return next(iter([*upper, *fitting]), None)
