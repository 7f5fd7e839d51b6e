"""Celery's SQS transport, hardened: a brief SQS outage must neither end a worker nor stop it from polling."""

import logging
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError
from kombu.transport import SQS, virtual

from config import aws
from config.aws_requests import prepare_faster

log = logging.getLogger(__name__)

_polls = 0


def answered_polls() -> int:
    """Return how many polls of this process SQS has answered, with or without a message."""
    return _polls


class Channel(SQS.Channel):
    def _new_boto_client(
        self, *, service: Any, region: str, access_key_id: str | None, secret_access_key: str | None,
        session_token: str | None = None, config: Config | None = None,
    ) -> Any:  # fmt: skip
        """Build kombu's client with the descriptions that this process has parsed: kombu has a session a queue."""
        session = boto3.Session(
            region_name=region,
            aws_access_key_id=access_key_id,
            aws_secret_access_key=secret_access_key,
            aws_session_token=session_token,
        )
        aws.share_descriptions(session._session)
        channel: Any = self  # the stubs know none of these
        limits = Config(**channel.transport_options.get("client-config", {}))
        client = session.client(
            service,
            endpoint_url=channel.endpoint_url,
            use_ssl=channel.is_secure is not False,
            config=limits.merge(config) if config else limits,
        )
        return prepare_faster(client)

    def _on_messages_ready(self, queue: str, name: str, messages: Any) -> int:
        global _polls  # noqa: PLW0603 - of the process, as its event loop is
        _polls += isinstance(messages, dict)
        # Of a lost connection or a 5xx kombu 5.7 makes an empty list, "to prevent hanging the worker", and here asks
        # that list for its "Messages": the worker ends, and what it was doing comes back only when its time is over.
        found: int = super()._on_messages_ready(queue, name, messages or {})  # type: ignore[misc]  # not in the stubs
        return found

    def basic_reject(self, delivery_tag: str, requeue: bool = False) -> None:
        try:
            super().basic_reject(delivery_tag, requeue=requeue)
        except BaseException as error:
            # kombu 5.7 gives a slot back where SQS does not hear of an end, but not where it does not hear of a return.
            virtual.QoS.ack(self.qos, delivery_tag)
            if not isinstance(error, ClientError):
                raise
            # Of a message that is not this worker's any more, SQS refuses the return, and Celery 5.7 takes that for
            # the end of the worker. It comes back by itself, or has.
            log.warning("message could not be returned", extra={"error": error.response["Error"]["Code"]})


class Transport(SQS.Transport):
    Channel = Channel
