"""Faster signing and endpoint lookup for AWS requests: what botocore recomputes for each call is cached.

botocore does everything else, including the HTTP transport (ADR 0064), and tests compare each request with botocore's
own. Because undocumented parts of botocore are used, ``pyproject.toml`` bounds its version.
"""

import functools
import hmac
from email.utils import parsedate_to_datetime
from hashlib import sha256
from typing import Any

from botocore import auth
from botocore.compat import get_current_datetime
from botocore.utils import parse_timestamp


def prepare_faster(client: Any) -> Any:
    """Make a botocore client sign with a signing key cached for the day, and cache its endpoints."""
    signer, resolver, agent = client._request_signer, client._ruleset_resolver, client._user_agent_creator
    agent.to_string = functools.cache(agent.to_string)  # twice for each call, letter by letter
    signer.get_auth_instance = functools.partial(_choose_auth, signer, signer.get_auth_instance)
    if client.meta.service_model.service_name in ("dynamodb", "s3", "sqs"):
        resolver.construct_endpoint = _remember_endpoints(resolver.construct_endpoint)
    return client


def parse_instant(value: Any) -> Any:
    """Parse S3's "Thu, 26 Nov 2026 03:29:36 GMT", which comes with each object; dateutil takes ten times as long."""
    if isinstance(value, str) and value.endswith(" GMT"):
        return parsedate_to_datetime(value)
    return parse_timestamp(value)


# --- addressing and signing ----------------------------------------------------

_ADDRESSED = "countersign-addressed"  # in a request's context


def _remember_endpoints(construct: Any) -> Any:
    """Cache endpoints by operation and S3 bucket: nothing else varies in what a client sends itself."""
    known: dict[tuple[str, Any], Any] = {}

    def construct_endpoint(operation_model: Any, call_args: Any, request_context: Any) -> Any:
        which = (operation_model.name, (call_args or {}).get("Bucket"))
        context = {} if request_context is None else request_context
        if "is_presign_request" in context:  # may be addressed to S3 of all regions
            return construct(operation_model, call_args, request_context)
        if "s3_redirect" in context:  # of each request to S3
            if _ADDRESSED in context:  # asked again: the bucket turned out to be elsewhere
                known.clear()
                return construct(operation_model, call_args, request_context)
            context[_ADDRESSED] = True
        found = known.get(which)
        if found is None:
            found = known[which] = construct(operation_model, call_args, request_context)
        return found

    return construct_endpoint


def _choose_auth(
    signer: Any, usual: Any, signing_name: str, region_name: str, signature_version: Any = None, **more: Any
) -> Any:
    kind = _AUTHS.get(signature_version)
    if kind is None or more or signer._credentials is None:
        return usual(signing_name, region_name, signature_version, **more)
    return kind(signer._credentials.get_frozen_credentials(), signing_name, region_name)


@functools.lru_cache(maxsize=32)
def _signing_key(secret: str, day: str, region: str, service: str) -> bytes:
    key = f"AWS4{secret}".encode()
    for part in (day, region, service, "aws4_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    return key


@functools.lru_cache(maxsize=64)
def _host(origin: str) -> str:
    return auth._host_from_url(origin)  # type: ignore[attr-defined,no-any-return]


class _DayKeyAuth(auth.SigV4Auth):
    """Signature Version 4 with the day's key cached and one pass over the headers; botocore makes five."""

    def add_auth(self, request: Any) -> None:
        at = get_current_datetime().strftime(auth.SIGV4_TIMESTAMP)
        request.context["timestamp"] = at
        self._modify_request_before_signing(request)  # type: ignore[attr-defined]
        headers = request.headers
        lines = {"host": _host("/".join(request.url.split("/", 3)[:3]))}
        names = [name.lower() for name in headers]
        if len(set(names)) < len(names):  # one header twice: botocore joins its values
            super().add_auth(request)
            return
        for name, value in zip(names, headers.values(), strict=True):
            if name not in auth.SIGNED_HEADERS_BLACKLIST:
                lines[name] = " ".join(value.split())
        signed = ";".join(sorted(lines))
        body_hash = headers["X-Amz-Content-SHA256"] or self.payload(request)
        asked = "\n".join((
            request.method.upper(),
            self._normalize_url_path(auth.urlsplit(request.url).path),  # type: ignore[attr-defined]
            self.canonical_query_string(request),
            *(f"{name}:{lines[name]}" for name in sorted(lines)),
            "",
            signed,
            body_hash,
        ))  # fmt: skip
        scope = self.credential_scope(request)
        text = "\n".join(("AWS4-HMAC-SHA256", at, scope, sha256(asked.encode()).hexdigest()))
        key = _signing_key(self.credentials.secret_key, at[:8], self._region_name, self._service_name)  # type: ignore[attr-defined]
        headers["Authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={self.credentials.access_key}/{scope}, SignedHeaders={signed}, "
            f"Signature={hmac.digest(key, text.encode(), 'sha256').hex()}"
        )

    def payload(self, request: Any) -> str:
        is_plain = request.data.__class__ is bytes and not self._is_streaming_checksum_payload(request)  # type: ignore[attr-defined]
        if is_plain and self._should_sha256_sign_payload(request):  # type: ignore[attr-defined]
            return sha256(request.data).hexdigest()  # ``request.body`` prepares the whole request first
        return super().payload(request)


class _DayKeyS3Auth(_DayKeyAuth, auth.S3SigV4Auth):
    """Signature Version 4 for S3, which sends the body's hash as a header."""


_AUTHS = {"v4": _DayKeyAuth, "s3v4": _DayKeyS3Auth}
