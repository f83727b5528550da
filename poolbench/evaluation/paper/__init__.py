"""The results of a team for a paper: verdict, tables, figures, conditions and citation."""
