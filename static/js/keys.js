// The list of keys, which can be changed, and its switch (WCAG 2.1.4). Off means off: single letters then act nowhere.

const OFF = "countersign-keys-off";
const OWN = "countersign-keys"; // what was changed: name → key
const TAKEN = { "?": "UsedList", 1: "UsedValues", 2: "UsedValues", 3: "UsedValues", "/": "UsedSearch" }; // its sentence
const dialog = document.querySelector("#keys");
const turn = dialog.querySelector("[data-keys-switch]");
const told = dialog.querySelector("[data-keys-told]");
const acts = [...dialog.querySelectorAll("[data-act]")];
const wordsOf = (act) => act.querySelector("[data-words]").textContent;
const own = () => JSON.parse(localStorage.getItem(OWN) || "{}");
const say = (name, act = "", key = "") => told.dataset[`say${name}`].replace("{act}", act).replace("{key}", key.toUpperCase());
let asking = null; // the button of the key that is being changed

function show() {
  const off = localStorage.getItem(OFF) === "1";
  turn.checked = !off;
  document.body.classList.toggle("keys-off", off);
  for (const button of document.querySelectorAll("[data-keys-open]")) button.hidden = false;
  const changed = own();
  for (const act of acts) {
    act.dataset.letter = changed[act.dataset.act] || act.dataset.default;
    const key = act.dataset.letter.toUpperCase();
    const button = act.querySelector("[data-change]");
    button.hidden = false;
    button.textContent = key;
    button.setAttribute("aria-label", say("Change", wordsOf(act), key));
    act.querySelector("[data-fixed]").hidden = true;
    for (const hint of document.querySelectorAll(`.key[data-of="${act.dataset.act}"]`)) hint.textContent = key;
  }
  told.hidden = false;
  dialog.querySelector("[data-keys-reset]").hidden = !Object.keys(changed).length;
}

function ask(button) {
  stop();
  asking = button;
  button.textContent = "…";
  told.textContent = say("Press", wordsOf(button.closest("[data-act]")));
}

function stop(words = say("Select")) {
  asking = null;
  told.textContent = words;
  show();
}

function take(key) {
  const act = asking.closest("[data-act]");
  const other = acts.find((one) => one !== act && one.dataset.letter === key);
  if (TAKEN[key]) return stop(say(TAKEN[key], "", key));
  if (other) return stop(say("Used", wordsOf(other), key));
  const changed = { ...own(), [act.dataset.act]: key };
  if (key === act.dataset.default) delete changed[act.dataset.act];
  localStorage.setItem(OWN, JSON.stringify(changed));
  stop(say("Set", wordsOf(act), key));
}

dialog.addEventListener("keydown", (event) => {
  if (!asking || event.ctrlKey || event.metaKey || event.altKey || ["Shift", "Tab"].includes(event.key)) return;
  event.preventDefault();
  event.stopPropagation();
  if (event.key === "Escape") stop();
  else if (event.key.length === 1 && event.key.trim()) take(event.key.toLowerCase());
});
dialog.addEventListener("cancel", (event) => { if (asking) event.preventDefault(); });
dialog.addEventListener("close", () => { if (asking) stop(); });
turn.addEventListener("change", () => {
  localStorage.setItem(OFF, turn.checked ? "0" : "1");
  show();
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-keys-open]")) {
    dialog.showModal();
    dialog.querySelector("h2").focus(); // its first button is far below, and would be scrolled to
  } else if (event.target === dialog) dialog.close(); // beside it
  else if (event.target.closest("[data-change]")) ask(event.target.closest("[data-change]"));
  else if (event.target.closest("[data-keys-reset]")) {
    localStorage.removeItem(OWN);
    stop(say("Reset"));
    dialog.querySelector("[data-keys-switch]").focus();
  }
});
window.addEventListener("storage", show); // switched in another tab
document.body.addEventListener("htmx:afterSettle", show);
show();
