"""``poolbench client`` against a live server, and against servers that fail."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from campaigns.models import Run, Scope
from campaigns.services.tokens import create_token
from campaigns.store import get_blob
from evaluation.services.release import release_scores
from evaluation.services.scoring import score_campaign
from judging.services.imports import import_judgments
from judging.services.qrels import freeze_qrels
from judging.services.qrels_release import release_qrels
from poolbench import __main__ as command_line
from poolbench.commands import client, connection
from poolbench.pooling.spec import depth_spec
from pooling.services.freeze import freeze_pool

GOOD = "1 Q0 d1 1 3.0 {tag}\n1 Q0 d2 2 2.0 {tag}\n2 Q0 d3 1 1.0 {tag}\n3 Q0 d3 1 1.0 {tag}\n"
BAD = "1 Q0 d1 1 3.0 bad\n99 Q0 d2 x 2.0 bad\n"


@pytest.fixture
def call(capsys, monkeypatch, tmp_path):
    """``call("submit", "run")``: the exit status, standard output and standard error."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(connection, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(client, "POLL_SECONDS", 0.01)

    def run(*words: str) -> tuple[int, str, str]:
        status = command_line.main(["client", *words])
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def signed_in(monkeypatch, live_server):
    def sign_in(user, **given: object) -> None:
        monkeypatch.setenv("POOLBENCH_URL", live_server.url)
        monkeypatch.setenv("POOLBENCH_TOKEN", create_token(user, **given))

    return sign_in


def test_a_team_does_everything_from_its_machine(call, signed_in, participant, campaign, tmp_path):
    """Data, check, submit, status, and the answers to what is wrong. Costs two seconds."""
    signed_in(participant, scopes=[Scope.READ, Scope.SUBMIT], campaign=campaign)
    for name, text in (("one", GOOD), ("two", GOOD), ("bad", BAD)):
        (tmp_path / name).write_text(text.format(tag=f"alpha-{name}"))
    status, out, _ = call("data", "kit", "--campaign", "small")
    assert status == 0
    assert [line.rpartition("/")[2] for line in out.splitlines()] == [
        "campaign.json", "documents.jsonl", "topics.xml", "topics.jsonl", "topics.tsv",
        "docnos.txt", "sample-run.txt",
    ]  # fmt: skip
    topics = [json.loads(line) for line in (tmp_path / "kit/topics.jsonl").open()]
    assert topics[0] == {"id": "1", "title": "topic 1"}
    assert len((tmp_path / "kit/documents.jsonl").read_text().splitlines()) == 9
    docnos = ("--docnos", "kit/docnos.txt")
    status, out, notes = call("check", "one", "bad", "--campaign", "small", *docnos)
    assert status == 1
    assert not Run.objects.exists()
    assert [line.split()[:2] for line in out.splitlines()[1:]] == [
        ["one", "accepted"], ["bad", "rejected"]
    ]  # fmt: skip
    assert "E" in notes
    assert "1 of 2 runs would be rejected." in notes
    status, out, _ = call("submit", "one", "two", "--campaign", "small", "--format", "json")
    assert status == 0
    assert [(row["tag"], row["state"]) for row in json.loads(out)] == [
        ("alpha-one", "accepted"), ("alpha-two", "accepted")
    ]  # fmt: skip
    assert call("submit", "one", "--campaign", "small")[0] == 0  # the same is sent once
    assert Run.objects.count() == 2
    status, out, notes = call("submit", "bad", "--campaign", "small")
    assert (status, "rejected" in out) == (1, True)
    assert "bad:2: E" in notes.replace("bad, line 2", "bad:2") or "E0" in notes
    status, out, _ = call("status", "--campaign", "small")
    assert next(line.split()[1:4] for line in out.splitlines()[1:3])[1:] == ["Alpha", "accepted"]
    assert call("status")[1].splitlines()[1].startswith("small  Small Task")
    assert "No scores that you can see" in call("scores", "--campaign", "small")[2]
    assert "No Campaign matches" in call("status", "--campaign", "large")[2]


def test_a_team_reads_scores_and_qrels_once_they_are_released(
    call, signed_in, participant, organizer, assessor, campaign, tmp_path
):
    """From its runs to its scores, with nothing of others before. Costs two seconds."""
    rows = [("1", "d1", 2), ("2", "d3", 0)]
    import_judgments(actor=organizer, campaign=campaign, assessor=assessor, rows=rows)
    qrels = freeze_qrels(actor=organizer, campaign=campaign, policy="majority")
    signed_in(participant, scopes=[Scope.READ, Scope.SUBMIT], campaign=campaign)
    for name in ("one", "two"):
        (tmp_path / name).write_text(GOOD.format(tag=f"alpha-{name}"))
    call("submit", "one", "two", "--campaign", "small")
    score_set = score_campaign(actor=organizer, campaign=campaign, qrels=qrels)
    assert call("scores", "--campaign", "small")[:2] == (1, "")
    status, out, note = call("qrels", "--campaign", "small")
    assert (status, out) == (1, "")
    assert "No qrels that you can see" in note
    call("data", "before", "--campaign", "small")

    release_scores(actor=organizer, score_set=score_set)
    release_qrels(actor=organizer, qrels=qrels, audience="teams")
    status, out, _ = call("scores", "--campaign", "small", "-m", "map")
    assert (status, [line.split()[0] for line in out.splitlines()]) == (
        0, ["run", "alpha-one", "alpha-two"]
    )  # fmt: skip
    assert call("qrels", "--campaign", "small")[1].splitlines()[1].split()[0] == "1"
    status, _, note = call("qrels", "--campaign", "small", "--version", "1", "--output", "q.txt")
    assert status == 0
    assert (tmp_path / "q.txt").read_bytes() == get_blob(qrels.path)
    assert qrels.sha256 in note
    assert call("qrels", "--campaign", "small", "--version", "2")[0] == 1
    status, out, _ = call("data", "after", "--campaign", "small")
    assert (tmp_path / "after/qrels-1.txt").read_bytes() == get_blob(qrels.path)
    assert f"{qrels.sha256}  " in out
    assert not (tmp_path / "before/qrels-1.txt").exists()


def test_scopes_and_refusals_are_told(call, signed_in, participant, tmp_path):
    signed_in(participant, scopes=[Scope.READ])
    (tmp_path / "one").write_text(GOOD.format(tag="one"))
    status, _, notes = call("submit", "one", "--campaign", "small")
    assert status == 1
    assert "This token lacks the scope “submit”. (scope-missing)" in notes


def test_an_organizer_reads_pool_judgments_qrels_and_scores(
    call, signed_in, score_set, organizer, campaign, tmp_path
):
    freeze_pool(
        actor=organizer, campaign=campaign, spec=depth_spec(2), runs=campaign.runs.accepted()
    )
    release_scores(actor=organizer, score_set=score_set)
    signed_in(organizer)
    assert call("pool", "--campaign", "small")[1].splitlines()[1].split()[0] == "1"
    out = call("pool", "--campaign", "small", "--version", "1")[1]
    assert out.count("\n") > 3
    assert "\ntopic,docno," in out
    status, _, note = call("qrels", "--campaign", "small", "--version", "1", "--output", "q.txt")
    assert status == 0
    assert "sha256" in note
    assert (tmp_path / "q.txt").read_text().splitlines()[0].split()[1] == "0"
    assert call("qrels", "--campaign", "small", "--version", "7")[0] == 1
    rows = json.loads(call("judgments", "--campaign", "small", "--format", "json")[1])
    assert len(rows) == campaign.judgments.count()
    status, out, _ = call("scores", "--campaign", "small", "-m", score_set.measures[0])
    assert status == 0
    assert "alpha-one" in out
    assert out.splitlines()[0].split()[0] == "run"


# Connections that fail


class Shaky(BaseHTTPRequestHandler):
    """Answers as ``plan`` says, one entry per request: a status, or None to hang up."""

    plan: list[int | None] = []
    keys: list[str] = []

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        type(self).keys.append(self.headers.get("Idempotency-Key", ""))
        status = type(self).plan.pop(0)
        if status is None:
            self.connection.close()
            return
        body = json.dumps({"id": 1, "state": "accepted", "report": {}, "file_name": "one",
                           "results": [], "next": None, "detail": "Busy."}).encode()  # fmt: skip
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "https://elsewhere.example/")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_args: object) -> None:
        pass


@pytest.fixture
def shaky(monkeypatch):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Shaky)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("POOLBENCH_URL", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("POOLBENCH_TOKEN", "poolbench_x")
    Shaky.keys.clear()
    yield Shaky
    server.shutdown()
    server.server_close()


def test_what_was_lost_is_sent_again_with_the_same_key(call, shaky, tmp_path):
    (tmp_path / "one").write_text(GOOD)
    shaky.plan = [None, 503, 201]
    assert call("submit", "one", "--campaign", "small")[0] == 0
    assert len(shaky.keys) == 3
    assert len(set(shaky.keys)) == 1


@pytest.mark.parametrize(
    ("plan", "status", "said"),
    [
        ([None] * 5, 3, "does not answer"),
        ([503] * 5, 1, "Busy."),
        ([302], 1, "The address leads to https://elsewhere.example"),
        ([403], 1, "Busy."),
    ],
)
def test_failures_end_with_a_sentence_and_a_status(call, shaky, plan, status, said):
    shaky.plan = list(plan)
    ended, out, notes = call("status")
    assert (ended, out, said in notes) == (status, "", True)
    assert shaky.plan == []


def test_the_configuration_file_is_for_its_owner_only(call, shaky, monkeypatch, tmp_path):
    address = connection.os.environ["POOLBENCH_URL"]
    for name in ("URL", "TOKEN"):
        monkeypatch.delenv(f"POOLBENCH_{name}")
    assert "No url. Give it by --url, POOLBENCH_URL or" in call("status")[2]
    path = tmp_path / "config/poolbench/client.toml"
    path.parent.mkdir(parents=True)
    path.write_text(f'url = "{address}"\ntoken = "poolbench_y"\n')
    path.chmod(0o644)
    assert "chmod 600" in call("status")[2]
    path.chmod(0o600)
    shaky.plan = [200]
    assert call("status")[0] == 0
    assert "is no address" in call("status", "--url", "ftp://x")[2]
    path.write_text("url = ")
    assert "is no TOML" in call("status")[2]
