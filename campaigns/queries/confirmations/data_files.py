"""The confirmation before data or a public page is given to more readers."""

from django.urls import reverse

from campaigns.confirmation import Confirmation, ConfirmationChoice, Consequence, OpenMatter
from campaigns.models import Campaign, DataFile
from campaigns.queries.confirmations.runs import count_participants, has_participants
from poolbench.files.faults import format_count

EVERYBODY = DataFile.Audience.EVERYBODY
READERS = {
    DataFile.Audience.TEAMS: "can download it from the page Data, and see a notice.",
    EVERYBODY: "can download it without an account, and pass it on.",
}
PUBLISH, RELEASE = "for-everybody", "for-teams"


def describe_readers(campaign: Campaign, audience: str) -> str:
    """Who gets something new: ``3 teams, 5 people``, or everybody."""
    if audience == EVERYBODY:
        return "Everybody"
    return count_participants(campaign) if has_participants(campaign) else "The teams"


def list_licence_matters(file: DataFile | None, although: str) -> list[OpenMatter]:
    if file is None or file.licence:
        return []
    override = ConfirmationChoice("no-licence", f"{although} without a licence")
    return [
        OpenMatter(
            f"{file.name} has no licence text.",
            override,
            detail="Without one it is not known what may be done with it.",
            url=reverse("data-file-edit", args=[file.campaign.slug, file.name]),
            link="Write it",
        )
    ]


def describe_widening(file: DataFile, audience: str) -> Confirmation:
    """Before a data file is given to ``audience``."""
    campaign, is_public = file.campaign, audience == EVERYBODY
    verb = "Publish" if is_public else "Release"
    readers = describe_readers(campaign, audience)
    newest = file.versions.first()
    content = f"{newest.holds or file.title}, version {newest.number}" if newest else file.title
    consequences = [
        Consequence(readers, READERS[DataFile.Audience(audience)]),
        Consequence("Later versions", "are for the same readers as soon as they are there."),
        Consequence("For good", "What has been downloaded stays with its readers."),
    ]
    consent = ConfirmationChoice(
        PUBLISH if is_public else RELEASE, f"{readers} may have {file.name}"
    )
    return Confirmation(
        question=f"{verb} {file.name}?",
        summary=f"{content}. Now for {file.get_audience_display()}.",
        before=f"Before you {verb.lower()}",
        open=tuple(list_licence_matters(file, verb)),
        consequences=tuple(consequences),
        consents=(consent,),
        button=f"{verb} {file.name}",
        back=reverse("data", args=[campaign.slug]),
        note="A file can be given to more readers later, never to fewer.",
    )


def describe_page_publication(campaign: Campaign) -> Confirmation:
    """Before the page of a campaign can be opened by everybody."""
    page = campaign.public_page
    edit_url = reverse("public-page-edit", args=[campaign.slug])
    matters = [
        OpenMatter(text, ConfirmationChoice(code, label), url=edit_url, link="Write it")
        for missing, code, text, label in (
            (not page.call, "no-call", "There is no call.", "Publish without a call"),
            (
                not page.organizers,
                "no-organizers",
                "No organizer is named.",
                "Publish without names",
            ),
        )
        if missing
    ]
    files = campaign.data_files.filter(audience=EVERYBODY, removed_at__isnull=True).count()
    consequences = [
        Consequence("Everybody", "can open the page without an account; search engines find it."),
        Consequence(
            "It shows",
            "the title, call, dates, organizers, web page and citation; how many topics and"
            " documents there are, and the grades and measures. Description and guidelines stay"
            " with members.",
        ),
        Consequence("Data", f"{format_count(files, 'file')} for everybody; others are not named."),
        Consequence("Runs and teams", "are not shown. Scores are once they are published, which"
                    " is an act of its own."),
        Consequence("Front page", "lists the campaign."),
        Consequence(
            "Teams",
            "can register on it." if campaign.registration != Campaign.Registration.CLOSED
            else "cannot register on it: they come by invitation.",
            reverse("campaign-settings", args=[campaign.slug]),
            "Change registration",
        ),
    ]  # fmt: skip
    return Confirmation(
        question="Publish the page of this campaign?",
        summary=campaign.title,
        before="Before you publish",
        open=tuple(matters),
        consequences=tuple(consequences),
        consents=(ConfirmationChoice(PUBLISH, "Everybody may read it"),),
        button="Publish page",
        back=edit_url,
        note="The page can be taken down at any time.",
    )
