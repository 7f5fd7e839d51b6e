// The list of keys and its switch (WCAG 2.1.4). Off means off: single letters then act nowhere, and no hint is shown.

const OFF = "countersign-keys-off";
const dialog = document.querySelector("#keys");
const turn = dialog.querySelector("[data-keys-switch]");

function show() {
  const off = localStorage.getItem(OFF) === "1";
  turn.checked = !off;
  document.body.classList.toggle("keys-off", off);
  for (const button of document.querySelectorAll("[data-keys-open]")) button.hidden = false;
}

turn.addEventListener("change", () => {
  localStorage.setItem(OFF, turn.checked ? "0" : "1");
  show();
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-keys-open]")) dialog.showModal();
  else if (event.target === dialog) dialog.close(); // beside it
});
window.addEventListener("storage", show); // switched in another tab
document.body.addEventListener("htmx:afterSettle", show);
show();
