"""The pages of plans and of the desk, through the test client."""

import re

import pytest
from django.urls import reverse

from preferences.models import ComparisonPlan, ComparisonSlot, Preference
from preferences.services.comparisons import claim_comparison
from tests.pages import read_page
from tests.preferences.conftest import answer


def form_fields(page: str) -> dict[str, str]:
    form = re.search(r'<form[^>]*id="grades".*?</form>', page, re.DOTALL)[0]
    return dict(re.findall(r'type="hidden"name="(\w+)"value="([^"]*)"', form.replace(" ", "")))


@pytest.fixture
def desk(as_user, assessor, campaign):
    """``desk(plan)``: the client of the assessor, the address of the desk, and its page."""

    def opened(plan: ComparisonPlan):
        client = as_user(assessor)
        url = reverse("comparison-desk", args=[campaign.slug, plan.pk])
        return client, url, read_page(client.get(url))

    return opened


def test_a_plain_form_post_saves_a_side_and_shows_the_next(pairs_plan, desk):
    client, url, page = desk(pairs_plan)
    assert "Which document answers the topic better?" in page
    assert page.count('class="side"') == 2
    assert ">0 of 10</span>" in page
    after = client.post(url, form_fields(page) | {"side": "left"}, follow=True)
    assert ">1 of 10</span>" in read_page(after)
    assert "Last: left is better" in read_page(after)
    made = Preference.objects.get()
    assert made.choice == ("b" if made.swapped else "a")
    assert made.slot.state == "judged"


def test_the_desk_names_no_run_and_no_rank_of_a_run(
    ranking_plan, list_plan, desk, alpha, beta, assessor
):
    for plan in (ranking_plan, list_plan):
        _, _, page = desk(plan)
        assert "Document 1" in page
        for secret in (alpha.tag, beta.tag, "run_a", "run_b", '"by"', "contributed"):
            assert secret not in page


def test_left_and_right_change_places_with_the_slot(ranking_plan, desk, assessor):
    titles = {}
    for swapped in (False, True):
        ComparisonSlot.objects.update(swapped=swapped)
        _, _, page = desk(ranking_plan)
        left, right = page.split('id="side-right"')
        titles[swapped] = (left.split('id="side-left"')[1].count("<li>"), right.count("<li>"))
    assert titles[False] == titles[True][::-1]
    assert titles[False][0] == 4


def test_picks_are_posted_by_rank(list_plan, desk):
    client, url, page = desk(list_plan)
    assert page.count('name="picks"') == len(list_plan.comparisons.first().content["documents"])
    client.post(url, form_fields(page) | {"picks": ["1", "2"]})
    first = list_plan.comparisons.order_by("position").first()
    assert Preference.objects.get().picks == first.content["documents"][:2]


def test_skip_and_undo_work_by_plain_posts(pairs_plan, desk, campaign):
    client, _, page = desk(pairs_plan)
    args = [campaign.slug, pairs_plan.pk]
    fields = form_fields(page)
    after = client.post(
        reverse("comparison-skip", args=args), fields | {"reason": "language"}, follow=True
    )
    assert "Last: skipped" in read_page(after)
    undo = {"client_uuid": "11111111-1111-4111-8111-111111111111"}
    page = read_page(client.post(reverse("comparison-undo", args=args), undo, follow=True))
    assert "Undone: skipped. Answer again." in page
    again = read_page(client.post(reverse("comparison-undo", args=args), undo, follow=True))
    assert "Undone: skipped." in again
    assert Preference.objects.count() == 2


def test_a_refused_answer_says_why_and_shows_the_comparison_again(pairs_plan, desk):
    client, url, page = desk(pairs_plan)
    fields = form_fields(page) | {"side": "left", "display": "forged"}
    after = read_page(client.post(url, fields, follow=True))
    assert "Not saved. This comparison was not shown to you." in after
    after = read_page(client.post(url, {"side": "left"}, follow=True))
    assert "Not saved: the form was incomplete." in after
    assert not Preference.objects.exists()


def test_an_answer_is_changed_from_my_preferences(pairs_plan, desk, campaign):
    client, url, page = desk(pairs_plan)
    client.post(url, form_fields(page) | {"side": "left", "comment": "clearer"})
    mine = read_page(client.get(reverse("my-preferences", args=[campaign.slug])))
    assert "left is better" in mine
    assert "clearer" in mine
    change = re.search(r'href="([^"]*\?change=[^"]*)"', mine)[1]
    page = read_page(client.get(change))
    assert "Your answer: left is better." in page
    assert re.search(r'value="left"[^>]*aria-pressed="true"', page)
    client.post(url, form_fields(page) | {"side": "right"})
    assert list(Preference.objects.values_list("revision", flat=True)) == [1, 2]
    assert "right is better" in read_page(client.get(reverse("my-preferences", args=["small"])))
    assert client.get(f"{url}?change=nonsense").status_code == 404


def test_a_finished_plan_says_so(make_plan, pool, desk, assessor, campaign):
    plan = make_plan(pool=pool, per_document=2)
    while slot := claim_comparison(actor=assessor, campaign=campaign, plan=plan):
        answer(assessor, slot)
    _, _, page = desk(plan)
    assert "All compared" in page
    assert "You answered 8 comparisons. Thank you." in page


def test_the_list_of_an_assessor_shows_open_plans(pairs_plan, as_user, assessor):
    page = read_page(as_user(assessor).get("/c/small/comparisons/"))
    assert "0 answered, 10 left" in page
    assert "10 comparisons to judge" in read_page(as_user(assessor).get("/c/small/"))


def test_an_organizer_previews_and_creates_a_plan(as_user, organizer, pool, alpha, beta):
    client = as_user(organizer)
    fields = {
        "kind": "documents", "pool": pool.pk, "per_document": "", "depth": "10",
        "method": "team-draft", "judges": "2", "seed": "4", "ties": "on",
    }  # fmt: skip
    page = read_page(client.post("/c/small/judging/preferences/new/", fields | {"preview": "1"}))
    assert "10 comparisons, 20 judgments" in page
    assert not ComparisonPlan.objects.exists()
    page = read_page(client.post("/c/small/judging/preferences/new/", fields, follow=True))
    assert "Plan created: 10 comparisons." in page
    assert "Comparison of two documents" in page
    refused = client.post("/c/small/judging/preferences/new/", fields | {"kind": "rankings"})
    assert "Choose run A and run B." in read_page(refused)


def test_the_plan_page_shows_progress_judges_sides_and_wins(
    ranking_plan, as_user, organizer, assessor, assessor2, campaign, alpha
):
    for user in (assessor, assessor2):
        while slot := claim_comparison(actor=user, campaign=campaign, plan=ranking_plan):
            answer(user, slot, "left")
    page = read_page(as_user(organizer).get(ranking_plan.get_absolute_url()))
    assert "2 of 2 judged" in page
    assert "No preference for a side found: left 2, right 0 (sign test p = 0.50)." in page
    assert alpha.tag in page
    assert 'id="outcomes"' in page
    a, b = (Preference.objects.filter(choice=side).count() for side in ("a", "b"))
    assert f"A wins {a}, B wins {b}, 0 ties: sign test p =" in page
    listed = read_page(as_user(organizer).get("/c/small/judging/preferences/"))
    assert "two rankings" in listed


def test_pause_reopen_and_close_are_buttons(pairs_plan, as_user, organizer, assessor, campaign):
    client = as_user(organizer)
    url = pairs_plan.get_absolute_url()
    assert "Resume" in read_page(client.post(f"{url}pause/", {"paused": "1"}, follow=True))
    assert "Pause" in read_page(client.post(f"{url}pause/", {"paused": "0"}, follow=True))
    again = read_page(client.post(f"{url}reopen/", follow=True))
    assert "0 skipped comparisons offered again." in again
    page = read_page(client.get(f"{url}close/"))
    assert "20 judgments missing." in page
    digest = re.search(r'name="digest"\s*value="(\w+)"', page)[1]
    fields = {"digest": digest, "confirm": ["comparisons-open"]}
    page = read_page(client.post(f"{url}close/", fields, follow=True))
    assert "Plan closed." in page
    pairs_plan.refresh_from_db()
    assert pairs_plan.state == "closed"


def test_the_desk_is_a_light_page(pairs_plan, desk):
    client, url, _ = desk(pairs_plan)
    assert len(client.get(url).content) < 40_000


def test_each_command_of_the_bar_is_there_once(pairs_plan, list_plan, desk):
    for plan in (pairs_plan, list_plan):
        _, _, page = desk(plan)
        bar = page.split('id="more"')[1].split("</section>")[0]
        assert re.findall(r'data-key="(.)"', bar) == ["c", "s", "?"]
        assert "<<<" not in page
