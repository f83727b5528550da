"""The storage of the content store, for the settings."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured

SCHEME = "s3://"


def build_store_settings(url: str) -> dict[str, Any]:
    """The storage of ``url``: "s3://BUCKET" or "s3://BUCKET/PREFIX"; without one, a folder."""
    if not url:
        return {"BACKEND": "campaigns.storages.StoreFolder"}
    bucket, _, prefix = url.removeprefix(SCHEME).partition("/")
    if not url.startswith(SCHEME) or not bucket:
        raise ImproperlyConfigured(f"POOLBENCH_STORE is not s3://BUCKET/PREFIX: {url}")
    options = {"bucket_name": bucket, "location": prefix.strip("/")}
    return {"BACKEND": "campaigns.buckets.StoreBucket", "OPTIONS": options}
