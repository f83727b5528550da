"""The label of scores on the command line, from the manifest of the qrels."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from campaigns.cli.command import CliError
from evaluation.core.evaluate import ScoredRun
from evaluation.core.formats import LABEL
from evaluation.core.judgments import JudgmentTable
from judging.core.policies import label_qrels


def read_label(path: str | None, judged: JudgmentTable) -> str:
    """The label of scores by ``judged``, whose manifest is at ``path``; empty if there is none.

    Raises ``CliError`` for a file that is not the manifest of these qrels.
    """
    if path is None:
        return ""
    try:
        manifest: Any = json.loads(Path(path).read_text(encoding="utf-8"))
        digest, label = manifest["sha256"], label_qrels(manifest)
    except OSError as error:
        raise CliError(f"{path}: {error.strerror or error}.") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CliError(
            f"{path} is not the manifest of qrels. Write it by `manage.py qrels manifest`."
        ) from error
    if digest != judged.digest:
        raise CliError(f"{path} is the manifest of other qrels: the SHA-256 differs.")
    return label


def label_scores(run: ScoredRun, label: str) -> ScoredRun:
    """The run with the label first among its conditions."""
    return replace(run, conditions={LABEL: label, **run.conditions}) if label else run
