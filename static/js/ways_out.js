// Ways out of a review: their forms come into a dialog beside the desk, and are pages of their own without this.

const dialog = document.querySelector("#way-out");

async function open(link) {
  const url = new URL(link.href);
  const field = document.querySelector("#desk .exception.active")?.dataset.field;
  if (link.dataset.wayOut === "ask" && field) url.searchParams.set("field", field);
  const answer = await fetch(url, { headers: { "HX-Request": "true" } }).catch(() => null);
  if (!answer?.ok) return location.assign(link.href); // the page says why
  dialog.innerHTML = await answer.text();
  dialog.showModal();
  // As after a swap: its times are the reader's, its keys the person's own, and the first field has the focus.
  dialog.dispatchEvent(new CustomEvent("htmx:afterSettle", { bubbles: true, detail: { elt: dialog } }));
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-way-out]");
  if (dialog && link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault();
    open(link);
  } else if (dialog?.open && (event.target === dialog || event.target.closest("[data-way-out-close]"))) {
    event.preventDefault();
    dialog.close();
  }
});

// Who types a time means it.
document.addEventListener("input", (event) => {
  if (event.target.id !== "id_at") return;
  const chosen = event.target.form.querySelector("[name='back'][value='at']");
  if (chosen) chosen.checked = true;
});
