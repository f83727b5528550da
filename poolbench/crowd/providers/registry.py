"""All providers by name."""

from poolbench.crowd.providers import external, fake, generic, prolific
from poolbench.crowd.providers.base import Provider

PROVIDERS: dict[str, Provider] = {
    module.PROVIDER.name: module.PROVIDER for module in (generic, prolific, external, fake)
}
