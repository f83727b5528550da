"""Third judgments exist where two assessors disagreed: what leaves them out, what counts them."""

import json
from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.models import Judgment, Plan, Slot
from judging.queries.agreement import load_labels
from judging.queries.judgments import load_pair_ballots
from judging.queries.quality import load_judging_record
from judging.services.imports import ImportOptions, import_file
from judging.services.judgments import undo_judgment
from judging.services.plans import create_plan
from poolbench.judging.agreement.panel import agreement_report
from poolbench.judging.policies import get_policy
from poolbench.judging.quality.report import quality_report
from poolbench.reliability.disagreement.ballots import ABSENT, build_ballots
from poolbench.reliability.disagreement.rankings import iter_qrels_variants
from tests.csv_reading import csv_rows
from tests.judging.test_agreement_pages import page
from tests.pages import run_command
from tests.poolbench.commands.conftest import run_on_files
from tests.world.files import make_pool

PAGES = ("agreement", "agreement-pair", "agreement-topics", "assessor-quality")


@pytest.fixture
def disputed(restore, double_plan, campaign, assessor3):
    """Two assessors on topics 1 and 2; the third judges where they are 2 grades apart, only."""
    restore("thirds")
    return campaign


def test_agreement_is_that_of_the_planned_judgments(disputed):
    without, every = load_labels(disputed), load_labels(disputed, third=True)
    assert (without.left_out, every.thirds) == (2, 2)
    assert without.assessors == ("assessor", "assessor2")
    assert (without.grades >= 0).sum() == 12
    assert (every.grades >= 0).sum() == 14
    first, second = (agreement_report(labels, 1).overall for labels in (without, every))
    assert first["percent"].value == pytest.approx(3 / 6)
    assert second["percent"].value == pytest.approx((3 + 1 / 3) / 6)
    assert first["overlap"].value == pytest.approx(4 / 5)


def test_the_overlap_of_all_is_never_that_of_disputed_pairs(disputed):
    """Only third judgments make pairs that all three judged; 0.0000 would be by selection."""
    found = agreement_report(load_labels(disputed, third=True), 1)
    overlap = found.overall["overlap"]
    assert (overlap.value, overlap.n) == (None, 0)
    assert "only where two disagreed" in (overlap.reason or "")
    assert found.pairs["assessor", "assessor3"]["overlap"].n == 2


def test_assessor_quality_leaves_them_out(disputed):
    record, every = load_judging_record(disputed), load_judging_record(disputed, third=True)
    report, with_third = quality_report(record, 1), quality_report(every, 1)
    assert set(report.bias) == {"assessor", "assessor2"}
    assert report.bias["assessor"].value == pytest.approx(0 / 6)
    assert with_third.bias["assessor3"].n == 2
    assert report.bias["assessor"].value != with_third.bias["assessor"].value
    assert load_labels(disputed).grades.tolist() == record.people.grades.tolist()


def test_pages_say_what_is_left_out_and_have_a_switch(disputed, organizer, as_user):
    client = as_user(organizer)
    for name in PAGES:
        told = page(client, name)
        left_out = "2 third judgments are left out: they exist only where two assessors disagreed"
        assert left_out in told, name
        assert "third=1" in told, name
        assert "assessor3" not in told, name
        other = page(client, name, "third=1")
        assert "With 2 third judgments" in other, name
        assert "assessor3" in other or name == "agreement-topics", name


def test_pages_without_third_judgments_say_nothing_of_them(
    double_plan, organizer, assessor, assessor2, grade, as_user
):
    for user in (assessor, assessor2):
        grade(user, "d1", 1)
    assert "third judgment" not in page(as_user(organizer), "agreement")


def test_downloads_follow_the_switch(disputed, organizer, as_user):
    client = as_user(organizer)
    told = json.loads(page(client, "agreement-download", "", "json"))
    assert told["third_judgments"] == {"counted": 0, "left_out": 2}
    assert len(told["pairs"]) == 1
    every = json.loads(page(client, "agreement-download", "third=1", "json"))
    assert every["third_judgments"] == {"counted": 2, "left_out": 0}
    assert len(every["pairs"]) == 3
    told = json.loads(page(client, "assessor-quality-download", "", "json"))
    assert told["third_judgments"] == {"counted": 0, "left_out": 2}
    for query, n in (("", 1), ("third=1", 3)):
        rows = csv_rows(page(client, "agreement-download", query, "csv"))
        assert len({row["assessor_b"] for row in rows if row["between"] == "pair"}) == min(n, 2)
    told = run_command("agreement", "small")
    assert "Left out: 2 third judgments. They exist only where two assessors" in told
    told = run_command("agreement", "small", "--with-third-judgments")
    assert "With 2 third judgments." in told


def test_a_changed_or_undone_third_judgment_stays_one(disputed, campaign, assessor3, grade):
    grade(assessor3, "d5", 1, topic=campaign.topics.get(number="2"))
    assert Judgment.objects.filter(docno="d5", assessor=assessor3, third=True).count() == 2
    for left_out in (2, 1):  # The change, then the first one.
        undo_judgment(actor=assessor3, campaign=campaign)
        assert load_labels(disputed).left_out == left_out


def test_late_judgments_of_third_judges_are_third_ones(disputed, assessor3, grade, organizer):
    """The lease of a third slot passed on; who saw the document before that is not a third."""
    Slot.objects.filter(item__docno="d1", k=100).update(assessor=organizer, token=uuid4())
    Judgment.objects.filter(docno="d1", assessor=assessor3)._raw_delete("default")
    shown = Judgment.objects.filter(docno="d1").order_by("pk").first().judged_at
    grade(assessor3, "d1", 1, served_at=shown, token=uuid4())
    assert not Judgment.objects.get(docno="d1", assessor=assessor3).third
    Judgment.objects.filter(docno="d1", assessor=assessor3)._raw_delete("default")
    grade(assessor3, "d1", 1, served_at=timezone.now(), token=uuid4())
    late = Judgment.objects.get(docno="d1", assessor=assessor3)
    assert (late.slot, late.third) == (None, True)


def test_exports_mark_them_and_assessors_do_not_see_it(disputed, organizer, assessor3, as_user):
    url = reverse("judgments-export", args=["small", "log", "csv"])
    text = b"".join(as_user(organizer).get(url).streaming_content).decode()
    rows = csv_rows(text)
    marked = {(row["docno"], row["assessor"]) for row in rows if row["third"] == "True"}
    assert marked == {("d1", "assessor3"), ("d5", "assessor3")}
    url = reverse("judgments-export", args=["small", "current", "jsonl"])
    text = b"".join(as_user(organizer).get(url).streaming_content).decode()
    assert text.count('"third": true') == 2
    own = reverse("my-judgments-file", args=["small", "csv"])
    assert b"third" not in b"".join(as_user(assessor3).get(own).streaming_content)


def export(form: str) -> bytes:
    return run_command("export_judgments", "small", "--format", form).encode()


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_files_carry_the_mark_into_another_campaign(disputed, elsewhere, organizer, form):
    data = export(form)
    import_file(actor=organizer, campaign=elsewhere, data=data, file="x", options=ImportOptions())
    assert load_labels(elsewhere).left_out == 2
    assert load_labels(elsewhere).grades.tolist() == load_labels(disputed).grades.tolist()


def test_an_import_fills_the_slots_of_third_judgments(
    disputed, elsewhere, organizer, assessor, assessor2, assessor3
):
    """The third judge's rows come first in the file; their slots exist after the others."""
    pool = make_pool(elsewhere, {"1": ["d1", "d2", "d3", "d4"], "2": ["d5", "d6"]})
    people = {number: [assessor, assessor2, assessor3] for number in "12"}
    created = create_plan(actor=organizer, pool=pool, overlap=2, assessors=people)
    Plan.objects.filter(pk=created.pk).update(third_from=2)
    version, conditions, head, *rows = export("csv").decode().splitlines(keepends=True)
    data = "".join([version, conditions, head, *reversed(rows)]).encode()
    options = ImportOptions()
    counts = import_file(
        actor=organizer, campaign=elsewhere, data=data, file="x.csv", options=options
    )
    assert counts.without_slot == 0
    slots = Slot.objects.filter(plan__campaign=elsewhere, k=100)
    assert {slot.assessor.username for slot in slots} == {"assessor3"}
    marked = Judgment.objects.filter(campaign=elsewhere, third=True)
    assert {row.slot.k for row in marked} == {100}
    assert marked.count() == 2


def test_the_command_reads_the_mark_from_a_file(disputed, tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes(export("csv"))
    for flags, told in (((), "Left out: 2 third"), (("--with-third-judgments",), "With 2 third")):
        assert told in run_on_files("agreement", path, *flags).out


def test_policies_count_them_but_nobody_s_own_qrels_do(disputed):
    ballots = load_pair_ballots(disputed).list_ballots()
    by_docno = {ballot.docno: ballot for ballot in ballots}
    assert by_docno["d1"].grades == (0, 3, 3)
    assert by_docno["d1"].third == {"assessor3"}
    table = build_ballots(ballots, get_policy("majority"))
    at = table.assessors.index("assessor3")
    assert (table.own(at) == ABSENT).all()
    assert (table.eligible[:, at] != ABSENT).sum() == 2
    assert [name for name, *_ in iter_qrels_variants(table, "own")] == [
        "assessor", "assessor2", "union", "intersection",
    ]  # fmt: skip
    row = next(at for at, ballot in enumerate(ballots) if ballot.docno == "d1")
    assert table.policy_grades[row] == 3
