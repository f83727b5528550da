"""Results as tables: pandas frames, and the HTML that notebooks show. Charts show themselves."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from pandas import DataFrame

Frame: TypeAlias = "DataFrame"
"""Of pandas, which takes longer to load than all the rest: only where a frame is made."""

ROWS = 60
"""Of longer tables notebooks show the first and the last."""


def make_frame(data: object, **options: Any) -> Frame:
    """``pandas.DataFrame`` of these arguments."""
    from pandas import DataFrame

    return DataFrame(data, **options)


class ResultTable(ABC):
    """A result with a main table."""

    @abstractmethod
    def to_frame(self) -> Frame:
        """The main table as a pandas frame."""

    def _repr_html_(self) -> str:
        """The name and the table; every text in it is escaped."""
        from html import escape

        return f"<p>{escape(repr(self))}</p>{self.to_frame().to_html(max_rows=ROWS, border=0)}"
