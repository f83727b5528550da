"""A participant takes tables, figures and archive of a paper: light, dark, wide and narrow."""

import io
import zipfile
from pathlib import Path

import pytest

from evaluation.services.release import release_scores
from evaluation.services.scoring import score_campaign
from tests.browser.desk import sign_in
from tests.browser.test_accessibility import serious
from tests.examples import take
from tests.world.files import qrels_release, ranked_run

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
RUNS = {"good": ("Alpha", "d1 d2"), "fair": ("Beta", "d2 d1"), "poor": ("Beta", "d2 d3")}


@pytest.fixture
def released(organizer, campaign, team, other_team):
    topics = [str(number) for number in range(1, 7)]
    qrels = qrels_release(campaign, "".join(f"{t} 0 d1 1\n{t} 0 d2 0\n" for t in topics))
    for tag, (name, order) in RUNS.items():
        ranked_run(campaign.teams.get(name=name), tag, dict.fromkeys(topics, order))
    scored = score_campaign(
        actor=organizer, campaign=campaign, qrels=qrels, measures=["map", "P_10"]
    )
    return release_scores(actor=organizer, score_set=scored)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_team_takes_its_results(scheme, browser, participant, released, live_server):
    context = browser.new_context(
        base_url=live_server.url, color_scheme=scheme, viewport={"width": 1280, "height": 900}
    )
    page = context.new_page()
    sign_in(page, participant, live_server.url)
    for width in take((390, 1280), 2):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto("/c/small/results/paper/")
        assert serious(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert "good has MAP" in page.locator(".verdict").inner_text()
    with page.expect_download() as taken:
        page.get_by_role("link", name="Download all as zip").click()
    with zipfile.ZipFile(io.BytesIO(Path(taken.value.path()).read_bytes())) as archive:
        assert any(name.endswith("figure-topics.png") for name in archive.namelist())
    with page.expect_download() as taken:
        page.get_by_role("link", name="PNG: AP by topic").click()
    assert Path(taken.value.path()).read_bytes()[:4] == b"\x89PNG"
    context.close()
