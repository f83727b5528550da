"""The part of a worker that takes messages from the broker, and outlives its absence."""

import logging
from typing import Any

from celery.worker.consumer import Consumer
from kombu.transport import redis, virtual

log = logging.getLogger(__name__)


class SteadyConsumer(Consumer):
    """Connects again whatever breaks while it gives the old connection up; then the worker sends
    again what waits, for a broker may come back without its messages.
    """

    has_lost_broker = False

    def connect(self) -> Any:
        from campaigns.services.heartbeats import report_lost_messages

        connection = super().connect()
        if self.has_lost_broker:
            report_lost_messages()
        self.has_lost_broker = False
        return connection

    def on_connection_error_after_connected(self, exc: Exception) -> None:
        """kombu 5.7 closes a Redis channel twice, and fails with ``AttributeError`` if a message
        was not yet acknowledged: Celery would end the worker. Jobs do not need that message.
        """
        self.has_lost_broker = True
        try:
            super().on_connection_error_after_connected(exc)
        except Exception as error:  # the old connection is of no use any more
            log.warning("the lost connection to the broker could not be closed: %r", error)


class SteadyQoS(redis.QoS):
    """What could not be acknowledged does not count as being worked on."""

    def ack(self, delivery_tag: str) -> None:
        """If Redis hangs just then, kombu 5.7 only logs it and keeps the message: a worker that
        may hold one message would never take another.
        """
        try:
            super().ack(delivery_tag)
        except Exception:
            virtual.QoS.ack(self, delivery_tag)
            raise


redis.Channel.QoS = SteadyQoS
