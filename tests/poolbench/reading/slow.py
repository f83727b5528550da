"""The reader of ``poolbench/reading`` in plain Python, obviously right: what its functions give."""

from collections.abc import Iterator

Line = tuple[int, list[bytes]]


def read_lines(data: bytes, width: int) -> Iterator[Line]:
    """``(number, fields)`` of every line with at least ``width`` fields; comments are not read."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if is_read(line, width):
            yield number, line.split()[:width]


def is_read(line: bytes, width: int) -> bool:
    return len(line.split()) >= width and not line.startswith(b"#")


def parse_decimal(text: str) -> str:
    """The bits of the number; ``-0.0`` is not ``0.0``."""
    return float(text).hex()


def rank_rows(groups: list[int], scores: list[float], ids: list[str]) -> list[int]:
    """The rows by group, then score descending, then ID descending by code point."""
    by_id = sorted(range(len(ids)), key=lambda row: ids[row], reverse=True)
    return sorted(by_id, key=lambda row: (groups[row], -scores[row]))
