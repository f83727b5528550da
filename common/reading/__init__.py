"""Reading lines of columns from bytes: ``reader`` is the face, the other modules its inside."""
