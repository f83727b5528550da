"""Static files: by their own names in a checkout; hashed, packed and kept for years by a server."""

import re

from django.templatetags.static import static
from django.test import Client

from workbench import static_files
from workbench.static_files import collect_static_files

YEAR = 31_536_000
HASHED = re.compile(r"\.[0-9a-f]{12}\.\w+$")


def test_without_collected_files_each_has_its_name(client):
    assert static("css/app.css") == "/static/css/app.css"
    assert client.get("/static/css/app.css").status_code == 200


def test_a_server_gives_files_that_caches_keep_for_years(settings, tmp_path, monkeypatch, db):
    settings.STATIC_ROOT = tmp_path / "static"
    settings.WHITENOISE_AUTOREFRESH = False
    collect_static_files()
    server = Client()

    def load(name: str) -> str:
        answer = server.get(f"/static/{name}", headers={"Accept-Encoding": "gzip"})
        assert HASHED.search(name)
        assert int(re.search(r"max-age=(\d+)", answer["Cache-Control"])[1]) >= YEAR
        assert answer.get("Content-Encoding") == "gzip" or int(answer["Content-Length"]) < 1000
        return server.get(f"/static/{name}").getvalue().decode()

    names = re.findall(r'/static/([^"]+)', server.get("/accounts/login/").content.decode())
    assert len([load(name) for name in names]) > 3
    script = load(static("js/judge.js").removeprefix("/static/"))
    imports = re.findall(r'from "\./([^"]+)"', script)
    assert len([load(f"js/{name}") for name in imports]) > 3

    def count_collections() -> int:
        calls: list[object] = []
        monkeypatch.setattr(static_files, "call_command", lambda *_, **__: calls.append(1))
        collect_static_files()
        return len(calls)

    assert count_collections() == 0
    monkeypatch.setattr(static_files, "digest_static_files", lambda: "other")
    assert [count_collections(), count_collections()] == [1, 0]


def test_a_disk_that_takes_nothing_stops_no_server(settings, tmp_path, caplog):
    settings.STATIC_ROOT = tmp_path / "static"
    (tmp_path / "static/collected").mkdir(parents=True)
    collect_static_files()
    assert "without hashes" in caplog.text
    assert static("css/app.css") == "/static/css/app.css"
