"""Reports: sections of tables and notes, written in any format.

``report`` is the model; ``text``, ``csv``, ``json``, ``markdown``, ``latex`` and ``html`` are one
writer each; ``writers`` lists them for commands and downloads; ``plain`` stores a report as plain
values and reads it again; ``figures`` turns charts into pictures of a report.
"""
