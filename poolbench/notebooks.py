"""What notebooks show of a result: its table as HTML. Charts show themselves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame

ROWS = 60
"""Of longer tables notebooks show the first and the last."""


class ResultTable(ABC):
    """A result with a main table."""

    @abstractmethod
    def to_frame(self) -> DataFrame:
        """The main table as a pandas frame."""

    def _repr_html_(self) -> str:
        """The name and the table; every text in it is escaped."""
        return f"<p>{escape(repr(self))}</p>{self.to_frame().to_html(max_rows=ROWS, border=0)}"
