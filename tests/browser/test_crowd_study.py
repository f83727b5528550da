"""A whole study in Chromium on a phone, by the fake platform: from the preview to the payments."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from crowd.models import WorkUnit
from judging.models import Slot
from tests.browser.desk import sign_in
from tests.browser.door import DOOR
from tests.browser.test_accessibility import serious
from tests.crowd.worker_study import PLAIN, make_practice, make_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def study(campaign):
    """Three documents and three gold ones in a unit; three wrong answers on gold end it."""
    made = make_study(campaign, unit_size=3, gold_per_unit=3, stop_after=3, stop_below=0.6)
    make_practice(made, [2, 0], needed=2)
    return made


@pytest.fixture
def platform(open_page, live_server, organizer, study):
    """The page on which the organizer plays the platform, on a phone."""
    page = open_page(viewport=PHONE)
    sign_in(page, organizer, live_server.url)
    page.goto(f"/c/{study.campaign.slug}/judging/crowd/{study.pk}/try/")
    return page


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


def test_a_whole_study_on_a_phone(platform, open_page, study, tmp_path):
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
    assert failing.get_by_text("0.50").first.is_visible()

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
    amounts = [cell.inner_text() for cell in page.locator("#payments tbody td:nth-child(7)").all()]
    assert min(amounts) == "0.50 EUR"
    assert "3.00 EUR" in amounts
    assert len(amounts) == 3

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
