"""Pages of a site's models: catalogue, one model, its last test."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import Conflict, Refused
from config.phrase import Phrase, Sentence
from projects.audit.events import actor_of
from projects.models import actions as model_actions
from projects.models import ocr_forms
from projects.models import queries as model_queries
from projects.models.cost_words import describe_cost
from projects.models.forms import NEW_MODEL, ModelForm, initial_of
from projects.models.items import ASKED, FAILED, RUNNING, WORKED, ModelTest
from projects.models.ocr_forms import OcrForm
from projects.models.ocr_words import describe_ocr
from projects.models.queries import Entry, Spec
from projects.models.setup import SetupProblem, find_setup_problem
from projects.models.spec import EMBEDDED, MODEL_PROVIDERS, ON_THIS_MACHINE, ModelSpec, OcrSpec, format_price
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer, version_in

_LOST = Sentence(
    "No answer after %(seconds)s minutes: its worker was lost, or the model is too slow. Test it again, or lower "
    "its seconds."
).fill(seconds=model_queries.TEST_TIME.seconds // 60)
_ABILITIES = (("images", Phrase("Images")), ("json_schema", "JSON schema"), ("tools", Phrase("Tools")))


@dataclass(frozen=True)
class TestResult:
    """``outdated``: the model was changed since."""

    row: ModelTest
    outdated: bool
    free: bool

    @property
    def is_under_way(self) -> bool:
        return self.row.status in {ASKED, RUNNING} and not model_queries.is_lost(self.row)

    @property
    def worked(self) -> bool:
        return bool(self.row.status == WORKED)

    @property
    def failed(self) -> bool:
        return bool(self.row.status == FAILED) or model_queries.is_lost(self.row)

    @property
    def message(self) -> str:
        return _LOST if model_queries.is_lost(self.row) else str(self.row.message or "")

    @property
    def at(self) -> str:
        return str(self.row.ended_at or self.row.asked_at)

    @property
    def seconds(self) -> float:
        return float(self.row.ms or 0) / 1000

    @property
    def cost(self) -> str:
        micros = 0 if self.free else self.row.micros
        return describe_cost(None if micros is None else int(micros))


@dataclass(frozen=True)
class ModelRow:
    """``about``: lines below its name. ``problem``: None if it can be asked here."""

    entry: Entry[ModelSpec]
    about: tuple[str, ...]
    abilities: tuple[str, ...]
    takeover: str
    problem: SetupProblem | None
    result: TestResult | None

    @property
    def price_in(self) -> str:
        return format_price(self.entry.spec.price_in)

    @property
    def price_out(self) -> str:
        return format_price(self.entry.spec.price_out)


@require_safe
def list_models(request: DeskRequest) -> HttpResponse:
    access.check_can_configure(request)
    catalogue = model_queries.list_entries(request.site)
    names = {entry.spec.id: entry.spec.name for entry in catalogue.language}
    context = {
        "rows": [_row(entry, names) for entry in catalogue.language],
        "ocr_rows": [_ocr_row(entry) for entry in catalogue.ocr],
    }
    return render_answer(request, "projects/models/list.html", None, context)


def _row(entry: Entry[ModelSpec], names: dict[str, str]) -> ModelRow:
    spec = entry.spec
    return ModelRow(
        entry,
        tuple(_describe(entry)),
        tuple(label for name, label in _ABILITIES if getattr(spec, name)),
        names.get(spec.takeover, spec.takeover),
        find_setup_problem(spec),
        _result_of(spec, entry.test),
    )


def _describe(entry: Entry[ModelSpec]) -> Iterator[str]:
    spec = entry.spec
    name = " ".join(filter(None, (MODEL_PROVIDERS.get(spec.provider, spec.provider), spec.endpoint)))
    yield Phrase("%(name)s (built-in)").fill(name=name) if entry.is_builtin else name
    yield spec.model
    if spec.provider == EMBEDDED:
        yield Phrase("For trying out the workbench; its answers are poor")


@dataclass(frozen=True)
class OcrRow:
    """``parameters``: what differs from how its engine reads otherwise, in words. The others as of ``ModelRow``."""

    entry: Entry[OcrSpec]
    about: tuple[str, ...]
    parameters: tuple[str, ...]
    problem: SetupProblem | None
    result: TestResult | None

    @property
    def is_local(self) -> bool:
        return self.entry.spec.provider in ON_THIS_MACHINE

    @property
    def price(self) -> str:
        return format_price(self.entry.spec.price_page) if self.entry.spec.price_page else ""


def _ocr_row(entry: Entry[OcrSpec]) -> OcrRow:
    spec = entry.spec
    about = () if entry.is_builtin else (spec.model,)
    return OcrRow(entry, about, tuple(describe_ocr(spec)), find_setup_problem(spec), _result_of(spec, entry.test))


def _result_of(spec: Spec, test: ModelTest | None) -> TestResult | None:
    free = spec.provider in {EMBEDDED, *ON_THIS_MACHINE}
    return TestResult(test, test.spec != spec.sha256, free) if test else None


@require_http_methods(["GET", "POST"])
def create_model(request: DeskRequest) -> HttpResponse:
    """``?copy=``: the model that the form begins with; an OCR model is always a copy, since its engine stays."""
    access.check_can_configure(request)
    copied = request.GET.get("copy") or request.POST.get("copy")
    start: Spec = model_queries.get_entry(request.site, copied).spec if copied else NEW_MODEL
    if request.method == "GET":
        return _page(request, _form(request, replace(start, id="", name=f"{start.name} (copy)" if copied else "")))
    form = _form(request, start, posted=True)
    if not form.is_valid():
        return _page(request, form, status=422)
    spec = form.spec()
    try:
        model_actions.create_model(request.site, spec, by=actor_of(request.user))
    except Conflict as error:
        form.add_error("id", str(error))
        return _page(request, form, status=409)
    except Refused as error:
        form.add_error(None, str(error))
        return _page(request, form, status=422)
    messages.success(
        request, gettext("%(name)s added. Test it, then select it in a project’s settings.") % {"name": spec.name}
    )
    return redirect_after_post(request, reverse("models:list-models"))


@require_http_methods(["GET", "POST"])
def edit_model(request: DeskRequest, model_id: str) -> HttpResponse:
    access.check_can_configure(request)
    entry = model_queries.get_entry(request.site, model_id)
    if entry.is_builtin:
        raise Refused(gettext("Built-in models cannot be changed. Copy this one and edit the copy."))
    if request.method == "GET":
        return _page(request, _form(request, entry.spec, stored=True), entry=entry)
    form = _form(request, entry.spec, stored=True, posted=True)
    if not form.is_valid():
        return _page(request, form, entry=entry, status=422)
    try:
        model_actions.update_model(
            request.site, form.spec(), version=version_in(request.POST), by=actor_of(request.user)
        )
    except Conflict as error:
        newer = model_queries.get_entry(request.site, model_id)
        return _page(request, form, entry=newer, clash=str(error), status=409)
    except Refused as error:
        form.add_error("takeover" if "takeover" in form.fields else None, str(error))
        return _page(request, form, entry=entry, status=422)
    messages.success(
        request,
        gettext("%(name)s saved. Runs already started keep its earlier settings.")
        % {"name": form.cleaned_data["name"]},
    )
    return redirect_after_post(request, reverse("models:list-models"))


def _form(request: DeskRequest, spec: Spec, *, stored: bool = False, posted: bool = False) -> ModelForm | OcrForm:
    """Return the form of its kind. ``stored``: edit ``spec``; otherwise start a new model from it."""
    data = request.POST if posted else None
    if isinstance(spec, OcrSpec):
        return OcrForm(spec, data, stored=spec if stored else None, initial=ocr_forms.initial_of(spec))
    others = model_queries.list_models(request.site)
    return ModelForm(others, data, stored=spec if stored else None, initial=initial_of(spec))


@require_POST
def remove_model(request: DeskRequest, model_id: str) -> HttpResponse:
    access.check_can_configure(request)
    try:
        model_actions.remove_model(request.site, model_id, version=version_in(request.POST), by=actor_of(request.user))
    except (Conflict, Refused) as error:
        messages.error(request, str(error))
        return redirect_after_post(request, reverse("models:edit-model", args=[model_id]))
    messages.success(request, gettext("Model removed. Runs that used it are unchanged."))
    return redirect_after_post(request, reverse("models:list-models"))


@require_http_methods(["GET", "POST"])
def test_model(request: DeskRequest, model_id: str) -> HttpResponse:
    """POST has a worker ask it a small question; GET is how that went, for the page to look again."""
    access.check_can_configure(request)
    spec = model_queries.get_entry(request.site, model_id).spec
    if request.method == "POST":
        model_actions.ask_test(request.site, spec, by=actor_of(request.user))
        if not request.htmx:
            return redirect_after_post(request, reverse("models:list-models"))
    result = _result_of(spec, model_queries.get_test(request.site, model_id))
    row = {"entry": {"spec": spec}, "result": result, "problem": find_setup_problem(spec)}
    return render_answer(request, "projects/models/_test.html", None, {"row": row})


def _page(
    request: DeskRequest,
    form: ModelForm | OcrForm,
    *,
    entry: Entry[Spec] | None = None,
    clash: str = "",
    status: int = 200,
) -> HttpResponse:
    copied = request.GET.get("copy") or request.POST.get("copy") or ""
    context = {"form": form, "entry": entry, "clash": clash, "copied": copied}
    return render_answer(request, "projects/models/edit.html", "projects/models/_form.html", context, status=status)
