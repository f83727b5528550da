import pytest
from pathlib import Path
from replay.archive.writer import write_archive
from poolbench.replay.verification import verify_archive
from poolbench.commands.verify_archive import format_verification
pytestmark = pytest.mark.django_db
def test_it(world, tmp_path):
    campaign=world.campaign
    write_archive(campaign, tmp_path/"a.zip"); write_archive(campaign, tmp_path/"b.zip")
    assert (tmp_path/"a.zip").read_bytes()==(tmp_path/"b.zip").read_bytes()
    r=verify_archive(tmp_path/"a.zip"); print(format_verification(r), r.notes)
    import zipfile; z=zipfile.ZipFile(tmp_path/"a.zip"); print([ (i.filename,i.file_size) for i in z.infolist()])
    print(z.read(f"{campaign.slug}/tables/judgments.jsonl")[:900].decode(), z.read(f"{campaign.slug}/campaign.yaml").decode())
    assert r.is_same
