"""Seven machine-made qrels of the Deep Learning track 2019, beside NIST's own judgments."""

import gzip
from pathlib import Path

import pytest
from sklearn.metrics import cohen_kappa_score

from campaigns.models import Topic
from judging.models import Judgment
from judging.queries.judgments import current_judgments
from judging.services.automatic import create_automatic_assessor
from judging.services.imports import ImportOptions, import_file
from poolbench.runs.qrels import read_qrels

PAIRS = 9_260
MODELS = 7
LEAST, MOST = 0.124, 0.227


@pytest.fixture
def nist(data_dir) -> dict[tuple[str, str], int]:
    found = next(iter(sorted((data_dir / "trec-dl19-passage").glob("*qrels*"))))
    return grades_in(found)


def models(data_dir: Path) -> list[Path]:
    return sorted((data_dir / "llm-judges-dl19").glob("*.txt.gz"))


def grades_in(path: Path) -> dict[tuple[str, str], int]:
    data = path.read_bytes()
    return read_qrels(gzip.decompress(data) if path.suffix == ".gz" else data).by_pair()


def test_seven_models_judge_all_pairs_and_agree_with_nist_as_published(data_dir, nist):
    assert len(nist) == PAIRS
    kappas = []
    for path in models(data_dir):
        said = grades_in(path)
        assert set(nist) <= set(said)
        pairs = sorted(nist)
        kappas.append(cohen_kappa_score([nist[p] for p in pairs], [said[p] for p in pairs]))
    assert len(kappas) == MODELS
    assert (round(min(kappas), 3), round(max(kappas), 3)) == (LEAST, MOST)


@pytest.mark.full
def test_models_are_imported_as_automatic_assessors_with_the_grades_of_their_files(
    campaign, organizer, assessor, data_dir, nist
):
    campaign.documents.all().delete()
    numbers = sorted({topic for topic, _ in nist})
    Topic.objects.bulk_create(Topic(campaign=campaign, number=n, title=n) for n in numbers)
    for number, path in enumerate(models(data_dir)):
        model = create_automatic_assessor(
            actor=organizer, campaign=campaign, name=f"judge-{number}", description=path.name
        )
        given = {"actor": organizer, "campaign": campaign, "data": path.read_bytes()}
        counts = import_file(**given, file=path.name, options=ImportOptions(automatic=model))
        assert counts.new >= PAIRS
        own = current_judgments(campaign, purpose="automatic").filter(assessor=model.user)
        said = {(t, d): g for t, d, g in own.values_list("topic__number", "docno", "grade")}
        assert said == grades_in(path)
    assert not Judgment.objects.exclude(purpose="automatic").exists()
