"""``poolbench witness``: figures by hand, and those of the library's function."""

import json

import pytest

import poolbench as pb
from tests.csv_reading import csv_rows

TOPICS = [str(number) for number in range(1, 9)]
PEOPLE = {t: {f"d{n}": int(n % 2) for n in range(8)} for t in TOPICS}
# Right but for d2, which it takes for relevant: a quarter of people's grade 0.
MACHINE = {t: own | {"d2": 1} for t, own in PEOPLE.items()}
RUNS = {
    f"r{k}": {t: {f"d{(n * 3 + k) % 8}": 9.0 - n for n in range(8)} for t in TOPICS}
    for k in range(4)
}
TEAMS = "r0 one\nr1 one\nr2 two\nr3 two\n"


def write_lines(grades) -> str:
    return "".join(f"{t} 0 {d} {g}\n" for t, own in grades.items() for d, g in own.items())


@pytest.fixture
def files(write) -> list[str]:
    runs = (
        write(tag, "".join(f"{t} Q0 {d} 0 {s} {tag}\n" for t, own in run.items()
                           for d, s in own.items()))
        for tag, run in RUNS.items()
    )  # fmt: skip
    return [write("people", write_lines(PEOPLE)), *runs]


def test_figures_by_hand_from_qrels(run, write, files):
    machine, teams = write("machine", write_lines(MACHINE)), write("teams", TEAMS)
    more = ["--machine", machine, "--teams", teams, "-m", "P_5"]
    ran = run("witness", *files, *more, "--format", "csv")
    assert ran.refusal is None
    rows = {(row["figure"], row["subject"]): row for row in csv_rows(ran.out)}
    cell = rows["share", "people 0, machine 1"]
    assert float(cell["value"]) == pytest.approx(0.25)
    assert 0 < float(cell["low"]) < 0.25 < float(cell["high"]) < 0.5
    assert float(rows["share", "people 1, machine 1"]["value"]) == 1
    assert float(rows["coverage", ""]["value"]) == 1
    assert {subject for figure, subject in rows if figure == "excess"} == {"one", "two"}
    # By people P@5 of the four runs is .6, .4, .6, .4 or so; d2 counts as well by the machine.
    means = [
        [float(pb.evaluate(own, grades, "P@5").means["P@5"]) for own in RUNS.values()]
        for grades in (PEOPLE, MACHINE)
    ]
    lean = sum(means[1]) / 4 - sum(means[0]) / 4
    assert float(rows["lean", "P_5"]["value"]) == pytest.approx(lean, abs=1e-4)
    for name, kind in (("tau", "tau-b"), ("tau_ap", "tau-ap-b")):
        value = float(rows[name, "P_5"]["value"])
        assert value == pytest.approx(pb.tau(means[0], means[1], kind), abs=1e-4)
    # Everything is judged: there is nothing to gain.
    assert not [figure for figure, _ in rows if figure == "gain"]


def test_a_sample_has_a_gain_and_the_figures_of_the_function(run, write, files):
    sample = "".join(
        f"{t} {d} {g if (int(d[1:]) + 3 * int(t)) % 7 < 3 else -1} 1 0.4375\n"
        for t, own in PEOPLE.items()
        for d, g in own.items()
    )
    machine = write("machine", write_lines(MACHINE))
    options = ["--machine", machine, "-m", "P_5", "--format", "json"]
    ran = run("witness", write("frame", sample), *files[1:], *options)
    (told,) = json.loads(ran.out)["machines"]
    examined = pb.examine_machines(RUNS, sample.encode(), {machine: MACHINE}, "P_5")
    assert told["gain"] == pytest.approx(examined[machine].gain)
    assert told["gain"] > 0.1
    frame = examined.to_frame()
    assert frame[frame.figure == "gain"].value.tolist() == [told["gain"]]
    assert examined.list_findings()[0].text.startswith("It makes the errors")
    assert repr(examined) == f"<ExaminedMachines: {machine}; {told['shared']} of 64 pairs judged>"


def test_a_team_that_the_machine_favours_is_named(run, write, files):
    """It gives 1 to all that the first two runs have in their first ranks."""
    first = {d for tag in ("r0", "r1") for d in list(RUNS[tag]["1"])[:3]}
    liked = {t: {d: int(d in first) for d in own} for t, own in PEOPLE.items()}
    short = {tag: {t: dict(list(own.items())[:3]) for t, own in run.items()}
             for tag, run in RUNS.items()}  # fmt: skip
    teams = {"r0": "one", "r1": "one", "r2": "two", "r3": "two"}
    examined = pb.examine_machines(short, PEOPLE, {"m": liked}, "P_5", teams=teams)
    raised = [each.team for each in examined["m"].teams if each.is_alarm]
    assert raised == ["one"]
    excess = {each.team: each.excess.value for each in examined["m"].teams}
    assert excess["one"] == pytest.approx(-excess["two"])
