"""Malformed and odd runs: an explained answer each, the same on the site and at home."""

import gzip
import re

import pytest
from django.urls import reverse

from campaigns.models import Run
from campaigns.services.campaigns import update_campaign
from campaigns.services.run_trials import try_run
from campaigns.services.runs import submit_and_check_run
from poolbench.commands.check_run import build_rules, check_in_turn
from tests.odd_runs import DOCNOS, ODD_RUNS, TOPICS
from tests.world.files import run_form, run_text

ON_PAGES = ("a picture", "a head", "an unknown topic", "ties in another order", "a byte order mark")


@pytest.fixture
def at_home(tmp_path):
    """``at_home(odd)``: the report of ``poolbench check-run``. Of all together 0.1 s."""
    for name, ids in (("topics", TOPICS), ("docnos", DOCNOS)):
        (tmp_path / name).write_text("\n".join(ids))
    files = {name: str(tmp_path / name) for name in ("topics", "docnos")}

    def check(odd):
        own = {"max_docs": odd.max_docs, "all_topics": odd.all_topics, "tag": odd.tag or None}
        rules = build_rules(files | own | {"cut_off": [odd.cut_off] if odd.cut_off else None})
        runs = {"earlier": odd.earlier, "run.txt": odd.data} if odd.earlier else {"": odd.data}
        return [result for _path, result in check_in_turn(runs, rules)][-1]

    return check


@pytest.fixture
def on_site(campaign, organizer, participant, team):
    """``on_site(odd)``: what *Check only* says. Of all together 1 s."""
    who = {"actor": participant, "campaign": campaign, "team": team, "file_name": "run.txt"}

    def check(odd):
        Run.objects.all().delete()
        asked = {
            "max_docs_per_topic": odd.max_docs,
            "require_all_topics": odd.all_topics,
            "measures": [f"P_{odd.cut_off}"] if odd.cut_off else [],
        }
        if any(getattr(campaign, name) != value for name, value in asked.items()):
            update_campaign(actor=organizer, campaign=campaign, **asked)
        if odd.earlier:
            assert submit_and_check_run(**who, data=odd.earlier).state == "accepted"
        return try_run(**who, data=odd.data, tag=odd.tag).result

    return check


def test_there_are_fifty_kinds():
    assert len(ODD_RUNS) >= 50
    codes = {code for odd in ODD_RUNS.values() for code in odd.answer}
    assert len(codes) >= 28


def test_each_odd_run_has_its_answer_and_the_same_one_at_home(on_site, at_home):
    wrong = {}
    for name, odd in ODD_RUNS.items():
        site, home = on_site(odd), at_home(odd).as_report()
        faults, report = site.report.faults, site.as_report()
        lines = {fault.code: fault.line for fault in reversed(faults)}
        fixes = [fault.fix for fault in faults if fault.code == next(iter(odd.answer))]
        is_good = not any(code.startswith("E") for code in odd.answer)
        if (lines, site.accepted) != (odd.answer, is_good):
            wrong[name] = lines, site.accepted
        elif faults and (odd.fix not in fixes[0] or not all(f.message and f.fix for f in faults)):
            wrong[name] = fixes
        for fault in (*report["faults"], *home["faults"]):
            del fault["file"]
        if report | {"file": ""} != home | {"file": ""}:
            wrong[name] = report, home
    assert not wrong


@pytest.mark.parametrize("name", ON_PAGES)
def test_the_page_of_an_odd_run_shows_every_code(name, client, participant, team, campaign):
    odd = ODD_RUNS[name]
    client.force_login(participant)
    answer = client.post(reverse("run-upload", args=[campaign.slug]), run_form(team, odd.data))
    assert answer.status_code == 302, answer.content.decode()
    page = client.get(answer.url).content.decode()
    run = Run.objects.get()
    assert set(re.findall(r'id="fault-(\w+)"', page)) == set(odd.answer)
    assert run.fault_report.counts.keys() == odd.answer.keys()  # as Check only says
    assert ("Rejected." if run.state == "rejected" else "Accepted.") in page
    assert len(page) < 100_000


def test_a_gzip_bomb_is_refused(campaign, participant, team, settings):
    settings.POOLBENCH_MAX_UPLOAD_BYTES = 100_000
    run = submit_and_check_run(
        actor=participant, campaign=campaign, team=team, file_name="bomb",
        data=gzip.compress(b"1 Q0 d1 1 9 tag\n" * 20_000),
    )  # fmt: skip
    assert (run.state, set(run.fault_report.counts)) == ("rejected", {"E02"})


def test_a_line_of_a_megabyte_is_an_unknown_docno_in_short(campaign, participant, team):
    run = submit_and_check_run(
        actor=participant, campaign=campaign, team=team, file_name="long",
        data=run_text("tag") + b"1 Q0 " + b"x" * 1_000_000 + b" 3 1 tag\n",
    )  # fmt: skip
    assert set(run.fault_report.counts) >= {"E10"}
    assert len(str(run.report)) < 1000
