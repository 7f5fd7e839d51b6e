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
