"""Reading lines of columns from bytes: other packages use ``reader``, which uses the rest."""
