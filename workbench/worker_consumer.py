"""The part of a worker that takes messages from the broker, and outlives its absence."""

from __future__ import annotations

import logging

from celery.worker.consumer import Consumer

log = logging.getLogger(__name__)


class SteadyConsumer(Consumer):
    """Connects again whatever breaks while it gives the old connection up."""

    def on_connection_error_after_connected(self, exc: Exception) -> None:
        """kombu 5.7 closes a Redis channel twice, and fails with ``AttributeError`` if a message
        was not yet acknowledged: Celery would end the worker. Jobs do not need that message.
        """
        try:
            super().on_connection_error_after_connected(exc)
        except Exception as error:  # the old connection is of no use any more
            log.warning("the lost connection to the broker could not be closed: %r", error)
