"""What organizer, assessors and a team do on pages while people judge a sample."""

from __future__ import annotations

import os
import re
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.sampled_track import SEED
from campaigns.confirmation import Decision
from campaigns.models import Campaign, Role, Run, User
from campaigns.services.jobs import run_jobs_inline
from campaigns.services.runs import submit_run, withdraw_run
from judging.models import Judgment
from judging.services.judgments import claim_ahead
from poolbench.replay.manifest import read_manifest
from replay.services import (
    create_replayed_campaign,
    get_or_create_organizer,
    submit_replayed_runs,
    time_step,
)
from tests.browser.desk import settle, shown, unsent
from tests.browser.sample_track import SampledTrack
from tests.browser.test_accessibility import serious
from tests.browser.test_frame import FITTED, WIDER
from tests.examples import ALL
from tests.world.judgments import submit_judgment
from tests.world.people import joined

if TYPE_CHECKING:
    from playwright.sync_api import Page

ASSESSORS = ("ada", "ben", "cleo", "dan")
ROBOT = "robot"
PICTURES = os.environ.get("POOLBENCH_TEST_PICTURES")
"""A folder for a picture of each page, wide and narrow, light and dark."""
SIZES = {"wide": 1400, "narrow": 390}
NEXT_TOPIC = ".over a.button.primary"
NEXT = f"""docno => {{
  const now = document.querySelector("#grades [name=docno]")?.value;
  return (now && now !== docno) || document.querySelector("{NEXT_TOPIC}") !== null;
}}"""
ALWAYS = ("pool-preview", "live-map", "leaderboard")


def create_sampled_campaign(track: SampledTrack) -> Campaign:
    """With the runs of the pool, four assessors, and ``pat`` of the first team."""
    organizer, manifest = get_or_create_organizer("olga"), read_manifest(track.pooled)
    step = partial(time_step, str)
    with run_jobs_inline():
        campaign = create_replayed_campaign(organizer, manifest, step)
        submit_replayed_runs(organizer, campaign, manifest, step)
    Campaign.objects.filter(pk=campaign.pk).update(seed=SEED)
    campaign.refresh_from_db()
    for name in ASSESSORS:
        joined(campaign, name, Role.ASSESSOR)
    joined(campaign, "pat", Role.PARTICIPANT, campaign.teams.order_by("name").first())
    return campaign


def look_at(page: Page, name: str) -> None:
    """No page wider than its window, and nothing serious for axe: in ``make test`` it looks at some
    pages, once.
    """
    for size, width in SIZES.items():
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(FITTED)
        assert not page.evaluate(WIDER), (name, size)
        if ALL or (name in ALWAYS and size == "wide"):
            assert serious(page) == [], (name, size)
        for scheme in ("light", "dark") if PICTURES else ():
            page.emulate_media(color_scheme=scheme)
            path = Path(PICTURES) / f"{name}-{size}-{scheme}.png"
            page.screenshot(path=path, full_page=True)
        page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": SIZES["wide"], "height": 900})


def press_button(page: Page, name: str | re.Pattern[str]) -> None:
    with page.expect_navigation():
        page.get_by_role("button", name=name).first.click()


def confirm_all(page: Page) -> None:
    """Tick what is open, take the first of each choice, and act."""
    for box in page.locator(".decision input[type=checkbox]").all():
        box.check()
    for name in {box.get_attribute("name") for box in page.locator(".decision [type=radio]").all()}:
        page.locator(f".decision [name={name}]").first.check()
    with page.expect_navigation():
        page.locator(".decision button").click()


def import_machine(page: Page, slug: str, file: Path) -> None:
    """An automatic assessor, with its grades from a file."""
    page.goto(f"/c/{slug}/judging/automatic/")
    page.fill("[name=name]", ROBOT)
    page.fill("[name=description]", "A language model, one prompt, temperature 0.")
    press_button(page, "Add automatic assessor")
    page.get_by_role("link", name="Import judgments").click()
    page.set_input_files("[name=file]", file)
    press_button(page, "Preview import")
    press_button(page, re.compile(r"Import [\d,]+ judgments"))


def freeze_sample(page: Page, slug: str, number: int) -> None:
    """The planner: a sample of ``number``, looked at before it is frozen."""
    page.goto(f"/c/{slug}/pool/")
    page.get_by_text("Or sample by influence").click()
    page.fill("[name=sample]", str(number))
    page.select_option("[name=machine]", ROBOT)
    look_at(page, "pool-form")
    press_button(page, "Preview pool")
    page.get_by_role("heading", name="What the sample would tell").wait_for()
    heads = page.locator("table").filter(has_text="this pool").locator("thead th")
    # The row has its number in a head of its own.
    assert heads.count() == page.locator("tr:has-text('this pool') td").count() + 1
    look_at(page, "pool-preview")
    press_button(page, "Freeze pool 1")
    confirm_all(page)
    page.wait_for_url("**/pool/1/")


def plan_judging(page: Page, slug: str) -> None:
    page.goto(f"/c/{slug}/judging/plan/")
    press_button(page, "All assessors on all topics")
    look_at(page, "plan")
    press_button(page, "Create plan")
    page.wait_for_url("**/judging/")


def submit_as_sent(track: SampledTrack, campaign: Campaign) -> None:
    """Teams replace the runs of the pool by those that they sent; others are withdrawn."""
    sent = {entry.tag: entry for entry in track.manifest.runs}
    for run in list(campaign.runs.filter(state=Run.State.ACCEPTED)):
        if entry := sent.get(run.tag):
            submit_run(
                actor=campaign.created_by, campaign=campaign, team=run.team, tag=run.tag,
                data=entry.file.read_bytes(), file_name=entry.file.name, replaces=run,
            )  # fmt: skip
        else:
            withdraw_run(actor=campaign.created_by, run=run, decision=Decision())


def judge_by_keys(page: Page, track: SampledTrack, slug: str) -> None:
    """An assessor judges some documents, one key each, wherever the desk leads."""
    grades = track.grades
    page.goto(f"/c/{slug}/judge/")
    page.locator("main a.button.primary").first.click()
    for _ in range(track.keys):
        settle(page, ahead=0)
        topic = page.url.rstrip("/").rsplit("/", 1)[1]
        docno = shown(page)
        page.keyboard.press(str(grades[topic, docno]))
        page.wait_for_function(NEXT, arg=docno)
        if page.locator(NEXT_TOPIC).count():
            unsent(page, 0)
            page.locator(NEXT_TOPIC).click()
    unsent(page, 0)


def judge_up_to(track: SampledTrack, campaign: Campaign, number: int) -> None:
    """Assessors in turn judge what is checked out to them, until ``number`` pairs are judged."""
    grades, people = track.grades, [User.objects.get(username=name) for name in ASSESSORS]
    judged = Judgment.objects.filter(campaign=campaign, kind="grade", purpose="judge")
    missing = number - judged.count()
    for person in cycle(people):
        slots = claim_ahead(actor=person, campaign=campaign, topic=None, count=10)
        for slot in slots[:missing]:
            grade = grades[slot.topic.number, slot.item.docno]
            submit_judgment(actor=person, slot=slot, grade=grade)
        missing -= len(slots[:missing])
        if not missing:
            return
