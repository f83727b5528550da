"""Files of judgments into a campaign: the service, the page and the command."""

import gzip
import io
import json
import re
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from campaigns.errors import ActionRefused
from campaigns.models import Event
from judging.models import Judgment, Slot
from judging.queries.judgments import current_judgments
from judging.services.imports import ImportOptions, import_file, preview_file
from judging.services.plans import create_plan
from poolbench.files.faults import InvalidFile
from tests.pages import read_page
from tests.world.files import upload

TABLE = (
    "topic,docno,grade,assessor,comment\n1,d1,2,assessor,yes\n1,d2,0,assessor,\n2,d5,1,assessor2,\n"
)
EXPORT = [
    {"id": 1, "text": "a", "query_id": "1", "doc_id": "d1", "label": ["Quite (2)"]},
    {"id": 2, "text": "b", "query_id": "1", "doc_id": "d2", "label": []},
    {"id": 3, "text": "c", "query_id": "1", "doc_id": "d3", "label": ["No idea"]},
    {"id": 4, "text": "c", "query_id": "1", "doc_id": "d1", "label": ["Hardly (1)"]},
]


def lines(records) -> str:
    return "".join(f"{json.dumps(record)}\n" for record in records)


def standing(campaign) -> set[tuple[str, str, str, int | None]]:
    rows = current_judgments(campaign).values_list(
        "assessor__username", "topic__number", "docno", "grade"
    )
    return set(rows)


@pytest.fixture
def bring(campaign, organizer):
    """``bring(text, **options)`` imports a file and returns the counts."""

    def act(text: str | bytes, file: str = "file.csv", **options):
        data = text.encode() if isinstance(text, str) else text
        given = {"actor": organizer, "campaign": campaign, "data": data, "file": file}
        return import_file(**given, options=ImportOptions(**options))

    return act


def test_a_file_fills_slots_of_those_whom_it_names(double_plan, campaign, bring):
    counts = bring(TABLE)
    assert (counts.new, counts.revised, counts.unchanged, counts.without_slot) == (3, 0, 0, 0)
    assert standing(campaign) == {
        ("assessor", "1", "d1", 2), ("assessor", "1", "d2", 0), ("assessor2", "2", "d5", 1),
    }  # fmt: skip
    assert Slot.objects.filter(state="judged").count() == 3
    assert Judgment.objects.get(docno="d1").comment == "yes"


def test_the_same_file_again_changes_nothing_and_a_changed_one_appends_revisions(
    double_plan, bring
):
    bring(TABLE)
    before = list(Judgment.objects.values())
    assert bring(TABLE).unchanged == 3
    assert bring(gzip.compress(TABLE.encode())).appended == 0
    assert list(Judgment.objects.values()) == before
    counts = bring(TABLE.replace("d2,0", "d2,3"))
    assert (counts.new, counts.revised, counts.unchanged) == (0, 1, 2)
    assert list(Judgment.objects.filter(docno="d2").values_list("revision", "grade")) == [
        (1, 0), (2, 3),
    ]  # fmt: skip


def test_nothing_is_half_written(double_plan, bring):
    with pytest.raises(InvalidFile) as caught:
        bring(TABLE + "9,d1,1,assessor,\n1,d77,1,assessor,\n1,d4,8,nobody,\n")
    assert caught.value.report.counts == {"EJ01": 1, "EJ12": 1, "EJ02": 1, "EJ10": 1}
    assert caught.value.report.file == "file.csv"
    assert not Judgment.objects.exists()
    assert not Event.objects.filter(code="judgments.imported").exists()


def test_defects_are_refused_until_the_user_settles_them_and_the_log_tells_how(
    plan, campaign, assessor, bring
):
    with pytest.raises(InvalidFile) as caught:
        bring(lines(EXPORT), assessor=assessor)
    assert caught.value.report.counts == {"WJ04": 2, "WJ03": 1, "EJ08": 1, "EJ03": 1}
    counts = bring(
        lines(EXPORT), "ann.jsonl", assessor=assessor, labels={"No idea": "0"}, duplicates="last"
    )
    assert counts.new == 2
    assert standing(campaign) == {("assessor", "1", "d1", 1), ("assessor", "1", "d3", 0)}
    told = Event.objects.get(code="judgments.imported").data
    assert told["labels"] == {"Hardly (1)": "1", "No idea": "0", "Quite (2)": "2"}
    assert (told["duplicates"], told["unlabeled"], told["format"]) == ("last", 1, "doccano")
    assert told["duplicate_labels"] == [{"assessor": "assessor", "pairs": 1, "same": 0}]
    assert (told["file"], len(told["sha256"])) == ("ann.jsonl", 64)


@pytest.mark.parametrize("file", ["assessor2.txt", "assessor2-qrels.txt.gz", "assessor2_b.jsonl"])
def test_a_file_may_be_called_after_its_assessor(plan, campaign, assessor2, bring, file):
    assert bring("1 0 d1 2\n", file, by_file=True).new == 1
    assert standing(campaign) == {("assessor2", "1", "d1", 2)}


def test_a_file_called_after_nobody_is_refused(plan, bring):
    with pytest.raises(ActionRefused, match="matches the file name") as caught:
        bring("1 0 d1 2\n", "assessors.txt", by_file=True)
    assert caught.value.code == "no-such-assessor"


def test_people_are_found_by_address_and_by_choice(plan, campaign, assessor, assessor2, bring):
    assessor.email = "Ann@example.org"
    assessor.save()
    text = "topic,docno,grade,assessor\n1,d1,1,ann@EXAMPLE.org\n1,d2,2,worker 7\n"
    bring(text, people={"worker 7": "assessor2"})
    assert standing(campaign) == {("assessor", "1", "d1", 1), ("assessor2", "1", "d2", 2)}


def test_a_skip_is_a_skip_and_fills_its_slot_as_one(plan, bring):
    text = "topic,docno,kind,grade,reason,assessor\n1,d1,skip,,broken,assessor\n"
    bring(text)
    assert Judgment.objects.values_list("kind", "grade", "reason").get() == ("skip", None, "broken")
    assert Slot.objects.get(item__docno="d1").state == "skipped"
    assert bring(text).unchanged == 1


def test_a_slot_that_is_reserved_for_another_is_not_taken(plan, assessor, assessor2, bring):
    Slot.objects.filter(item__docno="d1").update(reserved_for=assessor)
    assert bring("1 0 d1 2\n", assessor=assessor2).without_slot == 1
    assert bring("1 0 d1 2\n", assessor=assessor).without_slot == 0


def test_imports_that_disagree_ask_for_a_third(
    pool, organizer, assessor, assessor2, assessor3, bring
):
    people = {number: [assessor, assessor2, assessor3] for number in "123"}
    plan = create_plan(actor=organizer, pool=pool, overlap=2, assessors=people)
    type(plan).objects.update(third_from=2)
    bring("1 0 d1 0\n1 0 d2 1\n", assessor=assessor)
    bring("1 0 d1 3\n1 0 d2 2\n", assessor=assessor2)
    wanted = Slot.objects.filter(state="open", topic__number="1", item__docno__in=("d1", "d2"))
    assert list(wanted.values_list("item__docno", flat=True)) == ["d1"]


def test_files_are_the_organizers(plan, campaign, assessor, stranger):
    from django.core.exceptions import PermissionDenied

    given = {"campaign": campaign, "data": b"1 0 d1 2\n", "file": "x", "options": ImportOptions()}
    for who in (assessor, stranger):
        for act in (import_file, preview_file):
            with pytest.raises(PermissionDenied):
                act(actor=who, **given)


def test_a_preview_counts_and_writes_nothing(double_plan, campaign, organizer, bring):
    bring(TABLE)
    text = TABLE.replace("d2,0", "d2,3") + "2,d6,1,assessor,\n"
    given = {"actor": organizer, "campaign": campaign, "file": "f.csv", "options": ImportOptions()}
    found = preview_file(**given, data=text.encode())
    counts = found.counts
    assert (counts.new, counts.revised, counts.unchanged) == (1, 1, 2)
    assert Judgment.objects.count() == 3
    assert found.resolution.people == [("assessor", 3, "assessor"), ("assessor2", 1, "assessor2")]


# The page


@pytest.fixture
def page(as_user, organizer):
    client, url = as_user(organizer), reverse("judgments-import", args=["small"])

    def post(**fields):
        return client.post(url, {"who": "file", "duplicates": "refuse", **fields})

    return post


def hidden(html: str, name: str) -> str:
    return re.search(rf'name="{name}" value="([^"]*)"', html).group(1)


def test_the_page_previews_and_writes_only_when_confirmed(double_plan, campaign, page):
    answer = page(file=upload(TABLE.encode(), "table.csv"))
    html = read_page(answer)
    assert answer.status_code == 200
    assert "Import 3 judgments" in html
    assert not Judgment.objects.exists()
    answer = page(staged=hidden(html, "staged"), confirm="1")
    assert answer.url == reverse("import-export", args=["small"])
    assert len(standing(campaign)) == 3


def test_the_page_settles_labels_people_and_duplicates(plan, campaign, assessor, page):
    who = {"who": f"user-{assessor.pk}"}
    answer = page(file=upload(lines(EXPORT).encode(), "ann.jsonl"), **who)
    html = read_page(answer)
    assert answer.status_code == 422
    assert "no match" in html
    assert "Self-consistency" in html
    assert 'name="confirm"' not in html
    settled = {
        "staged": hidden(html, "staged"), "duplicates": "first",
        "label-name": ["No idea", "Quite (2)", "Hardly (1)"], "label-choice": ["-", "", "3"],
    }  # fmt: skip
    html = read_page(page(**who, **settled))
    assert "Import 1 judgment<" in html
    page(**who, **settled, confirm="1")
    assert standing(campaign) == {("assessor", "1", "d1", 2)}


def test_the_page_maps_unknown_people(plan, campaign, page):
    file = upload(b"topic,docno,grade,annotator\n1,d1,2,w-17\n", "x.csv")
    answer = page(file=file)
    assert answer.status_code == 422
    fields = {"person-name": "w-17", "person-choice": "assessor"}
    staged = hidden(read_page(answer), "staged")
    assert page(staged=staged, confirm="1", **fields).status_code == 302
    assert standing(campaign) == {("assessor", "1", "d1", 2)}


def test_an_upload_belongs_to_its_campaign_and_person_and_cannot_be_forged(
    plan, organizer, assessor, page, as_user
):
    from campaigns.services.campaigns import create_campaign
    from tests.world.people import SCALE

    answer = page(file=upload(b"1 0 d1 2\n", "x.txt"), who=f"user-{assessor.pk}")
    staged = hidden(read_page(answer), "staged")
    create_campaign(actor=organizer, title="Other", slug="other", scale=SCALE)
    other = reverse("judgments-import", args=["other"])
    client = as_user(organizer)
    assert client.post(other, {"who": "file", "staged": staged}).status_code == 404
    assert page(staged=staged[:-3] + "abc").status_code == 404


def test_the_page_refuses_no_file_a_large_one_and_a_broken_one(plan, page, settings):
    assert page().status_code == 422
    assert page(file=upload(b"\x1f\x8bbroken", "x.gz")).status_code == 422
    settings.POOLBENCH_MAX_UPLOAD_BYTES = 20
    assert page(file=upload(TABLE.encode(), "x.csv")).status_code == 422
    assert page(file=upload(gzip.compress(b"0" * 50), "x.gz")).status_code == 422
    assert not Judgment.objects.exists()


def test_labels_of_a_file_are_text_on_the_page(plan, assessor, page):
    text = lines([{"text": "", "topic": "1", "docno": "d1", "label": ["<script>x</script>"]}])
    html = read_page(page(file=upload(text.encode(), "x.jsonl"), who=f"user-{assessor.pk}"))
    assert "<script>x" not in html
    assert "&lt;script&gt;x" in html


# The command


def run(*args, **options) -> str:
    out = io.StringIO()
    call_command(*args, stdout=out, stderr=io.StringIO(), **options)
    return out.getvalue()


def test_the_command_tells_first_and_then_writes(plan, campaign, tmp_path):
    path = tmp_path / "export.jsonl"
    path.write_text(lines(EXPORT))
    args = ["import_judgments", "small", path, "--assessor", "assessor", "--map", "No idea=0"]
    with pytest.raises(CommandError, match="would not be imported"):
        run(*args, "--dry-run")
    told = run(*args, "--duplicates", "first", "--dry-run")
    assert "format: doccano" in told
    assert "label 'No idea' (1): 0" in told
    assert "assessor labeled 1 pair again: 0 equal" in told
    assert "would be imported: 2 new, 0 revised, 0 unchanged" in told
    assert not Judgment.objects.exists()
    assert "2 new, 0 revised" in run(*args, "--duplicates", "first")
    assert standing(campaign) == {("assessor", "1", "d1", 2), ("assessor", "1", "d3", 0)}


@pytest.mark.parametrize(
    "wrong",
    [
        ["--assessor", "nobody"], ["--automatic", "nobody"], ["--map", "x"], ["--format", "xls"],
        ["--assessor", "assessor", "--by-file"],
    ],
)  # fmt: skip
def test_the_command_says_what_is_wrong(plan, assessor, tmp_path, wrong):
    path = tmp_path / "a.txt"
    path.write_text("1 0 d1 2\n")
    with pytest.raises(CommandError):
        run("import_judgments", "small", path, *wrong)
    assert not Judgment.objects.exists()


def test_who_judged_the_same_on_the_screen_keeps_their_own(plan, assessor, grade, bring):
    grade(assessor, "d1", 1, client_uuid=uuid4())
    assert bring("1 0 d1 1\n", assessor=assessor).unchanged == 1
    assert Judgment.objects.count() == 1
