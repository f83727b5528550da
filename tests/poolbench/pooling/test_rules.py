"""Rule versions: a pool chooses by the rule that it was frozen with, for ever."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from poolbench.pooling.pool_builder import start_sessions
from poolbench.pooling.registry import METHODS_BY_RULE, RULE
from poolbench.pooling.session import LogMismatch, PoolSession, SessionEvent, replay_events
from poolbench.pooling.spec_file import build_spec, read_spec
from tests.poolbench.pooling.generated import generate
from tests.refusals import list_faults

LOGS: dict[str, str] = json.loads((Path(__file__).parent / "logs/rule_1.json").read_text())
"""By step: the documents that the program selected before rules had numbers, from ``generate(5,
runs=6, depth=90, size=700)`` with the seed 11 and every judgment at once."""
CAMPAIGN = generate(5, runs=6, depth=90, size=700)
SEED = 11
CHANGED = {"maxmean", "mmns", "ucb", "egreedy", "hedge", "rbp_c"}
"""The methods that choose otherwise by rule 2; lots that are drawn anyway never tie."""


def spec_of(step: str, rule: int | None) -> dict[str, Any]:
    text = f"steps: [{{method: depth, k: 2, order: random}}, {{method: {step}}}]"
    return yaml.safe_load(text) | ({} if rule is None else {"rule": rule})


def session_by(spec: dict[str, Any]) -> PoolSession:
    (session,) = start_sessions(CAMPAIGN.listing(SEED), read_spec(spec).steps)
    return session


def events_of(session: PoolSession, log: str) -> list[SessionEvent]:
    """A selection and a judgment for each document of ``log``; the burn-in is selected already."""
    at = {docno: place for place, docno in enumerate(session.candidates.docnos)}
    given = len(session.selected)
    events = []
    for place, docno in enumerate(log.split()):
        selected = [SessionEvent(at[docno])] if place >= given else []
        events += [*selected, SessionEvent(at[docno], docno in CAMPAIGN.relevant)]
    return events


def replayed(step: str, rule: int | None) -> list[str]:
    session = session_by(spec_of(step, rule))
    replay_events(session, events_of(session, LOGS[step]))
    assert session.is_complete
    return [session.candidates.docnos[choice.doc] for choice in session.selected]


@pytest.mark.parametrize("step", LOGS)
def test_a_log_from_before_rules_replays_by_rule_1(step: str) -> None:
    assert replayed(step, 1) == LOGS[step].split()


def test_what_the_rules_choose_differs_where_the_page_says() -> None:
    differing = set()
    for step in LOGS:
        try:
            replayed(step, None)
        except LogMismatch:
            differing.add(step.split(",")[0])
    assert differing == CHANGED
    former = METHODS_BY_RULE[1]
    assert {name for name in former if former[name] is not METHODS_BY_RULE[RULE][name]} == (
        CHANGED | {"thompson", "random"}
    )


def test_a_new_spec_has_the_current_rule_and_a_written_one_says_which() -> None:
    adaptive = read_spec(spec_of("hedge", None))
    assert (adaptive.rule, adaptive.as_dict()["rule"]) == (RULE, RULE)
    former = read_spec(spec_of("hedge", 1))
    assert (former.rule, former.as_dict()["rule"]) == (1, 1)
    assert read_spec(former.as_dict()) == former
    assert build_spec(former.as_dict()).steps == former.steps != adaptive.steps
    # Where no judgment decides there is nothing that a rule could change.
    assert "rule" not in read_spec("steps: [{method: depth, k: 3}]").as_dict()


@pytest.mark.parametrize("rule", ["0", "3", "1.0", "true", "two", "[1]"])
def test_a_rule_that_does_not_exist_is_a_fault_with_its_place(rule: str) -> None:
    (fault,) = list_faults(read_spec, f"version: 1\nrule: {rule}\nsteps: [{{method: hedge}}]\n")
    assert (fault.code, fault.line, fault.message) == ("EP03", 2, "rule must be 1 or 2.")
