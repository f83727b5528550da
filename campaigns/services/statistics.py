"""Statistics of PostgreSQL's planner after bulk writes; other databases need none."""

from django.db import connection, models

MIN_ROWS = 500
"""Fewer new rows change no plan of a query."""


def refresh_statistics(*tables: type[models.Model]) -> None:
    """Tell the planner how many rows ``tables`` have now, without waiting for autovacuum.

    Within a transaction this blocks the same of other transactions until its end.
    """
    if connection.vendor == "postgresql":
        quote = connection.ops.quote_name
        names = ", ".join(quote(table._meta.db_table) for table in tables)  # noqa: SLF001 (public)
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {names}")


def refresh_old_statistics(*tables: type[models.Model]) -> int:
    """Of ``tables``, the number of those refreshed: they have changed by a tenth, and at least
    ``MIN_ROWS``, since the last time, and autovacuum is off or slow.
    """
    if connection.vendor != "postgresql":
        return 0
    by_name = {table._meta.db_table: table for table in tables}  # noqa: SLF001 (public)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_stat_user_tables WHERE relname = ANY(%s)"
            " AND n_mod_since_analyze > greatest(%s, n_live_tup / 10)",
            [list(by_name), MIN_ROWS],
        )
        stale = [by_name[name] for (name,) in cursor.fetchall()]
    for table in stale:
        refresh_statistics(table)
    return len(stale)
