"""Read large text files of columns with numpy: three functions, and what they return.

- ``scan_blocks``: the bytes of a file, as blocks of lines with the place of every field;
- ``parse_decimals``: a column of fields, as float64;
- ``rank_rows``: rows by score and ID, in the order of trec_eval.

A column of fields is a ``DocnoArray``: IDs that stay bytes of the file, compared, hashed and
ranked by code point without becoming strings; ``DocnoCollector`` joins the columns of many
blocks. A run is read so::

    collected = DocnoCollector(data, room)
    for block in scan_blocks(data, 6, accept):
        collected.add(block.column(2))
        numbers = parse_decimals(block.column(4))

Every number, order and place is what plain Python gives: ``tests/poolbench/reading/slow.py``
is the same reader in plain Python, and hypothesis compares the two. The other modules of this
package are the inside of these functions; each says why its constants are what they are.
"""

from poolbench.reading.blocks import LineBlock, LineFilter, scan_blocks
from poolbench.reading.decimals import Decimals, parse_decimals
from poolbench.reading.docnos import DocnoArray, DocnoCollector
from poolbench.reading.machine_words import Ints, Mask
from poolbench.reading.ordering import Floats, RankedOrder, rank_rows

__all__ = [
    "Decimals",
    "DocnoArray",
    "DocnoCollector",
    "Floats",
    "Ints",
    "LineBlock",
    "LineFilter",
    "Mask",
    "RankedOrder",
    "parse_decimals",
    "rank_rows",
    "scan_blocks",
]
