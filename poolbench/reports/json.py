"""Reports as JSON.

The core gives the shape as plain dicts, lists, strings, numbers and None, so that a program finds
the same keys in every version. Undefined is ``null``, usually with a reason beside it; NaN is
refused with ``ValueError``, since JSON has none. Texts are UTF-8 as they are; the file ends in a
line break.
"""

import json
from typing import Any

from poolbench.reports.report import Report


def write_json(report: Report) -> str:
    data = report.data() if report.data else None
    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def to_json_line(data: Any) -> str:
    """Compact, on one line: line breaks in texts are escaped."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
