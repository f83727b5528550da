"""Measure a real campaign: TREC-COVID round 1, 143 runs, from files to leaderboard.

    python benchmarks/campaign.py [DATA]

Loads the campaign into an empty installation in a temporary folder (whole process), then
requests the leaderboard and other large pages of that installation, three times each.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
PAGES = ("results/scores/", "runs/", "pool/", "pool/1/", "judging/", "results/qrels/1/", "")


def manage(*args: str) -> None:
    subprocess.run([sys.executable, "manage.py", *args], cwd=ROOT, check=True)


def time_request(path: str, client: object) -> tuple[int, float]:
    start = time.perf_counter()
    response = client.get(path)  # type: ignore[attr-defined]
    if response.status_code != 200:
        sys.exit(f"{path} returned {response.status_code}")
    return len(response.content), time.perf_counter() - start


def measure_pages() -> None:
    """Measure pages in this process, through all middleware, without a network."""
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "workbench.settings"
    django.setup()
    from django.test import Client

    from campaigns.models import User

    client = Client(HTTP_HOST="localhost")
    client.force_login(
        User.objects.get(username="organizer"), backend="django.contrib.auth.backends.ModelBackend"
    )
    for page in PAGES:
        path = f"/c/trec-covid-r1/{page}"
        size, first = time_request(path, client)
        best = min(time_request(path, client)[1] for _ in range(3))
        print(f"{path:<32} {size / 1000:7.0f} kB  first {first:5.2f} s  then {best:5.2f} s")


def main(data: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["POOLBENCH_VAR"] = f"{folder}/var"
        script = str(ROOT / "benchmarks" / "trec_covid.py")
        subprocess.run([sys.executable, script, data, f"{folder}/campaign"], check=True)
        manage("migrate", "-v", "0")
        start = time.perf_counter()
        manage("load_campaign", f"{folder}/campaign")
        print(f"whole process {time.perf_counter() - start:.1f} s", flush=True)
        measure_pages()


if __name__ == "__main__":
    default = os.environ.get("POOLBENCH_DATA", str(ROOT.parent / "shared" / "data"))
    main(*(sys.argv[1:] or [default]))
