"""Charts of scores, described as data for ``poolbench.charts``."""
