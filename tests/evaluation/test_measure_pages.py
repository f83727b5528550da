"""The pages of the measures: what each tells, what readers may try, and who leads there."""

import re
from math import isfinite
from urllib.parse import quote, urlencode

import pytest
from django.urls import reverse

from evaluation.forms.tryout import (
    MAX_MISSED,
    MAX_RANKED,
    TryoutForm,
    default_query,
    tryout_parameters,
)
from evaluation.templatetags.measures import format_contribution, formula_pieces, split_code_pieces
from evaluation.views.measures import format_fraction
from poolbench.evaluation.charts.steps import BROAD, NARROW, build_steps_chart
from poolbench.evaluation.measures.family import GROUPS, MeasureFamily
from poolbench.evaluation.measures.lookup import accepted_spellings
from poolbench.evaluation.measures.names import parse_measure
from poolbench.evaluation.measures.registry import DEFAULT_NAMES, FAMILIES
from poolbench.evaluation.users.measures import USER_MEASURES
from poolbench.evaluation.worked_examples import judged_not_retrieved, work_example
from poolbench.number_formats import format_score
from tests.examples import take_families
from tests.pages import read_page, read_words
from tests.poolbench.shapes import places, shapes, texts, tooltips

ALL = list(FAMILIES.values())
TRIED = take_families(ALL)
pytestmark = pytest.mark.django_db


def at(name: str, **asked: str) -> str:
    query = f"?{urlencode(asked)}" if asked else ""
    return reverse("measure", args=[name]) + query


def errors(answer) -> dict[str, list[str]]:
    return {name: list(told) for name, told in answer.context["form"].errors.items()}


@pytest.mark.parametrize("family", TRIED, ids=lambda family: family.name)
def test_every_page_tells_its_card_and_computes_its_examples(client, family: MeasureFamily):
    answer = client.get(at(family.name))
    assert answer.status_code == 200
    text, card = read_words(answer), family.card
    told = [card.title, card.reading, card.range, *(p.name for p in card.parameters)]
    assert [it for it in [*told, *accepted_spellings(family)] if it not in text] == []
    rows = answer.context["examples"]
    assert [row.agrees for row in rows] == [True] * len(family.examples)
    assert [row.example for row in rows] == list(family.examples)
    for example in family.examples:
        working = "".join(piece.text for piece in formula_pieces(example.working))
        by_hand = format_score(example.value, family.whole)
        plain = re.sub(r"[\^()]", "", example.working.replace("log2", "log₂"))
        assert plain == re.sub(r"[()]", "", working)
        assert f"{working} = {by_hand}" in text
        assert f"{by_hand} Step through" in text
    if family.examples:
        assert answer.context["worked"].value == pytest.approx(family.examples[0].value, abs=1e-9)


@pytest.mark.parametrize("family", TRIED, ids=lambda family: family.name)
def test_an_example_can_be_followed(client, family: MeasureFamily):
    rows = client.get(at(family.name)).context["examples"]
    for row, example in zip(rows, family.examples, strict=True):
        shown = client.get(at(family.name) + row.url.partition("#")[0]).context["worked"]
        assert shown.measure == row.worked.measure
        assert shown.value == pytest.approx(example.value, abs=1e-9)


def test_the_list_shows_every_family_in_its_group(client):
    answer = client.get(reverse("measures"))
    text = read_page(answer)
    assert [f.name for f in ALL if f'href="{at(f.name)}"' not in text] == []
    shown = [group.title for group, _ in answer.context["groups"]]
    assert shown == [it.title for it in GROUPS.values() if it.title in shown]
    assert (answer.context["matches"], answer.context["count"]) == (len(ALL), len(ALL))


def test_the_list_is_searched_by_words_and_by_names_of_measures(client):
    def found(asked: str) -> list[str]:
        groups = client.get(reverse("measures"), {"q": asked}).context.get("groups", [])
        return [family.name for _, families in groups for family in families]

    assert found("nDCG@20") == ["ndcg_cut"]
    assert found("bpref(form=2004)") == ["bpref"]
    assert found("RECIPROCAL first") == ["recip_rank"]
    assert found("no such thing") == []
    known = client.get(reverse("measures"), {"q": "relevant new"}).context["user_measures"]
    assert [card.name for card in known] == ["novelty"]
    assert "Unknown measure" in read_words(client.get("/measures/?q=no such thing"))


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("AP", "/measures/map/"),
        ("ndcg_cut_10", "/measures/ndcg_cut/?k=10"),
        ("nDCG@10", "/measures/ndcg_cut/?k=10"),
        ("bpref(form=textbook)", "/measures/bpref/?form=textbook"),
        ("P.5,10", "/measures/P/"),
    ],
)
def test_the_name_of_a_measure_leads_to_its_family(client, name, where):
    answer = client.get(f"/measures/{quote(name)}/")
    assert (answer.status_code, answer["Location"]) == (302, where)
    assert client.get(where).status_code == 200


def test_a_spelling_keeps_what_is_asked(client):
    answer = client.get(at("nDCG@5", ranking="1 0"))
    assert answer["Location"] == "/measures/ndcg_cut/?k=5&ranking=1+0"


def test_a_name_of_no_measure_is_answered_in_the_words_of_the_command(client):
    for name, told in (
        ("bpref_10", "trec_eval 8 had another measure bpref_10 (10 relevant, 10 non-relevant)"),
        ("P_0", "P_0: a cut-off must be an integer between 1"),
        ("default", "default denotes several measures."),
        ("nope", "nope: unknown measure."),
    ):
        for address, status in ((f"/measures/{name}/", 404), (f"/measures/?q={name}", 200)):
            answer = client.get(address)
            assert answer.status_code == status
            text = read_words(answer)
            assert told in text, address
            assert "Unknown measure" in text
    assert client.get(f"/measures/{'x' * 5000}/").status_code == 404
    answer = client.get("/measures/?q=mapp")
    assert answer.status_code == 200
    assert answer.context["similar"][0] == "map"
    assert f'<a href="{at("map")}"' in read_page(answer)
    assert all(client.get(at(name)).status_code != 404 for name in answer.context["similar"])


def test_measures_of_users_are_found_and_counted(client):
    answer = client.get("/measures/?q=coverage")
    assert answer.context["matches"] == len(answer.context["user_measures"]) == 1
    families = len(FAMILIES) + len(USER_MEASURES)
    assert f"1 of {families} measure families match “coverage”" in read_words(answer)
    assert client.get("/measures/coverage/")["Location"] == "/measures/#coverage"


def test_a_reader_tries_a_ranking(client):
    answer = client.get(at("map", ranking="1 0 . 2 1", missed="2"))
    worked = answer.context["worked"]
    assert worked.value == pytest.approx((1 / 1 + 2 / 4 + 3 / 5) / 4)
    assert worked.missed == (2,)
    text = read_words(answer)
    assert "0.5250 = 21/40" in text
    assert [format_contribution(step.adds) for step in worked.steps] == [
        "+0.2500", "", "", "+0.1250", "+0.1500",
    ]  # fmt: skip
    assert "+0.2500 0.2500" in text
    assert "+0.1250 0.3750" in text
    assert "+0.1500 0.5250" in text


def test_a_reader_tries_parameters(client):
    given = {"ranking": "0 1", "missed": "0 0 0 0"}
    for form, value in (("trec_eval", 4 / 5), ("textbook", 10 / 11), ("2004", 0.0)):
        worked = client.get(at("bpref-10", form=form, **given)).context["worked"]
        assert worked.value == pytest.approx(value)
    level = client.get(at("P", k="2", rel="2", ranking="2 1"))
    assert level.context["worked"].name == "P_2(rel=2)"
    assert level.context["worked"].value == 0.5
    assert "<details open>" in read_page(level)


def test_the_same_ranking_by_other_measures(client):
    answer = client.get(at("map", ranking="1 0 . 2 1", missed="2"))
    others = {name: (url, shown) for name, url, shown in answer.context["others"]}
    assert [*others] == [name for name in DEFAULT_NAMES if name not in ("map", "num_q")]
    assert others["P_5"][1] == "0.6000"
    assert others["num_rel"][1] == "4"
    led = client.get(others["P_5"][0].partition("#")[0], follow=True)
    assert led.context["worked"].name == "P_5"
    assert led.context["worked"].value == pytest.approx(3 / 5)


@pytest.mark.parametrize(
    ("asked", "field", "told"),
    [
        ({"ranking": "1 0 x"}, "ranking", "Document 3: invalid grade x."),
        ({"ranking": "1 100"}, "ranking", "Document 2: invalid grade 100."),
        ({"ranking": "1 -3"}, "ranking", "Document 2: invalid grade -3."),
        ({"ranking": ""}, "ranking", "This field is required."),
        ({"ranking": "1 " * 51}, "ranking", "51 documents entered; at most 50 are allowed."),
        ({"missed": "0 ."}, "missed", "Document 2: invalid grade ."),
        ({"missed": "1 " * 101}, "missed", "101 documents entered; at most 100 are allowed."),
        ({"k": "0"}, "k", "k must be an integer between 1 and 1,000,000,000."),
        ({"k": ""}, "k", "This field is required."),
        ({"k": "5)"}, "k", "k must be an integer between 1 and 1,000,000,000."),
        ({"rel": "high"}, "rel", "rel must be an integer between 1 and 10,000."),
        ({"rel": "10001"}, "rel", "rel must be an integer between 1 and 10,000."),
        ({"list": "short"}, "list", "Select a valid choice."),
    ],
)
def test_what_cannot_be_read_is_told_at_its_field(client, asked, field, told):
    answer = client.get(at("P", **asked))
    assert answer.status_code == 200
    assert list(errors(answer)) == [field]
    assert errors(answer)[field][0].startswith(told)
    assert "Fix the errors to compute the measure." in read_words(answer)


EXTREMES = {
    "rank": ("1", "1000000000"), "grade": ("1", "10000"), "level": ("0", "1"),
    "multiple": ("1e-100", "1e100"), "share": ("0", "1e-300", "1"), "base": ("1.0001", "1e100"),
    "positive": ("1e-300", "1e100"), "number": ("-1e100", "0", "1e100"), "levels": ("0,0.5,1",),
    "numbers": ("1e100,-1e100",), "coefficients": ("1e100,-1e100,0,1",),
    "gains": ("1=1e100,99=0",), "stand-in": ("nonrelevant", "relevant", "99"),
}  # fmt: skip
RANKINGS = (
    ("1", ""), (". " * MAX_RANKED, ""), ("-2", "-1"), ("0 -1 -2 . 1 2 3", "3 2 0 -1"),
    ("99 " * MAX_RANKED, "99 " * MAX_MISSED),
)  # fmt: skip


@pytest.mark.parametrize("family", TRIED, ids=lambda family: family.name)
def test_no_value_of_a_parameter_breaks_a_page(family: MeasureFamily):
    usual = default_query(family)
    for known in tryout_parameters(family):
        for value in known.choices or EXTREMES[known.kind]:
            for ranking, missed in RANKINGS:
                given = {"ranking": ranking, "missed": missed, known.name: value}
                form = TryoutForm(usual | given, family=family)
                if form.is_valid():
                    found = form.result()
                    assert found.value is None or isfinite(found.value)
                    assert build_steps_chart(found).marks if found.has_visible_steps else True
                else:
                    assert list(form.errors) == ["__all__"], form.errors


def test_what_is_given_is_never_markup(client):
    text = read_page(client.get(at("P", ranking="<b>1</b>", k="<i>")))
    assert "<b>1" not in text
    assert "<i>" not in text


def test_an_undefined_value_is_told_with_its_reason(client):
    answer = client.get(at("judged", list="condensed", ranking=". .", missed="1"))
    assert answer.context["worked"].value is None
    assert "Undefined: nothing is retrieved for the topic" in read_words(answer)


def test_negative_grades_are_unjudged(client):
    answer = client.get(at("infAP", ranking="1 -1 -2 1", missed="-1"))
    assert [step.mark for step in answer.context["worked"].steps] == ["1", "−1", "−2", "1"]
    assert read_words(answer).count("−1 unjudged") == 1


def worked(name: str, ranked: tuple[int | None, ...], judged: tuple[int, ...]):
    return work_example(parse_measure(name)[0], ranked, judged_not_retrieved(ranked, judged))


def bars(chart, css="bar-own"):
    return places(chart, "rect", css, "y", "height")


def amounts(chart):
    return [text for text in texts(chart, "middle") if text[:1] in "+−"]


def test_the_picture_stacks_what_the_ranks_add():
    chart = build_steps_chart(worked("map", (1, 0, 1), (1, 1, 0)))
    first, third = bars(chart)
    assert sum(first) == chart.plot.y(0.0)
    assert sum(third) == pytest.approx(first[0])
    assert amounts(chart) == ["+0.5", "+0.333"]
    assert chart.plot.band == BROAD
    (line,) = [path.get("d") for path in shapes(chart, "path", "line")]
    assert line.startswith(f"M{chart.plot.left:g} ")


def test_the_picture_shows_what_a_rank_takes_away():
    chart = build_steps_chart(worked("judged_5", (1, None), (1,)))
    assert (len(bars(chart)), len(bars(chart, "bar-other"))) == (1, 1)
    assert amounts(chart)[1] == "−0.5"


def test_the_picture_of_a_long_ranking_has_no_room_for_numbers():
    chart = build_steps_chart(worked("map", (1,) * MAX_RANKED, (1,) * MAX_RANKED))
    assert chart.plot.band == NARROW
    assert amounts(chart) == []
    assert len([*filter(None, tooltips(chart))]) == MAX_RANKED


def test_the_picture_breaks_off_where_the_value_is_undefined():
    chart = build_steps_chart(worked("judged_5(list=condensed)", (None, 1), (1,)))
    (line,) = [path.get("d") for path in shapes(chart, "path", "line")]
    assert line.count("M") == 1
    assert "undefined" in tooltips(chart)[0]


def test_the_picture_shows_grades_as_boxes_and_underlines_relevant_ones():
    chart = build_steps_chart(worked("map", (2, None, -1), (2, -1)))
    assert [group.get("data-grade") for group in shapes(chart, "g")[1::2]] == ["2", None, "-1"]
    assert len(shapes(chart, "g", "unjudged")) == 2
    assert len(shapes(chart, "path", "hit")) == 1


@pytest.mark.parametrize(
    ("number", "shown"),
    [(5 / 9, "5/9"), (34 / 45, "34/45"), (0.5, "1/2"), (1.0, ""), (0.9651954696014428, "")],
)
def test_a_simple_fraction_is_shown_as_one(number, shown):
    assert format_fraction(number) == shown


def test_texts_of_cards_are_set_with_code_and_variables():
    assert [(it.kind, it.text) for it in split_code_pieces("as `-l` says")] == [
        ("text", "as "), ("code", "-l"), ("text", " says"),
    ]  # fmt: skip
    told = [it.text for it in formula_pieces("1/R · n(r) / log2(R + P_k)") if it.kind == "var"]
    assert told == ["R", "n", "r", "R"]
    above = [it.text for it in formula_pieces("p^(rank − 1) + 0.8^2") if it.kind == "sup"]
    assert above == ["rank − 1", "2"]
    assert "log₂(" in "".join(it.text for it in formula_pieces("log2(1 + rank)"))


def test_the_cards_are_served_to_everyone(client):
    listed = client.get("/api/measures/", {"limit": 1000}).json()
    assert [row["name"] for row in listed["results"]] == list(FAMILIES)
    one = client.get("/api/measures/bpref-10/").json()
    assert one in listed["results"]
    assert one["group"] == GROUPS[FAMILIES["bpref-10"].group].title
    assert [(p["name"], p["default"], p["common"]) for p in one["parameters"]][:2] == [
        ("form", "trec_eval", False),
        ("rel", "", True),
    ]
    assert one["examples"][0] == {
        "measure": "bpref-10",
        "ranking": [0, 1],
        "judged": [1, 0, 0, 0, 0, 0],
        "working": "R = 1, N = 5: (1 − 1/5) / 1",
        "by_hand": 0.8,
        "value": pytest.approx(0.8),
    }


def test_a_card_is_served_by_any_name_of_a_measure(client):
    assert client.get("/api/measures/nDCG@10/").json()["name"] == "ndcg_cut"
    assert client.get("/api/measures/nope/").status_code == 404


def test_heads_of_score_tables_lead_to_the_measures(as_user, organizer, score_set, alpha):
    client, home = as_user(organizer), f"/c/small/results/scores/{score_set.pk}/"
    board = read_page(client.get(home))
    assert f'href="{at("ndcg_cut_10")}"' in board
    run = read_page(client.get(f"{home}run/{alpha.pk}/"))
    assert f'href="{at("bpref-10")}"' in run
    assert f'href="{at("map")}"' in read_page(client.get(f"{home}compare/?measure=map"))


def test_every_page_and_the_choice_of_measures_lead_to_the_list(as_user, organizer, campaign):
    link = f'href="{reverse("measures")}"'
    client = as_user(organizer)
    assert link in read_page(client.get(reverse("login")))
    settings = read_page(client.get("/c/small/setup/"))
    assert settings.count(link) > read_page(client.get("/c/small/setup/topics/")).count(link)
