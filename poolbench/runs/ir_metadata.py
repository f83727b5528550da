"""The ``ir_metadata`` block of a run: YAML in comment lines at its head.

``# ir_metadata.start``, lines of YAML after ``#``, ``# ir_metadata.end``
(https://www.ir-metadata.org). The block says how a run was made: platform, research goal,
implementation, method, actor, data.
"""

import zlib
from collections.abc import Mapping
from datetime import date
from math import isfinite
from typing import Any

import yaml

from poolbench.files.faults import FaultReport, InvalidFile, escape_excerpt
from poolbench.files.streams import GZIP_MAGIC
from poolbench.files.yaml_files import UNSTORABLE, YamlFile

START, END = b"ir_metadata.start", b"ir_metadata.end"
MAX_HEAD = 65_536
"""Bytes of the comment lines at the head of a run that are looked at."""
_BOM = b"\xef\xbb\xbf"
_FIX = "Write a mapping in YAML between “# ir_metadata.start” and “# ir_metadata.end”."


def read_run_head(data: bytes) -> bytes:
    """The first ``MAX_HEAD`` bytes of a run, plain or gzip, of which ``data`` is at least the
    beginning; empty if it is damaged.
    """
    if not data.startswith(GZIP_MAGIC):
        return data[:MAX_HEAD]
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data[: 2 * MAX_HEAD], MAX_HEAD)
    except zlib.error:
        return b""


def read_ir_metadata(text: bytes, report: FaultReport) -> dict[str, Any]:
    """The block at the head of a run as plain JSON, empty without one; its faults are E20."""
    lines = _list_head_lines(text)
    start = next((at for at, line in enumerate(lines) if _marks(line, START)), None)
    if start is None:
        return {}
    end = next((at for at, line in enumerate(lines) if at > start and _marks(line, END)), None)
    if end is None:
        message = (
            f"The ir_metadata block has no end in the first {MAX_HEAD:,} bytes of comment lines."
        )
        report.add("E20", message, "Close it with a line “# ir_metadata.end”.", line=start + 1)
        return {}
    # A blank for each mark, and an empty line for each line above, keep the places of faults.
    inner = [line.replace(b"#", b" ", 1) for line in lines[start + 1 : end]]
    block = YamlFile(FaultReport(report.file), ("E20", "E20", "E20"), _FIX, "ir_metadata block")
    try:
        block.parse(b"\n" * (start + 1) + b"\n".join(inner))
        return _plain_mapping(block)
    except InvalidFile as invalid:
        report.take(invalid.report)
        return {}


def check_metadata_tag(report: FaultReport, metadata: Mapping[str, Any], tag: str) -> None:
    """W17 where the block is of a run with another tag."""
    named = metadata.get("tag")
    if tag and named is not None and named != tag:
        message = (
            f"The ir_metadata block has the tag {escape_excerpt(str(named), 40)}, the run"
            f" {escape_excerpt(tag, 40)}."
        )
        report.add("W17", message, "Check that the block belongs to this run; correct its tag.")


def write_ir_metadata(text: bytes, metadata: Mapping[str, Any]) -> bytes:
    """The run ``text`` with ``metadata`` as the block at its head, in place of one that it has."""
    block = [START, *format_block(metadata).encode().split(b"\n"), END]
    return b"".join(b"# %b\n" % line for line in block) + _remove_block(text.removeprefix(_BOM))


def format_block(metadata: Mapping[str, Any]) -> str:
    """The lines of a block, without comment signs."""
    dumped: str = yaml.safe_dump(
        dict(metadata), sort_keys=False, allow_unicode=True, default_flow_style=False
    )
    return dumped.rstrip("\n")


def _remove_block(text: bytes) -> bytes:
    lines = _list_head_lines(text)
    marks = [at for at, line in enumerate(lines) if _marks(line, START) or _marks(line, END)]
    if len(marks) < 2:
        return text
    rest = text.split(b"\n", marks[1] + 1)
    return b"".join(line + b"\n" for line in rest[: marks[0]]) + rest[-1]


def _list_head_lines(text: bytes) -> list[bytes]:
    """The comment lines before the first line of the run."""
    lines = []
    for line in text[:MAX_HEAD].removeprefix(_BOM).split(b"\n"):
        if line.strip() and not line.startswith(b"#"):
            break
        lines.append(line.rstrip(b"\r"))
    return lines


def _marks(line: bytes, mark: bytes) -> bool:
    return line.removeprefix(b"#").strip() == mark


def _plain_mapping(block: YamlFile) -> dict[str, Any]:
    """The mapping as JSON can store it. Raises ``InvalidFile`` for texts that nothing can store."""
    plain: dict[str, Any] = _to_plain(block.data)
    if not _is_storable(plain):
        block.add_fault((), "A text has a character that cannot be stored", "Remove it.")
        block.raise_if_invalid()
    return plain


def _to_plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _to_plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set):
        return [_to_plain(inner) for inner in value]
    if isinstance(value, date):  # a datetime is one, too
        return value.isoformat()
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int) and abs(value) < 2**63:
        return value
    return value if isinstance(value, float) and isfinite(value) else str(value)[:100]


def _is_storable(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(map(_is_storable, [*value, *value.values()]))
    if isinstance(value, list):
        return all(map(_is_storable, value))
    return not isinstance(value, str) or UNSTORABLE.isdisjoint(map(ord, value))
