import pytest, zipfile
from pathlib import Path
from campaigns.models import User, Campaign
from replay.archive.writer import write_archive
from replay.archive.loader import load_archive
from poolbench.replay.archive_folder import open_campaign_folder
from judging.services.qrels import verify_qrels
from judging.queries.invariants import list_violations
pytestmark = pytest.mark.django_db
def test_it(world, tmp_path, settings):
    campaign=world.campaign
    write_archive(campaign, tmp_path/"a.zip")
    for u in User.objects.all():
        u.username = "x"+u.username; u.save()
    Campaign.objects.filter(pk=campaign.pk).update(slug="other")
    settings.STORE_DIR = tmp_path/"store"
    (tmp_path/"store").mkdir()
    with open_campaign_folder(tmp_path/"a.zip") as f:
        new = load_archive(actor=world.people["organizer"], folder=f)
    assert all(verify_qrels(q) for q in new.qrels.all())
    print(list_violations(new))
    write_archive(new, tmp_path/"b.zip")
    a,b=zipfile.ZipFile(tmp_path/"a.zip"),zipfile.ZipFile(tmp_path/"b.zip")
    for n in a.namelist():
        if a.read(n)!=b.read(n): print(n, a.read(n).decode(), b.read(n).decode())
    assert (tmp_path/"a.zip").read_bytes()==(tmp_path/"b.zip").read_bytes()
