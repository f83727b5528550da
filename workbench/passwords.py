"""How passwords are stored: hard to guess from a stolen database, yet no burden that strangers can
lay on the site by trying to sign in.
"""

from __future__ import annotations

from django.contrib.auth.hashers import ScryptPasswordHasher


class ShortScryptHasher(ScryptPasswordHasher):
    """scrypt in 0.1 CPU seconds and 16 MB; Django's own, and its PBKDF2, take three times as long.

    Memory makes a guess on graphics cards dearer than one of PBKDF2 with a million iterations.
    """

    parallelism = 2
