// Why a field has no value: chosen from its list or by key, taken back by typing one. The list is sent and drafted.

const choice = (field) => field.querySelector("[data-answer]");
const named = (field, detail) => field.dispatchEvent(new CustomEvent("answered", { bubbles: true, detail }));

function set(field, word) {
  const list = choice(field);
  if (!list || list.value === word) return;
  list.value = word;
  list.dispatchEvent(new Event("input", { bubbles: true })); // for the draft
}

document.body.addEventListener("answer", (event) => {
  const list = choice(event.target);
  if (!list) return;
  set(event.target, list.value === event.detail.word ? "" : event.detail.word);
  named(event.target, { next: Boolean(list.value) });
});
document.addEventListener("change", (event) => {
  const field = event.target.closest?.("#desk [data-field]");
  if (field && event.target === choice(field)) named(field, { next: false });
});
// Before review.js counts: a value that is typed, pasted or taken from the candidates is the answer.
document.addEventListener("input", (event) => {
  const field = event.target.closest?.("#desk [data-field]");
  if (field && event.target.name?.startsWith("field-") && !event.target.matches("[data-why]")) set(field, "");
}, true);
