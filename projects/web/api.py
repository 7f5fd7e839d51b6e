"""Shared parts of the API: authentication, errors, ETags. ``review.api`` assembles the routers."""

import functools
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from ninja import Field, NinjaAPI, Schema
from ninja.errors import HttpError, ValidationError
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation
from ninja.security.http import HttpAuthBase
from pydantic import ConfigDict

from config import logs
from config.errors import CountersignError, KeyRefused, NotAllowed, Outdated, Refused, quote_names
from projects.personal import gate
from projects.sites import access
from projects.sites.api_keys import Program, verify_api_key
from projects.sites.rate_limit import Rate, check_rate
from projects.web.http import PROBLEM, DeskRequest, problem_response, status_of

T = TypeVar("T")
_NO_KEY = "API key missing. Send it as Authorization: Bearer cs_…. An admin creates API keys under Settings."
_ABOUT = (
    "Every request acts on the site that the API key belongs to. Lists are paginated: pass a page's `next` as "
    "`after` to get the following page. Errors are returned as problem details (RFC 9457); `detail` says what to "
    "do, `errors` which entry of the request it is about. `RateLimit-Limit`, `RateLimit-Remaining` and "
    "`RateLimit-Reset` (seconds) come with each answer; 429 has `Retry-After`. An answer with an `ETag` can be changed "
    "with `If-Match`: 412 if someone changed it meanwhile."
)


_FIX = "Change this entry as the problem says, or leave it out if it is optional."
# By the kinds of pydantic's errors; the names in braces are of their context.
_FIXES: Mapping[str, str] = {
    "missing": "Add this entry.",
    "extra_forbidden": "Remove this entry, or correct its name.",
    "string_too_long": "Send at most {max_length} characters.",
    "string_too_short": "Send at least {min_length} characters.",
    "too_long": "Send at most {max_length} entries.",
    "too_short": "Send at least {min_length} entries.",
    "greater_than_equal": "Send {ge} or more.",
    "less_than_equal": "Send {le} or less.",
    "literal_error": "Send one of {expected}.",
    "enum": "Send one of {expected}.",
    "int_parsing": "Send a whole number.",
    "string_type": "Send a text.",
    "json_invalid": "Send valid JSON in UTF-8.",
}


_make_answer: Any = Operation._create_response_model


@functools.cache
def _make_answer_once(shape: type[Any]) -> Any:
    return _make_answer(None, shape)


def _remember_answers(_operation: Operation, shape: Any) -> Any:
    """Replace ninja's, which makes a model for each status of each operation: most of them of the same problem."""
    return _make_answer_once(shape) if isinstance(shape, type) else _make_answer(_operation, shape)


Operation._create_response_model = _remember_answers  # type: ignore[method-assign,assignment]


class ApiRequest(DeskRequest):
    """A request with an API key, which determines site and permissions."""

    auth: Program
    rate: Rate


class KeyAuth(HttpAuthBase):
    """``Authorization: Bearer <key>``; refused keys are not logged."""

    openapi_scheme = "bearer"

    def __call__(self, request: HttpRequest) -> Program:
        """Raises: KeyRefused; TooManyTries; NotAllowed, of what shows personal values as they are."""
        scheme, _, key = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            raise KeyRefused(_NO_KEY)
        program = verify_api_key(key.strip())
        logs.set_site(program.site)
        request.site = program.site  # type: ignore[assignment]  # as in DeskRequest
        request.permissions = program.permissions  # type: ignore[attr-defined]  # read by access.permissions_of
        request.rate = program.rate  # type: ignore[attr-defined]  # read by ProblemMiddleware
        check_rate(program.rate)
        request.user = AnonymousUser()  # a cookie that came along is no one here
        if program.person_id:
            _act_as(request, program)
        gate.check_address(request)
        return program


def _act_as(request: HttpRequest, program: Program) -> None:
    """Limit a personal token to the person's current permissions. Raises: KeyRefused."""
    user = access.RoleBackend().get_user(program.person_id)
    if user is None:
        raise KeyRefused("This token's account is deactivated. Ask an admin to activate it.")
    request.user = user
    request.permissions = program.permissions & access.permissions_on(request, program.site)  # type: ignore[attr-defined]


def check_is_person(request: ApiRequest) -> None:
    """Required for actions of people only. Raises: NotAllowed."""
    if not request.auth.person_id:
        raise NotAllowed(
            "Only people decide reviews. Use a token of your own: create it under API tokens in your menu."
        )


class Body(Schema):
    """A request body. Undeclared entries are rejected, so that a typo in an optional name does not go unnoticed."""

    model_config = ConfigDict(extra="forbid")


def with_example(**values: Any) -> ConfigDict:
    """The ``model_config`` of a body with an example, which the page of the API fills in and a test sends."""
    return ConfigDict(json_schema_extra={"examples": [values]})


class Wrong(Schema):
    """``where``: path of the invalid value as it was sent, ``body`` for all of it; ``fix``: what to send instead.

    Submitted values are never repeated.
    """

    where: str
    problem: str
    fix: str


class Problem(Schema):
    """An error: ``detail`` says what happened and what to do; ``status`` and ``title`` are HTTP's.

    ``errors``: each invalid value of the request.
    """

    type: str
    title: str
    status: int
    detail: str
    errors: list[Wrong] = Field(default_factory=list)


FAILURES = {400: Problem, 401: Problem, 403: Problem, 404: Problem, 422: Problem, 429: Problem, 503: Problem}
REFUSALS: Any = {409: Problem, **FAILURES}  # where someone else may be first, or the state refuses it
OUTDATED: Any = {412: Problem, **REFUSALS}  # of a change that may be sent with If-Match


def etag_of(*state: object) -> str:
    """Return the ETag of a state; equal states have equal tags.

    >>> etag_of("d", 3) == etag_of("d", 3) != etag_of("d", 4)
    True
    """
    digest = hashlib.sha256(json.dumps(state, default=str).encode()).hexdigest()
    return f'"{digest[:20]}"'


def read_if_match(request: HttpRequest, etag: str, version: int) -> int | None:
    """Return the version in ``If-Match``, for the write's condition; None without the header.

    ``etag``, ``version``: of the state as it was read just now.

    Raises:
        Outdated: the program has seen another state.

    """
    sent = request.headers.get("If-Match")
    if sent is None or sent.strip() == "*":
        return None
    if etag not in [one.strip() for one in sent.split(",")]:
        raise Outdated("This has changed since you read it. Nothing was saved; get it again and repeat the change.")
    return version


def with_etag(request: HttpRequest, shape: T, etag: str) -> T:
    """Respond with ``shape`` and its ETag."""
    request.etag = etag  # type: ignore[attr-defined]  # read by ProblemMiddleware
    return shape


CSV = "text/csv"
# Beside ``200: Any``: an answer that is no JSON.
CSV_ANSWER: dict[str, Any] = {"responses": {200: {"content": {CSV: {"schema": {"type": "string"}}}}}}
IF_MATCH: Mapping[str, Any] = {
    "name": "If-Match",
    "in": "header",
    "required": False,
    "schema": {"type": "string"},
    "description": "ETag of the state that the change is based on; 412 if it has changed since.",
}


class DeskApi(NinjaAPI):
    """Describes errors with the problem content type; ninja supports one type for all responses.

    The description is built once per process: it takes more than a second and is public.
    """

    @functools.cached_property
    def _descriptions(self) -> dict[str, OpenAPISchema]:
        return {}

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        prefix = self.get_root_path(path_params or {}) if path_prefix is None else path_prefix
        if prefix not in self._descriptions:
            self._descriptions[prefix] = self._describe(prefix)
        return self._descriptions[prefix]

    def _describe(self, prefix: str) -> OpenAPISchema:
        schema = super().get_openapi_schema(path_prefix=prefix)
        for operations in schema["paths"].values():
            for operation in operations.values():
                for status, answer in operation["responses"].items():
                    if int(status) >= 400:
                        answer["content"] = {PROBLEM: answer["content"]["application/json"]}
        return schema


KEY_LENGTH = 255  # characters of an Idempotency-Key


def idempotency_key(request: ApiRequest) -> str | None:
    """Return the Idempotency-Key; None without the header. Raises: Refused if it is empty or too long."""
    key = request.headers.get("Idempotency-Key")
    if key is not None and not key.strip():
        raise Refused("The Idempotency-Key header is empty. Nothing was stored. Send a key or omit the header.")
    if key is not None and len(key) > KEY_LENGTH:
        raise Refused(f"The Idempotency-Key is too long. Use at most {KEY_LENGTH} characters.")
    return key


def refuse_unknown_query(view: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse undeclared query parameters with 422; ninja ignores them."""

    @functools.wraps(view)
    def checked(request: ApiRequest, **values: Any) -> Any:
        path = request.resolver_match.kwargs if request.resolver_match else {}
        known = [name for name, value in values.items() if name not in path and not isinstance(value, Schema)]
        if unknown := sorted(set(request.GET) - set(known)):
            most = f"Supported: {', '.join(known)}." if known else "This endpoint supports none."
            raise Refused(f"Unknown query parameters: {quote_names(unknown)}. {most}")
        return view(request, **values)

    return checked


def new_api() -> NinjaAPI:
    """Build the API without routers; its description is public, as it contains nothing about sites."""
    api = DeskApi(
        title="Countersign", version="1", description=_ABOUT, auth=KeyAuth(), urls_namespace="api", docs_url=None
    )
    api.add_decorator(refuse_unknown_query, mode="operation")
    api.add_exception_handler(CountersignError, _domain_error)
    api.add_exception_handler(ValidationError, _not_valid)
    api.add_exception_handler(HttpError, _http_error)
    api.add_exception_handler(Http404, lambda *_: problem_response(404, "Not found. Check the URL."))
    return api


def _domain_error(_request: HttpRequest, error: Any) -> HttpResponse:
    status = status_of(error)
    if status is None:
        raise error
    field = error.field if isinstance(error, Refused) else ""
    more = {"errors": [{"where": field, "problem": str(error), "fix": _FIX}]} if field else {}
    return problem_response(status, str(error), **more)


def _http_error(_request: HttpRequest, error: Any) -> HttpResponse:
    """Handle ninja's error for a body that is not JSON."""
    return problem_response(
        error.status_code, "The request body is not valid JSON. Send UTF-8 JSON that matches the schema."
    )


def _not_valid(_request: HttpRequest, error: Any) -> HttpResponse:
    """Describe validation errors without quoting values, which may be personal."""
    wrong = [
        {"where": _name_place(one["loc"]), "problem": one["msg"], "fix": _describe_fix(one)} for one in error.errors
    ]
    detail = "The request is invalid and nothing was changed. See errors for each invalid value."
    if unknown := [str(one["loc"][-1]) for one in error.errors if one["type"] == "extra_forbidden"]:
        detail = f"Unknown entries: {quote_names(unknown)}. {detail}"
    return problem_response(422, detail, errors=wrong)


def _name_place(place: Sequence[str | int]) -> str:
    """Return the path of an entry as it was sent: without its source, and of a body without our argument's name."""
    source, *path = place
    sent = path[1:] if source == "body" else path
    return ".".join(map(str, sent)) or str(source)


def _describe_fix(error: Mapping[str, Any]) -> str:
    return _FIXES.get(str(error["type"]), _FIX).format(**error.get("ctx") or {})
