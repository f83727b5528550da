"""A campaign of which people judge a sample, from the planner to the paper, beside full judging."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.test import Client

import poolbench as pb
from benchmarks.dl19 import write_campaign, write_judged_runs
from benchmarks.sampled_track import MACHINE
from campaigns.models import Campaign, User
from campaigns.services.snapshots import compute_report
from evaluation.queries.estimate_report import ESTIMATES
from poolbench.estimation.results import EstimatedScores
from replay.services import replay_campaign
from tests.browser.door import DOOR
from tests.browser.sample_steps import (
    ROBOT,
    confirm_all,
    create_sampled_campaign,
    freeze_sample,
    import_machine,
    judge_by_keys,
    judge_up_to,
    look_at,
    plan_judging,
    press_button,
    submit_as_sent,
)
from tests.browser.sample_track import SampledTrack, write_small_track
from tests.pages import read_page

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
NUMBER = re.compile(r"[01]\.\d+")
Board = dict[str, list[list[float]]]


@dataclass
class Visitors:
    """Opens pages; the organizer's stays open."""

    visit: Callable[..., Page]
    track: SampledTrack
    campaign: Campaign
    page: Page

    def go_to(self, path: str, name: str = "") -> None:
        self.page.goto(f"/c/{self.campaign.slug}/{path}")
        if name:
            look_at(self.page, name)

    def prepare(self) -> None:
        """From the machine's grades to the plan."""
        slug = self.campaign.slug
        import_machine(self.page, slug, self.track.machine)
        freeze_sample(self.page, slug, self.track.number)
        plan_judging(self.page, slug)
        with DOOR.turn:
            submit_as_sent(self.track, self.campaign)

    def judge(self) -> None:
        """By keys and through the service, with a look at the estimates halfway."""
        page = self.visit(User.objects.get(username="ada"), f"/c/{self.campaign.slug}/")
        judge_by_keys(page, self.track, self.campaign.slug)
        page.goto("about:blank")
        with DOOR.turn:
            judge_up_to(self.track, self.campaign, self.track.number // 2)
            look = compute_report(self.campaign, ESTIMATES).report
            compute_report(self.campaign, "stopping")
        for measure in look.measures:
            self.go_to(f"results/estimates/?measure={measure.measure}", f"live-{measure.measure}")
            assert f"of {self.track.number:,} in pool 1" in self.page.inner_text("main")
        self.go_to("judging/stopping/", "stopping")
        self.go_to("pool/1/", "pool")
        with DOOR.turn:
            judge_up_to(self.track, self.campaign, self.track.number)

    def release(self) -> None:
        self.go_to("results/qrels/")
        press_button(self.page, "Freeze qrels")
        look_at(self.page, "qrels-freeze")
        confirm_all(self.page)
        self.go_to("results/scores/")
        self.page.get_by_label("Estimates with intervals").check()
        self.page.get_by_label(ROBOT).check()
        look_at(self.page, "evaluate")
        press_button(self.page, "Evaluate runs")
        self.go_to("results/scores/", "unreleased")
        self.page.locator(".release").get_by_role("link", name="Release scores").click()
        look_at(self.page, "release")
        confirm_all(self.page)

    def read_results(self) -> Board:
        """Every page of results; what the leaderboard prints."""
        with DOOR.turn:
            score_set = self.campaign.score_sets.get()
            first, second = list(score_set.runs.values_list("run", flat=True))[:2]
        at = f"results/scores/{score_set.pk}"
        self.go_to(f"{at}/run/{first}/", "run")
        self.go_to(f"{at}/compare/?a={first}&b={second}", "compare")
        self.go_to(f"{at}/pairs/", "pairs")
        self.go_to(f"{at}/measures/", "measures")
        self.go_to(f"{at}/", "leaderboard")
        return read_board(self.page)

    def take_files(self) -> dict[str, str]:
        """A team member's page and files for a paper."""
        page = self.visit(User.objects.get(username="pat"), f"/c/{self.campaign.slug}/")
        look_at(page, "team")
        page.goto(f"/c/{self.campaign.slug}/results/scores/")
        look_at(page, "team-scores")
        page.goto(f"/c/{self.campaign.slug}/results/paper/")
        look_at(page, "paper")
        with page.expect_download() as taken:
            page.get_by_role("link", name="Download all as zip").click()
        packed = Path(taken.value.path()).read_bytes()
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            texts = [name for name in archive.namelist() if name.endswith((".tex", ".csv", ".txt"))]
            return {name: archive.read(name).decode() for name in texts}


def read_board(page: Page) -> Board:
    """By run the numbers of each cell of the leaderboard: a score, or an estimate with its ends."""
    return {
        row.locator("th").get_attribute("data-value"): [
            [float(number) for number in NUMBER.findall(cell)]
            for cell in row.locator("td.num").all_inner_texts()
        ]
        for row in page.locator("#board tbody tr").all()
    }


def estimate_from_files(track: SampledTrack, campaign: Campaign) -> EstimatedScores:
    """By the library, from the file of the pool's page, the runs and the machine's file."""
    client, manifest = Client(), track.manifest
    client.force_login(campaign.created_by)
    frame = read_page(client.get(f"/c/{campaign.slug}/pool/1/pool.frame?qrels=1"))
    top = max(spec.value for spec in manifest.scale)
    return pb.estimate(
        [entry.file for entry in manifest.runs], frame.encode(), manifest.measures,
        machines={ROBOT: track.machine}, level=manifest.relevance_level, top=top,
        seed=campaign.seed,
    )  # fmt: skip


def check_printed(printed: Board, estimated: EstimatedScores, measures: list[str]) -> None:
    assert len(printed) == len(estimated.runs)
    for at, name in enumerate(measures):
        for row in estimated[name].runs:
            wanted = row.estimate.value, row.estimate.low, row.estimate.high
            assert printed[row.run][at] == pytest.approx(wanted, abs=6e-5), (name, row.run)


def judge_all(visitors: Visitors) -> Board:
    """The same campaign with all judgments: what its leaderboard prints."""
    manifest = replace(visitors.track.manifest, slug=f"{visitors.campaign.slug}-whole")
    with DOOR.turn:
        whole = replay_campaign(actor=visitors.campaign.created_by, manifest=manifest, write=str)
    assert whole.score_sets.get().kind == "people"
    visitors.page.goto(f"/c/{whole.slug}/results/scores/")
    look_at(visitors.page, "whole")
    return read_board(visitors.page)


def walk(visit: Callable[..., Page], track: SampledTrack) -> tuple[Visitors, Board, Board]:
    """From the planner to the paper; the printed estimates, and the printed scores of full
    judging.
    """
    campaign = create_sampled_campaign(track)
    page = visit(campaign.created_by, f"/c/{campaign.slug}/")
    visitors = Visitors(visit, track, campaign, page)
    visitors.prepare()
    visitors.judge()
    visitors.release()
    printed = visitors.read_results()
    check_printed(printed, estimate_from_files(track, campaign), list(track.manifest.measures))
    files = visitors.take_files()
    assert any(" to " in text for name, text in files.items() if name.endswith(".tex"))
    assert any(f"Estimated from {track.number:,} pairs" in text for text in files.values())
    return visitors, printed, judge_all(visitors)


def count_inside(printed: Board, full: Board, measures: int) -> list[int]:
    """By measure, of how many runs the printed interval holds the printed score."""
    return [
        sum(own[at][1] <= full[run][at][0] <= own[at][2] for run, own in printed.items())
        for at in range(measures)
    ]


def test_a_small_campaign_is_judged_in_part(visit, tmp_path):
    track = write_small_track(tmp_path)
    _, printed, full = walk(visit, track)
    assert count_inside(printed, full, 3) == [6, 6, 6]


def test_dl19_is_judged_at_a_fifth(visit, tmp_path, data_dir):
    """Minutes: 1,852 of 9,260 pairs, 37 runs."""
    write_campaign(data_dir, tmp_path / "whole")
    write_judged_runs(data_dir, tmp_path / "pooled")
    track = SampledTrack(
        whole=tmp_path / "whole",
        pooled=tmp_path / "pooled",
        machine=data_dir / "llm-judges-dl19" / MACHINE,
        number=1852,
        keys=12,
    )
    _, printed, full = walk(visit, track)
    assert len(full) == 37
    assert count_inside(printed, full, 4) == [37, 37, 37, 36]
