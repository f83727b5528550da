"""Who has a qrels version, and the confirmation before more readers get it.

A released version is a data file of the campaign, under a name that the version has from the start.
"""

from django.db.models import CharField, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Cast, Coalesce, Concat
from django.urls import reverse

from campaigns.confirmation import Confirmation, ConfirmationChoice, Consequence, OpenMatter
from campaigns.models import DataFile
from campaigns.queries.confirmations.data_files import (
    EVERYBODY,
    PUBLISH,
    RELEASE,
    describe_readers,
    list_licence_matters,
)
from judging.models import Qrels
from judging.queries.confirmations import list_done_judging, list_judging_matters
from judging.queries.judgments import qrels_table
from poolbench.files.faults import format_count

Audience = DataFile.Audience


def name_qrels_file(qrels: Qrels) -> str:
    return f"qrels-{qrels.version}.txt"


def find_qrels_file(qrels: Qrels) -> DataFile | None:
    """The data file of the version; None as long as only organizers have it."""
    files = DataFile.objects.filter(campaign=qrels.campaign_id)
    return files.filter(name=name_qrels_file(qrels)).first()


def add_audience(versions: QuerySet[Qrels]) -> QuerySet[Qrels]:
    """The versions, each with its ``audience``."""
    number = Cast(OuterRef("version"), CharField())
    name = Concat(Value("qrels-"), number, Value(".txt"), output_field=CharField())
    files = DataFile.objects.filter(campaign=OuterRef("campaign"), name=name)
    nobody_else = Value(Audience.ORGANIZERS.value)
    return versions.annotate(audience=Coalesce(Subquery(files.values("audience")), nobody_else))


def list_wider_audiences(qrels: Qrels) -> list[Audience]:
    file = find_qrels_file(qrels)
    return file.list_wider_audiences() if file else [Audience.TEAMS, Audience.EVERYBODY]


def count_hidden_pairs(qrels: Qrels) -> tuple[int, int]:
    """How many pairs of the version are gold of crowd studies that have not ended, and training
    pairs of assessors who still judge: their grades are known to whom reads the file.

    Studies belong to an upper app; only the reverse relations are known here.
    """
    campaign = qrels.campaign
    grades = qrels_table(qrels).by_pair()
    gold: set[tuple[str, str]] = set()
    if campaign.studies.exclude(state="stopped").exists():
        rows = campaign.gold_pairs.filter(retired=False)
        gold = set(rows.values_list("topic__number", "docno"))
    training: set[tuple[str, str]] = set()
    if campaign.takes_judgments():
        training = set(campaign.training.values_list("topic__number", "docno"))
    return len(gold & grades.keys()), len(training & grades.keys())


def list_hidden_matters(qrels: Qrels, verb: str) -> list[OpenMatter]:
    """That answers become known by which people are tested or trained."""
    campaign = qrels.campaign
    gold, training = count_hidden_pairs(qrels)
    matters = []
    if gold:
        matters.append(
            OpenMatter(
                f"{format_count(gold, 'gold pair')} of crowd studies that have not ended"
                f" {'is' if gold == 1 else 'are'} in these qrels.",
                ConfirmationChoice("gold-known", f"{verb} although workers can look up gold"),
                detail="Workers could know the answers by which they are tested.",
                url=reverse("studies", args=[campaign.slug]),
                link="View studies",
            )
        )
    if training:
        matters.append(
            OpenMatter(
                f"{format_count(training, 'training pair')}"
                f" {'is' if training == 1 else 'are'} in these qrels, and judging is open.",
                ConfirmationChoice("training-known", f"{verb} although training is known"),
                url=reverse("training-sets", args=[campaign.slug]),
                link="View training",
            )
        )
    return matters


def describe_qrels_release(qrels: Qrels, audience: str) -> Confirmation:
    """Before a version is released to the teams, or published."""
    campaign, is_public = qrels.campaign, audience == EVERYBODY
    verb = "Publish" if is_public else "Release"
    readers, name = describe_readers(campaign, audience), name_qrels_file(qrels)
    topics = format_count(len(qrels.manifest["topics"]), "topic")
    consequences = [
        Consequence(
            readers,
            f"can download {name} without an account." if is_public
            else f"can download {name}, and get a notice and a mail.",
        ),
        Consequence("They learn", "the grade of each judged pair. Who judged, how often assessors"
                    " differed and what is undecided stay with the organizers."),
        Consequence("Scores", "can be computed from it by everybody who has a run, whether or not"
                    " they are released."),
        Consequence("For good", f"Qrels {qrels.version} stay released. Later versions stay with the"
                    " organizers until they are released too."),
    ]  # fmt: skip
    if not is_public:
        consequences.append(Consequence("Others", "see nothing of it until it is published."))
    matters = list_judging_matters(campaign, verb) + list_hidden_matters(qrels, verb)
    return Confirmation(
        question=f"{verb} qrels {qrels.version}?",
        summary=f"{format_count(qrels.pairs, 'pair')} of {topics}, policy {qrels.policy}"
        f"{f', {qrels.label}' if qrels.label else ''}; withheld topics are not in it.",
        before=f"Before you {verb.lower()}",
        open=(*matters, *list_licence_matters(find_qrels_file(qrels), verb)),
        done=tuple(list_done_judging(campaign)),
        consequences=tuple(consequences),
        consents=(
            ConfirmationChoice(
                PUBLISH if is_public else RELEASE, f"{readers} may have qrels {qrels.version}"
            ),
        ),
        button=f"{verb} qrels {qrels.version}",
        back=reverse("qrels", args=[campaign.slug, qrels.version]),
        note="Qrels can be given to more readers later, never to fewer.",
    )
