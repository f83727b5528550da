"""``poolbench agreement``: assessors' files in, coefficients out, no database."""

import json

import pytest

ANN = "1 0 a 1\n1 0 b 0\n1 0 c 2\n1 0 e -1\n"
BOB = "1 0 a 1\n1 0 b 1\n1 0 c 2\n1 0 d 0\n"


def test_the_table_tells_values_n_and_reasons(run, write):
    files = write("ann.txt", ANN), write("bob.qrels", BOB), write("eve.txt", "9 0 a 1\n")
    ran = run("agreement", *files, "-l", "2")
    assert ran.refusal is None
    table = ran.out.splitlines()
    assert table[0] == "5 pairs judged; relevant: grade ≥ 2."
    assert "ann            3         1      0.3333" in table
    pair = next(line for line in table if line.startswith("ann ~ bob"))
    assert pair.split()[3:5] == ["0.6667", "0.5000"]
    assert pair.split()[-1] == "3"
    assert "ann ~ eve: no pair was judged by both" in table
    assert "mean over pairs, all coefficients: 2 of 3 pairs of assessors are undefined" in table


def test_json_holds_null_with_a_reason(run, write):
    files = write("ann.txt", "1 0 a 1\n"), write("bob.txt", "1 0 a 1\n")
    content = json.loads(run("agreement", *files, "--format", "json").out)
    assert content["pairs"][0]["assessors"] == ["ann", "bob"]
    percent = content["pairs"][0]["percent"]
    assert (percent["value"], percent["n"], percent["reason"]) == (1.0, 1, None)
    assert (percent["low"], percent["prevalence"]) == (None, 1.0)
    assert "fewer than 5 topics" in percent["no_interval"]
    assert content["overall"]["alpha-ordinal"]["value"] is None
    assert "same grade" in content["overall"]["alpha-ordinal"]["reason"]


def test_duplicate_pairs_are_faults_of_the_file(run, write):
    ran = run("agreement", write("ann.txt", ANN + "1 0 a 0\n"), write("bob.txt", BOB))
    assert (ran.out, ran.refusal) == ("", "1 file rejected; no output written.")
    assert "ann.txt:5:5: EQ06" in ran.err


def test_one_file_or_one_name_twice_is_refused(run, write):
    ann, twin = write("ann.txt", ANN), write("ann.tsv", ANN)
    assert "two assessors" in run("agreement", ann).refusal
    assert "Duplicate assessor names: ann" in run("agreement", ann, twin).refusal
    assert "level" in run("agreement", ann, write("b", BOB), "-l", "0").refusal


def test_binary_cuts_grades_and_the_command_tells_of_each_assessor(run, write):
    files = write("ann.txt", ANN), write("bob.txt", BOB)
    content = json.loads(run("agreement", *files, "--binary", "--format", "json").out)
    assert (content["binary"], content["grades"]) == (True, [0, 1])
    assert content["pairs"][0]["confusion"] == [[0, 1], [0, 2]]
    assert content["topics"][0]["mean_over_pairs"]["percent"]["value"] == 2 / 3
    ann, _ = content["quality"]["assessors"]
    assert ann["bias"]["value"] == -1 / 3
    assert "order" in ann["drift"]["slope"]["reason"]
    assert "all assessors, drift: the order" in run("agreement", *files).out


TABLE = "topic\tdoc\tworker\tlabel\n1\ta\tw1\tyes\n1\ta\tw2\tno\n1\tb\tw1\tno\n1\tb\tw2\tno\n"
MAPPED = ("--map", "yes=1", "--map", "no=0")


def shapes() -> list[tuple[str, str]]:
    head, *rows = [line.split("\t") for line in TABLE.splitlines()]
    objects = [json.dumps(dict(zip(head, row, strict=True))) for row in rows]
    return [
        ("crowd.tsv", TABLE),
        ("crowd.csv", TABLE.replace("\t", ",")),
        ("crowd.jsonl", "\n".join(objects) + "\n"),
        ("crowd.json", f"[{', '.join(objects)}]"),
    ]


@pytest.mark.parametrize(("name", "text"), shapes(), ids=lambda value: value[:12])
def test_a_table_holds_many_assessors(run, write, name, text):
    ran = run("agreement", write(name, text), *MAPPED, "--format", "json")
    assert ran.refusal is None
    content = json.loads(ran.out)
    assert [assessor["name"] for assessor in content["assessors"]] == ["w1", "w2"]
    assert content["overall"]["percent"]["value"] == 0.5
    assert content["pairs"][0]["confusion"] == [[1, 0], [1, 0]]


def test_tables_without_assessors_and_qrels_are_one_file_each(run, write):
    files = write("ann.txt", ANN), write("bob.csv", "topic,docno,grade\n1,a,1\n1,b,1\n1,d,0\n")
    content = json.loads(run("agreement", *files, "--format", "json").out)
    assert content["pairs"][0]["assessors"] == ["ann", "bob"]
    assert content["pairs"][0]["percent"]["n"] == 2


def test_a_label_without_a_grade_is_one_fault_with_place_and_fix(run, write):
    ran = run("agreement", write("crowd.tsv", TABLE + "2\tz\tw1\tyes\n" * 500))
    assert ran.refusal == "1 file rejected; no output written."
    lines = ran.err.splitlines()
    assert len(lines) == 2
    assert "crowd.tsv:2:8: EJ08 Label without a grade: “yes” (501 judgments)." in lines[0]
    assert "Add --map 'yes=GRADE', or --map 'yes=-' to ignore it." in lines[0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("topic doc worker label\n1 a w1 1\n", ":1: EJ05 The columns are separated by spaces."),
        ("topic,doc,worker,vote\n1,a,w1,1\n", ":1: EJ08 No column or key has the labels."),
        ("topic,worker,label\n1,w1,1\n", ":1: EJ05 Missing in the header: docno."),
        ("topic,doc,worker,label\n1,a,w1,1\n1,a,w1,0\n", ":3:8: EJ03 w1 labeled this pair 2 times"),
        ("anything", "EJ04 Unrecognized judgment format."),
    ],
)
def test_faults_of_tables_have_code_and_line(run, write, text, told):
    ran = run("agreement", write("crowd", text))
    assert (ran.out, ran.refusal) == ("", "1 file rejected; no output written.")
    assert told in ran.err
    assert "EQ02" not in ran.err


def test_two_tables_do_not_judge_one_pair_twice(run, write):
    files = write("one.tsv", TABLE), write("two.tsv", TABLE)
    ran = run("agreement", *files, *MAPPED)
    assert "two.tsv:2: w1 judged 1 a yes in" in ran.refusal
    twin = run("agreement", write("w1.txt", ANN), files[0], *MAPPED)
    assert "Duplicate assessor names: w1" in twin.refusal
    last = write("three.tsv", TABLE + "1\tb\tw2\tyes\n")
    assert run("agreement", last, *MAPPED, "--duplicates", "last").refusal is None


def test_many_assessors_are_not_listed_pair_by_pair(run, write):
    rows = [
        f"{topic}\td{topic}\tw{worker}\t{(topic * worker) % 2}"
        for topic in range(6)
        for worker in range(12)
        if worker < 4 or worker % 6 == topic
    ]
    path = write("crowd.tsv", "\n".join(["topic\tdoc\tworker\tlabel", *rows]) + "\n")
    ran = run("agreement", path, "--rows", "5")
    listed = [line for line in ran.out.splitlines() if " ~ " in line and ":" not in line]
    assert len(listed) == 5
    assert (
        "Not listed, with fewer judgments: 7 assessors and 61 assessor pairs; --rows 0" in ran.out
    )
    content = json.loads(run("agreement", path, "--rows", "5", "--format", "json").out)
    assert (len(content["assessors"]), len(content["pairs"])) == (5, 5)
    assert content["omitted"] == {"assessors": 7, "pairs": 61}
    assert len(content["quality"]["assessors"]) == 5
    every = json.loads(run("agreement", path, "--rows", "0", "--format", "json").out)
    assert (len(every["pairs"]), "omitted" in every) == (66, False)
    assert every["overall"] == content["overall"]
