"""Celery's Redis transport with two fixes for a Redis that dies: leaked prefetch slots and lost messages."""

from collections import deque
from typing import Any

from kombu.transport import redis, virtual

# Popped from its list, and Redis died before it was among the taken ones: no queue has it, only this process.
_homeless: deque[tuple[dict[str, Any], str, str]] = deque()


class QoS(redis.QoS):
    def append(self, message: Any, delivery_tag: str) -> None:
        try:
            super().append(message, delivery_tag)
        except Transport.connection_errors:
            _homeless.append((message._raw, delivery_tag, message.delivery_info["routing_key"]))
            raise

    def ack(self, delivery_tag: str) -> None:
        try:
            super().ack(delivery_tag)
        except BaseException:
            self._free(delivery_tag)
            raise

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        try:
            super().reject(delivery_tag, requeue=requeue)
        except BaseException:
            self._free(delivery_tag)
            raise

    def _free(self, delivery_tag: str) -> None:
        # kombu 5.7 keeps its slot taken if Redis did not hear of the end, and Celery swallows the error. With no slot
        # free a worker asks for nothing any more, so it never finds out that its connection is gone. Redis still has
        # the message and hands it out again when its time is over.
        virtual.QoS.ack(self, delivery_tag)


class Channel(redis.Channel):
    QoS = QoS

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        while _homeless:
            one = _homeless.popleft()
            try:
                self._take_home(*one)
            except BaseException:
                _homeless.append(one)
                raise

    def _take_home(self, payload: dict[str, Any], delivery_tag: str, routing_key: str) -> None:
        exchange = payload["properties"]["delivery_info"]["exchange"]
        me: Any = self
        with me.conn_or_acquire() as client, client.pipeline() as pipe:
            me.qos._remove_from_indices(delivery_tag, pipe)  # it may have been among them, and only the answer lost
            me._do_restore_message(payload, exchange, routing_key, pipe, leftmost=True)
            pipe.execute()


class Transport(redis.Transport):
    Channel = Channel
