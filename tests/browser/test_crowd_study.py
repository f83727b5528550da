"""A whole study in Chromium on a phone, by the fake platform: from *New study* to *Paid*."""

import os
import re
from decimal import Decimal
from pathlib import Path

import pytest

from crowd.models import Payment, Study, WorkUnit
from judging.models import Slot
from tests.browser.desk import sign_in
from tests.browser.door import DOOR
from tests.browser.test_accessibility import serious
from tests.crowd.worker_study import PLAIN, make_material, make_practice

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PHONE = {"width": 390, "height": 844}


FORM = {
    "title": "Apples in winter", "unit_size": "3", "max_units": "10", "max_screened": "5",
    "redundancy": "2", "gold_per_unit": "3", "practice_pass": "2", "stop_after": "3",
    "pay_per_unit": "3.00", "screen_out_pay": "0.50", "hourly_minimum": "12.00",
    "contact": "apples@example.org",
    "summary": "Does a text answer a question? You read and you say.",
}  # fmt: skip
"""Three documents and three gold ones in a unit; three wrong answers on gold end it."""


@pytest.fixture
def platform(open_page, live_server, organizer, campaign):
    """The page of the organizer, who plays the platform too, on a phone."""
    make_material(campaign)
    page = open_page(viewport=PHONE)
    sign_in(page, organizer, live_server.url)
    return page


@pytest.fixture
def study(platform, campaign):
    """Created and started on the pages."""
    platform.goto(f"/c/{campaign.slug}/judging/crowd/")
    platform.get_by_role("link", name="New study").first.click()
    for name, value in FORM.items():
        platform.locator(f"#id_{name}").fill(value)
    platform.locator("#id_provider").select_option("fake")
    platform.get_by_role("button", name="Preview").click()
    # 10 units of 3.00, and 10 + 5 times .50 for practice
    assert platform.get_by_text("at most 37.50").is_visible()
    look(platform, "preview-of-study")
    platform.get_by_role("button", name="Create study").click()
    with DOOR.turn:
        made = Study.objects.get()
        make_practice(made, [2, 0], needed=2)
    platform.goto(f"/c/{campaign.slug}/judging/crowd/{made.pk}/start/")
    assert platform.get_by_text("at most 37.50 EUR").first.is_visible()
    confirm(platform, "Start study")
    return made


def confirm(page, button: str) -> None:
    for box in page.locator("form.decision input[type=checkbox]").all():
        box.check()
    with page.expect_navigation():
        page.get_by_role("button", name=button).click()


def look(page, name: str) -> None:
    """No serious finding of axe, nothing wider than the phone; a picture where one is wanted."""
    assert serious(page) == []
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
    if folder := os.environ.get("CROWD_SHOTS"):
        page.screenshot(path=Path(folder) / f"study-{name}.png")


def play_act(page, name: str) -> None:
    with page.expect_navigation():
        page.get_by_role("button", name=name).first.click()


def accept_task(platform, open_page, worker: str):
    """The page of a worker who has accepted a task of the platform and given consent."""
    platform.get_by_label("Worker ID").fill(worker)
    play_act(platform, "Accept task")
    link = platform.locator("#links a").get_attribute("href")
    page = open_page(viewport=PHONE)
    page.goto(link)
    if worker == "failing":  # the first
        look(page, "consent")
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Go on").click()
    return page


def practice(page, *answers: str) -> None:
    for answer in answers:
        page.get_by_role("button", name=answer).click()
        page.get_by_role("link", name="Go on").click()


def known_grade(number: int) -> int | None:
    """The known grade of document ``number`` of the unit that is open; None if it is not gold."""
    with DOOR.turn:
        unit = WorkUnit.objects.get(state="started")
        slot = Slot.objects.select_related("gold").get(unit=unit, unit_position=number)
        return slot.gold.grade if slot.gold else None


def work_well(page) -> None:
    page.get_by_role("button", name="Start").click()
    for number in range(1, 7):
        assert page.get_by_text(f"Document {number} of 6").is_visible()
        if number == 1:
            look(page, "item")
        grade = known_grade(number)
        page.get_by_role("button", name=PLAIN[2 if grade is None else grade][0]).click()
    look(page, "finish")
    page.get_by_role("button", name="Finish").click()
    look(page, "end")
    page.get_by_role("button", name="Back to the platform").click()
    assert page.get_by_text("Your submission is recorded").is_visible()


def work_badly(page) -> int:
    """Give one answer to everything; the number of documents until the unit is ended."""
    page.get_by_role("button", name="Start").click()
    answered = 0
    while page.get_by_text("Document ").first.is_visible():
        page.get_by_role("button", name="Touches it").click()
        answered += 1
        if not page.locator(".answers").count():
            break
    return answered


@pytest.mark.full  # its parts are in test_crowd_worker and tests/crowd
def test_a_whole_study_on_a_phone(platform, open_page, study, tmp_path):
    platform.goto(f"/c/{study.campaign.slug}/judging/crowd/{study.pk}/try/")
    play_act(platform, "Preview task")
    assert platform.get_by_text("nothing is claimed").is_visible()
    preview = open_page(viewport=PHONE)
    preview.goto(platform.locator("#answer a").get_attribute("href"))
    look(preview, "preview")
    with DOOR.turn:
        assert not WorkUnit.objects.exists()

    failing = accept_task(platform, open_page, "failing")
    practice(failing, "Not relevant", "Answers it")
    look(failing, "practice-failed")
    with DOOR.turn:
        paid = Payment.objects.get().amount
    assert Decimal(0) < paid < Decimal("0.50")  # for the time that it took
    assert failing.get_by_text(f"{paid} EUR").is_visible()

    good = accept_task(platform, open_page, "good")
    practice(good, "Helps", "Not relevant")
    work_well(good)

    bad = accept_task(platform, open_page, "bad")
    practice(bad, "Helps", "Not relevant")
    assert work_badly(bad) <= 6
    look(bad, "stopped")
    for page in (failing, good, bad):
        assert page.context.cookies() == []

    platform.goto(f"/c/{study.campaign.slug}/judging/crowd/{study.pk}/try/")
    for act in ("Alter signature", "Alter worker", "Expired link", "Another worker"):
        play_act(platform, act)
        assert platform.get_by_text("Not admitted").is_visible()
    look(platform, "platform")
    check_payments(platform, study, tmp_path)


def check_payments(page, study, tmp_path) -> None:
    """The sheet has one row for each unit, and the platform's list of them is reconciled."""
    with DOOR.turn:
        states = dict(WorkUnit.objects.values_list("worker__user__username", "state"))
        receipts = list(WorkUnit.objects.exclude(receipt="").values_list("receipt", flat=True))
    assert sorted(states.values()) == ["complete", "screened", "screened"]
    root = f"/c/{study.campaign.slug}/judging/crowd/{study.pk}"
    with page.expect_download() as download:
        page.get_by_role("link", name="Submissions (CSV)").click()
    listed = tmp_path / "submissions.csv"
    download.value.save_as(listed)
    assert receipts[0] in listed.read_text()

    page.goto(f"{root}/payments/")
    look(page, "payments")
    assert page.locator("#payments tbody tr").count() == 3

    page.goto(f"{root}/workers/")
    look(page, "workers")
    stopped = next(name for name, state in states.items() if state == "screened")
    assert page.get_by_text(stopped).first.is_visible()

    # The platform says that somebody was paid who never worked here, and one twice.
    lines = listed.read_text().splitlines()
    head = next(at for at, line in enumerate(lines) if line.startswith("unit,"))
    paid = next(line for line in lines[head + 1 :] if receipts[0] in line)
    stranger = re.sub(r"task-\w+", "task-stranger", paid)
    listed.write_text("\n".join([*lines, paid, stranger]) + "\n")
    page.goto(f"{root}/payments/reconcile/")
    page.locator("input[type=file]").set_input_files(listed)
    page.get_by_role("button", name="Compare lists").click()
    look(page, "reconciled")
    told = page.locator("main").inner_text()
    assert "task-stranger" in told
    pay_study(page, root, tmp_path)


def pay_study(page, root: str, tmp_path: Path) -> None:
    """Stop the study, make a batch, follow its files, and mark it as paid."""
    page.goto(f"{root}/stop/")
    confirm(page, "Stop study")
    with DOOR.turn:
        owed = sum(Payment.objects.values_list("amount", flat=True))
    page.get_by_role("link", name=f"Pay {owed} EUR").first.click()
    look(page, "to-pay")
    page.get_by_role("button", name=f"Pay {owed} EUR").click()
    assert page.get_by_text(f"Pay {owed} EUR as batch 1?").is_visible()
    look(page, "before-paying")
    confirm(page, "Make batch")
    paid = Decimal(0)
    for name in ("IDs to approve", "units paid in part", "bonuses"):
        with page.expect_download() as download:
            page.locator("a[download]", has_text=name).click()
        download.value.save_as(tmp_path / name)
        for line in (tmp_path / name).read_text().splitlines():
            paid += Decimal(line.split(",")[-1]) if "," in line else Decimal("3.00")
    assert paid == owed
    look(page, "in-batch")
    page.get_by_role("link", name="Mark batch 1 as paid").click()
    confirm(page, "Mark as paid")
    assert page.locator("#payments").get_by_text("paid", exact=True).count() == 3
    look(page, "paid")
    page.goto(root)
    assert page.get_by_role("link", name="Freeze qrels").first.is_visible()
