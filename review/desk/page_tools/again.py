"""Views for reading a page again with another OCR model; its values are offered beside the fields."""

import re

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods

from config.errors import NotFound
from config.phrase import Phrase
from projects.models.queries import list_entries
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer
from review.desk.page import MISSING, load_review, person_of, render_lost_page
from review.desk.page_tools.page_reading import MOST_READINGS, PageWish, find_reading
from review.desk.tasks import order_page_reading
from review.desk.viewer_state import viewer_state_of
from review.identity import ReviewRef
from review.items.reviews import Review

_NAME = re.compile(r"[0-9a-f]{32}")


class AgainForm(forms.Form):
    model = forms.ChoiceField(
        label=gettext_lazy("OCR model"),
        error_messages={
            "required": gettext_lazy("Select a model."),
            "invalid_choice": gettext_lazy("Select a model from the list."),
        },
        widget=forms.Select(attrs={"class": "select", "autofocus": True}),
        help_text=gettext_lazy(
            "The review keeps waiting and your draft stays. External services receive the page image."
        ),
    )


@require_http_methods(["GET", "POST"])
def read_again(request: DeskRequest, document_id: str, review_id: str, index: int) -> HttpResponse:
    """``index`` is 0-based. With the ``?name=`` of a requested reading: its state, to poll."""
    access.check_can_review(request)
    ref = ReviewRef(request.site, document_id, review_id)
    review = load_review(request, ref)
    if ref.is_handed_over:  # no run prepared its pages
        raise NotFound(MISSING)
    if not viewer_state_of(review, person_of(request)).mine:
        return render_lost_page(request, ref)
    if _NAME.fullmatch(name := request.GET.get("name", "")):
        return _tell(request, ref, review, index, name)
    form = AgainForm(request.POST if request.method == "POST" else None)
    models = [(one.spec.id, one.spec.name) for one in list_entries(request.site).ocr]
    form.fields["model"].choices = [("", Phrase("Select a model")), *models]  # type: ignore[attr-defined]
    if not form.is_valid():
        return _show(request, ref, review, index, form)
    if len(review.page_readings or ()) >= MOST_READINGS:
        form.add_error(
            None,
            gettext("Already read again %(most_readings)s times. Decide from the values shown.")
            % {"most_readings": MOST_READINGS},
        )
        return _show(request, ref, review, index, form)
    wish = PageWish(index, form.cleaned_data["model"])
    if not order_page_reading(ref, wish, by=person_of(request)):
        form.add_error(None, gettext("No worker is available. Try again in a moment."))
        return _show(request, ref, review, index, form)
    asked = urlencode({"page": str(index + 1), "reading": wish.name(review)})
    messages.success(request, gettext("Page %(value)s is being read again.") % {"value": index + 1})
    return redirect_after_post(request, f"{reverse('review:show-review', args=[document_id, review_id])}?{asked}")


def _show(request: DeskRequest, ref: ReviewRef, review: Review, index: int, form: AgainForm) -> HttpResponse:
    context = {"form": form, "review": review, "ref": ref, "index": index}
    status = 422 if form.is_bound else 200
    return render_answer(request, "review/desk/again.html", "review/desk/_again.html", context, status=status)


def _tell(request: DeskRequest, ref: ReviewRef, review: Review, index: int, name: str) -> HttpResponse:
    found = find_reading(ref, review, name) if name in (review.page_readings or ()) else None
    context = {"ref": ref, "index": index, "name": name, "found": found}
    return render_answer(request, "review/desk/_reading.html", None, context)
