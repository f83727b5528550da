"""How passwords are stored: hard to guess from a stolen database, yet no burden that strangers can
lay on the site by trying to sign in.
"""

from django.contrib.auth.hashers import Argon2PasswordHasher


class CheapArgon2Hasher(Argon2PasswordHasher):
    """Argon2id by the least parameters that OWASP's Password Storage Cheat Sheet names: 19 MiB, two
    passes, one lane. Django's own take 100 MiB and five times as long, its PBKDF2 seven times.
    """

    time_cost = 2
    memory_cost = 19 * 1024
    parallelism = 1
