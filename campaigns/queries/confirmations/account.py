"""The confirmation before a person deletes their account."""

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaigns.confirmation import Confirmation, ConfirmationChoice, Consequence
from campaigns.models import Campaign, Member, Role, Run, User


def list_campaigns_to_hand_over(user: User) -> list[Campaign]:
    """Those of which ``user`` is the only organizer."""
    organized = Campaign.objects.filter(members__user=user, members__role=Role.ORGANIZER)
    others = Member.objects.filter(role=Role.ORGANIZER, user__is_active=True).exclude(user=user)
    return list(organized.exclude(pk__in=others.values("campaign")).order_by("title"))


def describe_account_deletion(user: User) -> Confirmation:
    """What goes, what stays under a pseudonym, and who could still know."""
    # Judgments belong to an upper app; only the reverse relation is known here.
    judged = user.judgments.count() + user.preferences.count()
    runs = Run.objects.filter(submitted_by=user).count()
    judgments = ngettext(
        "%(n)s judgment stays and counts, by “deleted-…”: qrels and scores do not change.",
        "%(n)s judgments stay and count, by “deleted-…”: qrels and scores do not change.",
        judged,
    )
    stays = ngettext("%(n)s run stays with its team.", "%(n)s runs stay with their teams.", runs)
    campaigns = user.memberships.values("campaign").distinct().count()
    roles = ngettext(
        "in %(n)s campaign end; its organizers see that in the log.",
        "in %(n)s campaigns end; their organizers see that in the log.",
        campaigns,
    )
    return Confirmation(
        question=_("Delete your account?"),
        summary=user.username,
        before=_("Before you delete"),
        consequences=(
            Consequence(
                _("Deleted"),
                _("Username, name, e-mail address, password, second factor, API token, mails to"
                  " you, records of your sign-ins, registrations of teams."),
            ),
            *([Consequence(_("Your roles"), roles % {"n": campaigns})] if campaigns else []),
            *([Consequence(_("Judgments"), judgments % {"n": judged})] if judged else []),
            *([Consequence(_("Runs"), stays % {"n": runs})] if runs else []),
            Consequence(
                _("Log"),
                _("keeps what you did, under the pseudonym; your name is replaced in it."),
            ),
            Consequence(
                _("Elsewhere"),
                _("Files that others have downloaded, backups, and comments that you wrote stay as"
                  " they are."),
            ),
        ),
        consents=(
            ConfirmationChoice("deletes-account", _("Delete my account, for good")),
            ConfirmationChoice(
                "keeps-pseudonym", _("My judgments and runs stay under a pseudonym")
            ),
        ),
        button=_("Delete account"),
        back=reverse("account"),
        note=_("Export what is stored about you first, if you want to keep it."),
    )  # fmt: skip
