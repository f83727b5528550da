"""All providers by name."""

from __future__ import annotations

from crowd.core.providers import external, fake, generic, prolific
from crowd.core.providers.base import Provider

PROVIDERS: dict[str, Provider] = {
    module.PROVIDER.name: module.PROVIDER for module in (generic, prolific, external, fake)
}
