"""Charts of scores, described as data for ``common.charts``."""
