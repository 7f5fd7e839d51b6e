"""Pages of prompts: the list, one with its versions, import and export."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import Conflict, NotFound, Refused
from config.phrase import Phrase, Sentence, begin_sentence, join_phrases
from projects.audit.events import actor_of
from projects.documents.queries import get_documents
from projects.prompts import actions as prompt_actions
from projects.prompts import queries as prompt_queries
from projects.prompts.actions import ImportedPrompt, ProductionMove, SavedVersion
from projects.prompts.comparison import Piece, compare_words
from projects.prompts.forms import CandidateForm, DeclineForm, ImportForm, LabelForm, PromptForm, read_base_version
from projects.prompts.items import PromptHead, PromptUse, PromptVersion, describe_version
from projects.prompts.prompt import BY_TYPE, GENERAL, PURPOSES, Prompt, make_slug
from projects.prompts.prompt_file import FiledPrompt, read_prompts, write_prompts
from projects.prompts.queries import PromptRef
from projects.queues import visibility
from projects.schemas import queries as schema_queries
from projects.settings import queries as project_queries
from projects.settings.items import Project
from projects.settings.provider_choice import desk_default
from projects.settings.values import BY_MODEL
from projects.sites import access, directory
from projects.sites.directory import Place
from projects.sites.permissions import Permission
from projects.web.http import DeskRequest, page_links, read_number, redirect_after_post, render_answer

_TAGS = {"added": "ins", "removed": "del"}
# These forms stand on one page and have a reason each.
_IDS: dict[type[Form], str] = {
    LabelForm: "id_production_%s",
    CandidateForm: "id_candidate_%s",
    DeclineForm: "id_decline_%s",
}
_DONE = {
    ProductionMove.MOVED: Phrase("%(version)s is in production. Runs that start from now on use it."),
    ProductionMove.PROPOSED: Phrase(
        "%(version)s is proposed. Another person has to confirm it before anything changes."
    ),
    ProductionMove.UNCHANGED: Phrase("%(version)s is in production already."),
}
_EDIT = ("projects/prompts/edit.html", "projects/prompts/_form.html")


@require_safe
def list_prompts(request: DeskRequest, project_id: str) -> HttpResponse:
    project = access.project_with_prompts(request, project_id)
    types = schema_queries.all_classifications(request.site)
    names = {one.id: one.name for one in types}
    rows = [
        (PURPOSES[ref.purpose], head, ref.slug, names.get(ref.type_id, ref.type_id))
        for ref, head in prompt_queries.list_prompts(request.site, project.id)
    ]
    context = {
        "project": project,
        "prompts": rows,
        "types": [one for one in types if not one.archived],
        "by_type": [PURPOSES[name] for name in BY_TYPE],
    }
    return render_answer(request, "projects/prompts/list.html", None, context)


@require_safe
def choose_type(request: DeskRequest, project_id: str) -> HttpResponse:
    """``?purpose=&type=``: on to the editor of the prompt for documents of that type."""
    project = access.project_to_configure(request, project_id)
    slug = make_slug(request.GET.get("purpose", ""), request.GET.get("type", ""))
    ref = _ref(request, project, slug)
    return HttpResponseRedirect(reverse("prompts:edit-prompt", args=[project.id, ref.slug]))


@require_http_methods(["GET", "POST"])
def edit_prompt(request: DeskRequest, project_id: str, purpose: str) -> HttpResponse:
    """``?version=``: the one that the editor begins with, otherwise the newest."""
    project = access.project_to_configure(request, project_id)
    ref = _ref(request, project, purpose)
    head = prompt_queries.get_head(ref)
    if request.method == "GET":
        wanted = read_number(request.GET.get("version"))
        start = prompt_queries.get_version(ref, wanted) if wanted else prompt_queries.find_newest(ref)
        form = PromptForm(PURPOSES[ref.purpose], initial=_initial(start, head))
        return _editor(request, project, ref, head, form)
    form = PromptForm(PURPOSES[ref.purpose], request.POST)
    if not form.is_valid():
        return _editor(request, project, ref, head, form, status=422)
    try:
        saved = prompt_actions.save_version(
            ref,
            form.prompt(),
            based_on=read_base_version(request.POST),
            note=form.cleaned_data["note"],
            by=actor_of(request.user),
        )
    except (Conflict, Refused) as error:
        form.add_error(None, str(error))
        return _editor(request, project, ref, head, form, status=409)
    done = (
        gettext("Saved as version %(version)s.")
        if saved.is_new
        else gettext("Version %(version)s already has this text.")
    )
    done %= {"version": saved.version}
    if meanwhile := _describe_meanwhile(saved):
        messages.warning(request, f"{done} {meanwhile}")
    else:
        messages.success(
            request, gettext("%(done)s Put it into production to use it.") % {"done": done} if saved.is_new else done
        )
    return redirect_after_post(request, reverse("prompts:show-version", args=[project.id, ref.slug, saved.version]))


def _describe_meanwhile(saved: SavedVersion) -> str:
    """Describe what was saved since the version that the editor started from; empty if nothing."""
    told = []
    if some := saved.since:
        said = ngettext(
            "Others saved version %(versions)s while you edited.",
            "Others saved versions %(versions)s while you edited.",
            len(some),
        )
        told.append(said % {"versions": ", ".join(map(str, some))})
    if some := saved.own:
        said = ngettext(
            "You saved version %(versions)s while you edited.",
            "You saved versions %(versions)s while you edited.",
            len(some),
        )
        told.append(said % {"versions": ", ".join(map(str, some))})
    return " ".join(told)


@require_POST
def check_prompt(request: DeskRequest, project_id: str, purpose: str) -> HttpResponse:
    """Show the problems of the text while it is typed."""
    project = access.project_to_configure(request, project_id)
    form = PromptForm(PURPOSES[_ref(request, project, purpose).purpose], request.POST)
    form.is_valid()
    return render_answer(request, "projects/prompts/_problems.html", None, {"project": project, "form": form})


@require_safe
def show_version(request: DeskRequest, project_id: str, purpose: str, prompt_version: int) -> HttpResponse:
    """``?against=``: the version to compare with."""
    project = access.project_with_prompts(request, project_id)
    ref = _ref(request, project, purpose)
    head, shown = prompt_queries.get_head(ref), prompt_queries.get_version(ref, prompt_version)
    against = read_number(request.GET.get("against"))
    return _version_page(request, project, ref, head, shown, against=against)


@require_POST
def move_production(request: DeskRequest, project_id: str, purpose: str, prompt_version: int) -> HttpResponse:
    """Version 0: documents of a type use the general prompt again."""
    project = access.project_to_promote(request, project_id)
    ref = _ref(request, project, purpose)
    form = LabelForm(request.POST, auto_id=_IDS[LabelForm])
    if not form.is_valid():
        return _show_refusal(request, project, ref, prompt_version, form)
    typed = form.cleaned_data
    try:
        done = prompt_actions.move_production(
            ref, prompt_version, expected=typed["expected"], reason=typed["reason"], by=actor_of(request.user)
        )
    except Conflict as error:
        form.add_error(None, str(error))
        return _show_refusal(request, project, ref, prompt_version, form, status=409)
    return _say_done(request, project, ref, prompt_version, _describe_move(project, ref, done))


@require_POST
def confirm_production(request: DeskRequest, project_id: str, purpose: str) -> HttpResponse:
    project = access.project_to_promote(request, project_id)
    ref = _ref(request, project, purpose)
    proposal = request.POST.get("proposal", "")
    version = prompt_actions.confirm_production(ref, proposal, by=actor_of(request.user))
    return _say_done(request, project, ref, version, _describe_move(project, ref, ProductionMove.MOVED))


@require_POST
def decline_production(request: DeskRequest, project_id: str, purpose: str) -> HttpResponse:
    project = access.project_to_promote(request, project_id)
    ref = _ref(request, project, purpose)
    form = DeclineForm(request.POST, auto_id=_IDS[DeclineForm])
    if not form.is_valid():
        proposal = prompt_queries.get_head(ref).open_proposal
        return _show_refusal(request, project, ref, proposal.version if proposal else 0, form)
    typed = form.cleaned_data
    version = prompt_actions.decline_production(
        ref, typed["proposal"], reason=typed["reason"], by=actor_of(request.user)
    )
    return _say_done(request, project, ref, version, Phrase("%(version)s was declined. Production stays as it is."))


@require_POST
def set_candidate(request: DeskRequest, project_id: str, purpose: str, prompt_version: int) -> HttpResponse:
    project = access.project_to_configure(request, project_id)
    ref = _ref(request, project, purpose)
    form = CandidateForm(request.POST, auto_id=_IDS[CandidateForm])
    if not form.is_valid():
        return _show_refusal(request, project, ref, prompt_version, form)
    typed = form.cleaned_data
    try:
        prompt_actions.set_candidate(
            ref,
            prompt_version,
            expected=typed["expected"],
            percent=typed["percent"],
            reason=typed["reason"],
            by=actor_of(request.user),
            may_promote=access.can(request, Permission.PROMOTE),
        )
    except (Conflict, Refused) as error:
        form.add_error(None, str(error))
        return _show_refusal(request, project, ref, prompt_version, form, status=409)
    if typed["percent"]:
        messages.success(
            request,
            gettext("%(percent)s %% of the runs that start from now on use version %(prompt_version)s.")
            % {"percent": typed["percent"], "prompt_version": prompt_version},
        )
    else:
        messages.success(request, gettext("Trial ended. All runs use the version in production."))
    return redirect_after_post(request, reverse("prompts:show-version", args=[project.id, ref.slug, prompt_version]))


def _say_done(request: DeskRequest, project: Project, ref: PromptRef, version: int, sentence: Phrase) -> HttpResponse:
    """``sentence``: about the version. Of the general prompt, which has pages of its own, the list shows it."""
    messages.success(request, begin_sentence(sentence.fill(version=describe_version(version))).translated())
    if version:
        return redirect_after_post(request, reverse("prompts:show-version", args=[project.id, ref.slug, version]))
    return redirect_after_post(request, reverse("prompts:list-prompts", args=[project.id]))


def _ref(request: DeskRequest, project: Project, slug: str) -> PromptRef:
    """Raises: NotFound: no such purpose, or no such classification."""
    return prompt_queries.get_ref(request.site, project.id, slug)


def describe_ref(ref: PromptRef) -> dict[str, object]:
    """Raises: NotFound."""
    purpose = PURPOSES[ref.purpose]
    name = schema_queries.get_classification(ref.site, ref.type_id).name if ref.type_id else ""
    label = f"{purpose.label}: {name}" if name else purpose.label
    return {"purpose": purpose, "slug": ref.slug, "label": label, "type_name": name}


def _initial(start: PromptVersion, head: PromptHead) -> dict[str, str]:
    is_newest = int(start.version) == int(head.version) or not head.version
    note = "" if is_newest else gettext("Restores version %(version)s") % {"version": int(start.version)}
    return {"instructions": str(start.instructions), "message": str(start.message), "note": note}


def _editor(
    request: DeskRequest, project: Project, ref: PromptRef, head: PromptHead, form: PromptForm, *, status: int = 200
) -> HttpResponse:
    versions = prompt_queries.list_versions(ref, request.GET.get("after"))
    context = {
        "project": project,
        **describe_ref(ref),
        "head": head,
        "form": form,
        **_describe_proposal(request, head),
        "based_on": read_base_version(request.POST) or int(head.version),
        "versions": versions.rows,
        "is_unused": not _uses_model(project, ref.purpose),
        **page_links(request, versions.next, request.path),
    }
    return render_answer(request, *_EDIT, context, status=status)


def _uses_model(project: Project, purpose: str) -> bool:
    """Return whether runs of the project ask a model for this; built-in processing uses no prompt."""
    doer = "summarizer" if purpose == "summarize" else "analyzer"
    return (getattr(project.settings, doer) or desk_default(doer)) == BY_MODEL


def _describe_move(project: Project, ref: PromptRef, move: ProductionMove) -> Phrase:
    if move == ProductionMove.MOVED and not _uses_model(project, ref.purpose):
        return Phrase("%(version)s is in production. Runs use it once this project selects a language model.")
    return _DONE[move]


def _describe_proposal(request: DeskRequest, head: PromptHead) -> dict[str, object]:
    found = head.open_proposal
    return {"proposal": found, "is_proposer": found is not None and found.by_id == actor_of(request.user).id}


def mark_changes(before: str, after: str) -> SafeString:
    """The text with what was added and removed; white space counts, so no template indents it."""
    return format_html_join("", "{}", ((_mark_piece(one),) for one in compare_words(before, after)))


def _mark_piece(piece: Piece) -> SafeString | str:
    tag = _TAGS.get(piece.kind)
    return format_html(f"<{tag}>{{}}</{tag}>", piece.text) if tag else piece.text


def _form_or(form: Form | None, kind: type[Form], **initial: int) -> Form:
    """The form that was sent, if it is this one, with what was typed; a new one otherwise."""
    return form if type(form) is kind else kind(initial=initial, auto_id=_IDS[kind])


def _show_refusal(
    request: DeskRequest, project: Project, ref: PromptRef, version: int, form: Form, *, status: int = 422
) -> HttpResponse:
    """``version``: what was to be moved; 0 has no page, the one in production stands for it."""
    head = prompt_queries.get_head(ref)
    shown = prompt_queries.get_version(ref, version or int(head.production or head.version))
    return _version_page(request, project, ref, head, shown, form=form, status=status)


def _name_documents(request: DeskRequest, uses: Sequence[PromptUse]) -> list[tuple[PromptUse, str]]:
    """With each document's name, empty if it is deleted; without what this person may not see. One BatchGetItem."""
    shown = visibility.filter_rows(request, uses, lambda one: one.document_id)
    ids = sorted({one.document_id for one in shown})
    names = {one.document_id: str(one.name) for one in get_documents(request.site, ids)}
    return [(one, names.get(one.document_id, "")) for one in shown]


def _version_page(
    request: DeskRequest,
    project: Project,
    ref: PromptRef,
    head: PromptHead,
    shown: PromptVersion,
    *,
    against: int = 0,
    form: Form | None = None,
    status: int = 200,
) -> HttpResponse:
    number = int(shown.version)
    other = None
    if against or number > 1:
        try:
            other = prompt_queries.get_version(ref, against or number - 1)
        except NotFound:
            if against:
                raise
    site = directory.get_site(request.site)
    needs_second = site is not None and bool(site.second_person)
    uses = prompt_queries.list_uses(ref, number, request.GET.get("after"))
    context = {
        "project": project,
        **describe_ref(ref),
        "head": head,
        "version": shown,
        "number": number,
        "other": other,
        "parts": [
            (label, mark_changes(getattr(other or shown, part), getattr(shown, part)))
            for label, part in ((Phrase("Instructions"), "instructions"), (Phrase("Message"), "message"))
        ],
        "is_unused": not _uses_model(project, ref.purpose),
        "is_production": int(head.production) == number,
        "is_candidate": int(head.candidate) == number,
        "form": form,
        **_describe_proposal(request, head),
        "needs_second": needs_second,
        "can_move": not (needs_second and head.open_proposal) and access.can(request, Permission.PROMOTE),
        "decline_form": _form_or(form, DeclineForm),
        "production_form": _form_or(form, LabelForm),
        "candidate_form": _form_or(form, CandidateForm, percent=round(float(head.share or 0) * 100) or 10),
        "uses": _name_documents(request, uses.rows),
        **page_links(request, uses.next, request.path),
    }
    return render_answer(request, "projects/prompts/version.html", None, context, status=status)


_IMPORT = "projects/prompts/import.html"


@dataclass(frozen=True)
class Difference:
    """A prompt of a file beside the project's newest version; no ``parts`` if the texts are the same."""

    slug: str
    label: str
    newest: int
    note: str
    parts: Sequence[tuple[str, SafeString]]


@require_safe
def export_prompts(request: DeskRequest, project_id: str) -> HttpResponse:
    """What is in production for each purpose."""
    project = access.project_with_prompts(request, project_id)
    return _send_file(_list_filed(request.site, project.id), f"prompts-{project.id}.yaml")


@require_safe
def export_version(request: DeskRequest, project_id: str, purpose: str, prompt_version: int) -> HttpResponse:
    project = access.project_with_prompts(request, project_id)
    ref = prompt_queries.find_ref(request.site, project.id, purpose)
    found = prompt_queries.get_version(ref, prompt_version)
    filed = _file_prompt(ref, found, _name_types(request.site))
    return _send_file([filed], f"prompt-{ref.purpose}-{prompt_version}.yaml")


@require_http_methods(["GET", "POST"])
def import_prompts(request: DeskRequest, project_id: str) -> HttpResponse:
    """A file is shown beside what the project has before it is saved."""
    project = access.project_to_configure(request, project_id)
    if request.method == "GET":
        return render_answer(request, _IMPORT, None, {"project": project, "form": ImportForm()})
    form = ImportForm(request.POST, request.FILES)
    try:
        text = form.read_text()
        filed = _resolve(request.site, project.id, read_prompts(text))
        if request.POST.get("order") != "save":
            return _show_preview(request, project, text, filed)
        seen = {ref.slug: read_number(request.POST.get(f"seen-{ref.slug}")) for ref, _ in filed}
        done = prompt_actions.import_prompts(filed, based_on=seen, by=actor_of(request.user))
    except (Refused, Conflict) as error:
        status = 409 if isinstance(error, Conflict) else 422
        context = {"project": project, "form": form, "problem": str(error)}
        return render_answer(request, _IMPORT, None, context, status=status)
    _say_result(request, done)
    return redirect_after_post(request, reverse("prompts:list-prompts", args=[project.id]))


@require_http_methods(["GET", "POST"])
def copy_prompts(request: DeskRequest, project_id: str) -> HttpResponse:
    """``?site=``: whose projects are offered. What is copied is shown first, as an import is."""
    project = access.project_to_configure(request, project_id)
    places = _list_sources(request)
    site = (request.POST if request.method == "POST" else request.GET).get("site") or request.site
    if site not in {one.site_id for one in places}:
        raise NotFound(gettext("There is no such site among those that you configure."))
    if request.method == "POST":
        source = project_queries.get_project(site, request.POST.get("source", ""))
        note = Sentence("Copied from %(name)s").fill(name=source.settings.name)[:200]
        filed = [replace(one, note=note) for one in _list_filed(site, source.id)]
        return _show_preview(request, project, write_prompts(filed), _resolve(request.site, project.id, filed))
    rows, following = project_queries.list_projects(site, limit=project_queries.MOST)
    context = {
        "project": project,
        "places": places,
        "from_site": site,
        "sources": [one for one in rows if (site, one.project_id) != (request.site, project.id)],
        "has_more": following is not None,
    }
    return render_answer(request, "projects/prompts/copy.html", None, context)


def _list_sources(request: DeskRequest) -> list[Place]:
    """The sites whose prompts the person may read, the one they are on first."""
    places = [
        one for one in access.places_of(request) if Permission.ADMIN in access.permissions_on(request, one.site_id)
    ]
    return sorted(places, key=lambda one: one.site_id != request.site)


def _list_filed(site: str, project_id: str) -> list[FiledPrompt]:
    found = prompt_queries.list_in_production(site, project_id)
    names = _name_types(site)
    return [_file_prompt(ref, one, names) for ref, one in found]


def _name_types(site: str) -> dict[str, str]:
    return {one.id: str(one.name) for one in schema_queries.all_classifications(site)}


def _file_prompt(ref: PromptRef, one: PromptVersion, names: Mapping[str, str]) -> FiledPrompt:
    name = "" if ref.scope == GENERAL else names.get(ref.scope, ref.scope)
    return FiledPrompt(one.prompt(ref.purpose), one.note or "", name)


def _resolve(site: str, project_id: str, filed: Sequence[FiledPrompt]) -> list[tuple[PromptRef, FiledPrompt]]:
    """Each with the prompt of this project that it is about. Raises: Refused: a document type is not on this site."""
    ids = {name: type_id for type_id, name in _name_types(site).items()}
    found = []
    for one in filed:
        if one.document_type and one.document_type not in ids:
            raise Refused(
                gettext("This site has no document type “%(document_type)s”. Create it, or remove the prompt.")
                % {"document_type": one.document_type[:80]}
            )
        scope = ids[one.document_type] if one.document_type else GENERAL
        found.append((PromptRef(site, project_id, one.prompt.purpose, scope), one))
    return found


def _send_file(filed: Sequence[FiledPrompt], name: str) -> HttpResponse:
    response = HttpResponse(write_prompts(filed), content_type="application/yaml; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "private, no-store"
    return response


def _show_preview(
    request: DeskRequest, project: Project, text: str, filed: Sequence[tuple[PromptRef, FiledPrompt]]
) -> HttpResponse:
    found = [_compare(ref, one) for ref, one in filed]
    context = {
        "project": project,
        "text": text,
        "changed": [one for one in found if one.parts],
        "same": [one for one in found if not one.parts],
    }
    return render_answer(request, "projects/prompts/preview.html", None, context)


def _compare(ref: PromptRef, one: FiledPrompt) -> Difference:
    newest = int(prompt_queries.get_head(ref).version)
    now = prompt_queries.get_version(ref, newest) if newest else None
    before = now.prompt(ref.purpose) if now else Prompt(ref.purpose, "", "")
    parts: list[tuple[str, SafeString]] = []
    if before.sha256 != one.prompt.sha256:
        parts = [
            (Phrase("Instructions"), mark_changes(before.instructions, one.prompt.instructions)),
            (Phrase("Message"), mark_changes(before.message, one.prompt.message)),
        ]
    label = PURPOSES[ref.purpose].label
    return Difference(
        ref.slug, f"{label}: {one.document_type}" if one.document_type else label, newest, one.note, parts
    )


def _say_result(request: DeskRequest, done: Sequence[ImportedPrompt]) -> None:
    saved_as, of = Phrase("%(prompt)s as version %(version)s"), Phrase("version %(versions)s of %(prompt)s")
    new = [
        saved_as.fill(prompt=PURPOSES[one.ref.purpose].label, version=one.saved.version)
        for one in done
        if one.saved.is_new
    ]
    said = gettext("Nothing was imported.")
    if new:
        said = gettext("Imported: %(prompts)s. Put them into production to use them.") % {
            "prompts": join_phrases(new).translated()
        }
    if same := [PURPOSES[one.ref.purpose].label for one in done if not one.saved.is_new]:
        there = gettext("Already there: %(prompts)s.") % {"prompts": join_phrases(same).translated()}
        said = f"{said} {there}"
    others = [
        of.fill(prompt=PURPOSES[one.ref.purpose].label, versions=", ".join(map(str, one.saved.since)))
        for one in done
        if one.saved.since
    ]
    if others:
        since = gettext("Others saved %(prompts)s since the preview.") % {"prompts": join_phrases(others).translated()}
        messages.warning(request, f"{said} {since}")
    else:
        messages.success(request, said)
