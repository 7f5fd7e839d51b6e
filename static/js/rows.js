// Rows of a form are dragged by their grip to another place; the buttons beside it move them by keyboard and without this.

let dragged = null;
const rowOf = (element) => element?.closest?.("tr:has([data-grip])");
const placeOf = (row) => [...row.parentElement.children].indexOf(row);

function dress() {
  for (const grip of document.querySelectorAll("[data-grip]")) grip.hidden = false;
}

function clear() {
  for (const row of document.querySelectorAll("tr.drop-here, tr[draggable]")) {
    row.classList.remove("drop-here");
    row.removeAttribute("draggable");
  }
  dragged = null;
}

// Of a form within a form: Enter presses its own button and not the first of the page.
document.addEventListener("keydown", (event) => {
  const name = event.target.dataset?.pressOnEnter;
  if (!name || event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  document.getElementById(name).click();
});

// A row can be dragged only by its grip: elsewhere one selects text.
document.addEventListener("pointerdown", ({ target }) => {
  const grip = target.closest?.("[data-grip]");
  if (grip) rowOf(grip).draggable = true;
});
document.addEventListener("pointerup", clear);
document.addEventListener("dragstart", (event) => {
  dragged = event.target.matches?.("tr[draggable='true']") ? event.target : null;
  if (dragged) event.dataTransfer.effectAllowed = "move";
});
document.addEventListener("dragover", (event) => {
  const over = rowOf(event.target);
  if (!dragged || !over || over.parentElement !== dragged.parentElement) return;
  event.preventDefault();
  for (const row of over.parentElement.children) row.classList.toggle("drop-here", row === over && row !== dragged);
});
document.addEventListener("drop", (event) => {
  const over = rowOf(event.target);
  if (!dragged || !over) return;
  event.preventDefault();
  const order = `to-${placeOf(dragged)}-${placeOf(over)}`;
  const moved = over !== dragged;
  clear();
  if (!moved) return;
  // What the buttons send, with another order.
  const button = over.querySelector("button[name='rows']").cloneNode(true);
  button.value = order;
  button.disabled = false;
  button.hidden = true;
  over.querySelector("button[name='rows']").after(button);
  window.htmx.process(button);
  button.click();
});
document.addEventListener("dragend", clear);
document.body.addEventListener("htmx:afterSettle", dress);
dress();

// A name that no attribute has yet, once its field is left: the form of a new attribute stands ready with it, unless
// something else is typed there. What is left has the focus as before.
const keyOf = (name) => {
  const ascii = name.normalize("NFKD").replace(/[^\0-\x7f]/g, "").toLowerCase().replace(/[^\w\s-]/g, "");
  return ascii.trim().replace(/[-\s]+/g, "_").replace(/^_+|_+$/g, "");
};
const nameIn = (input) => input.value.trim().replace(/\s+/g, " ");
document.addEventListener("change", ({ target }) => {
  const creating = target.form?.querySelector("[data-offers-new]");
  if (!creating || target.getAttribute("list") !== "attribute-keys") return;
  const label = creating.querySelector("[name='new-label']");
  const offered = creating.querySelector("[name='new-offered']");
  if (!["", offered.value].includes(nameIn(label))) return;
  const known = new Set([...target.list.options].map((option) => option.value));
  const names = [...target.form.querySelectorAll("input[list='attribute-keys']")].map(nameIn);
  const next = names.find((name) => name && !known.has(name) && !known.has(keyOf(name))) || "";
  label.value = offered.value = next;
  if (next) creating.open = true;
});
