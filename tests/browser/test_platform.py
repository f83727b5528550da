"""A campaign of two teams and twelve runs, from sign-up to archive, in the browser alone. 30 s."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from django.core import mail

from campaigns.models import Campaign, Mail
from judging.models import Judgment
from poolbench.__main__ import main
from tests.browser.desk import settle, unsent
from tests.browser.door import DOOR
from tests.browser.steps import (
    PASSWORD,
    confirm,
    create_campaign,
    import_collection,
    invite,
    join,
    press,
    release_scores,
    upload,
)

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
NUMBERS = (1, 2)
TOPICS = "".join(f"{n}\tred apples {n}\tWhich apples are red?\n" for n in NUMBERS)
DOCUMENTS = "".join(f"d{i}\tTitle {i}\tThe text of document {i} is short.\n" for i in range(4))


ORDERS = ("0123", "1230", "2301", "3012", "3210", "2103")


def make_run(tag: str, order: str) -> str:
    """All documents of each topic in this order."""
    ranks = list(enumerate(order, 1))
    return "".join(f"{n} Q0 d{d} {rank} {9 - rank} {tag}\n" for n in NUMBERS for rank, d in ranks)


def open_registration(page: Page) -> None:
    """Teams may register, and everybody can read the call."""
    page.goto("/c/fruit/setup/")
    page.locator("[name=registration][value=approval]").check()
    page.get_by_label("Runs per team").fill(str(len(ORDERS)))
    page.get_by_role("button", name="Save settings").last.click()
    page.goto("/c/fruit/setup/public/")
    page.get_by_label("The task in a sentence").fill("Find red apples.")
    page.get_by_label("Call for participation").fill("# Apples\n\nWhich of them are red?")
    page.get_by_label("Organizers").fill("Olga, Orchard University")
    page.get_by_role("button", name="Save page").click()
    page.get_by_role("link", name="Publish page").click()
    confirm(page, "Everybody may read it")
    page.get_by_text("The page is public.").wait_for()


def sign_up(page: Page, name: str, *, address: str = "") -> None:
    """From the front page to the form of a team; with an ``address`` by the link mailed to it."""
    page.goto("/")
    page.get_by_role("link", name="Fruit").click()
    page.get_by_role("link", name="Register a team").first.click()
    page.get_by_role("link", name="Create account").click()
    page.get_by_label("Your name").fill(name.title())
    page.get_by_label("E-mail" if address else "Username").fill(address or name)
    page.fill("[name=password1]", PASSWORD)
    page.fill("[name=password2]", PASSWORD)
    page.get_by_role("button", name="Create account").click()
    if address:
        page.get_by_role("heading", name="Confirm").wait_for()
        page.goto(re.search(r"http://[^\s/]+/\S+", mail.outbox[-1].body)[0])
        page.get_by_role("button", name="Confirm address").click()
        page.get_by_label("Username or e-mail").fill(address)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("main").get_by_role("button", name="Sign in").click()
        page.get_by_role("link", name="Fruit").click()


def register(page: Page, team: str) -> None:
    page.get_by_label("Name of the team").fill(team)
    page.get_by_label("Affiliation").fill(f"{team} University")
    page.get_by_role("button", name="Register team").click()
    page.get_by_text("waits for an organizer").wait_for()


def approve(page: Page, *teams: str) -> None:
    for team in teams:
        page.goto("/c/fruit/people/")
        page.get_by_role("button", name=f"Approve {team}").click()
        page.get_by_text(f"Team {team} takes part.").wait_for()


def submit_six(page: Page, prefix: str) -> None:
    page.goto("/c/fruit/runs/upload/")
    runs = {f"{prefix}-{i}": order for i, order in enumerate(ORDERS)}
    upload(page, {f"{tag}.txt": make_run(tag, order) for tag, order in runs.items()})
    page.get_by_role("heading", name="Submitted runs").wait_for()
    assert page.get_by_role("main").get_by_role("row").count() == 1 + len(ORDERS)
    assert "rejected" not in page.get_by_role("table").inner_text()


def freeze_and_plan(page: Page) -> None:
    page.goto("/c/fruit/pool/")
    page.fill("[name=depth]", "2")
    page.get_by_role("button", name="Preview pool").click()
    page.get_by_role("button", name="Freeze pool 1").click()
    confirm(page, "Close submission now")
    page.wait_for_url("**/pool/1/")
    page.goto("/c/fruit/judging/plan/")
    page.get_by_role("button", name="All assessors on all topics").click()
    page.get_by_role("button", name="Create plan").click()
    page.wait_for_url("**/judging/")


def judge_all(page: Page) -> None:
    """All four documents of each topic, one key each."""
    for number in NUMBERS:
        page.goto(f"/c/fruit/judge/{number}/")
        for grade in "2010":
            press(page, grade)
        settle(page, ahead=0)
        unsent(page, 0)


def release_all(page: Page) -> None:
    """Freeze qrels, evaluate, release the scores and then the qrels to the teams."""
    release_scores(page, "2 teams, 2 people will see scores")
    page.goto("/c/fruit/results/qrels/1/")
    page.get_by_role("link", name="Release to teams").click()
    confirm(page, "may have qrels 1")
    page.get_by_text("Qrels 1 are for").wait_for()


def read_results(page: Page) -> str:
    """A team opens one of its runs and downloads the qrels from the page Data."""
    page.goto("/c/fruit/results/scores/")
    page.get_by_role("link", name="meadow-0").first.click()
    page.wait_for_url("**/run/*/")
    assert "map" in page.content()
    page.goto("/c/fruit/data/")
    with page.expect_download() as download:
        page.get_by_role("link", name="qrels-1.txt").first.click()
    return download.value.path().read_text()


def make_archive(page: Page, folder: Path) -> Path:
    page.goto("/c/fruit/results/archive/")
    page.get_by_role("button", name="Make archive").click()
    with page.expect_download() as download:
        page.locator("main th a[download]").first.click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def let_mail_out(settings, address: str) -> None:
    """The operator names a mail server: new accounts confirm their address from now on."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    settings.ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.POOLBENCH_URL = address


def test_two_teams_go_from_sign_up_to_the_archive(
    open_page, live_server, settings, tmp_path, capsys
):
    """The first team signs up without a mail server, the second by a link in a mail."""
    organizer, pat, rita, ann = (open_page() for _ in range(4))
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    create_campaign(organizer)
    import_collection(organizer, TOPICS, DOCUMENTS)
    open_registration(organizer)
    sign_up(pat, "pat")
    register(pat, "Meadow")
    let_mail_out(settings, live_server.url)
    sign_up(rita, "rita", address="rita@orchard.example")
    register(rita, "Orchard")
    approve(organizer, "Meadow", "Orchard")
    submit_six(pat, "meadow")
    submit_six(rita, "orchard")
    join(ann, invite(organizer, "assessor"), "ann")
    freeze_and_plan(organizer)
    judge_all(ann)
    release_all(organizer)
    qrels = read_results(pat)
    assert [line.split()[0] for line in qrels.splitlines()] == ["1"] * 4 + ["2"] * 4
    archive = make_archive(organizer, tmp_path)

    with DOOR.turn:
        campaign = Campaign.objects.get(slug="fruit")
        assert campaign.runs.accepted().count() == 2 * len(ORDERS)
        assert Judgment.objects.filter(kind="grade").count() == 8
        assert Mail.objects.filter(kind="qrels_released").exists()
    assert main(["verify-archive", str(archive)]) == 0
    verified = capsys.readouterr().out.splitlines()
    assert verified[-1] == "No differences."
    assert f"runs {2 * len(ORDERS)}" in [" ".join(line.split()) for line in verified]
