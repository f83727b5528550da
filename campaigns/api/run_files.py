"""The files of runs, on pages and by API."""

from django.http import HttpResponse

from campaigns.api.attachments import attachment_response
from campaigns.models import Run
from campaigns.services.run_files import read_original_file
from campaigns.services.runs import build_file_with_metadata

BINARY = "application/octet-stream"


def run_file_response(run: Run, *, with_metadata: bool) -> HttpResponse:
    """The file as it was uploaded, or unpacked and with its metadata."""
    if with_metadata:
        return attachment_response(build_file_with_metadata(run), f"{run.tag}.txt", BINARY)
    return attachment_response(read_original_file(run), run.file_name, BINARY)
