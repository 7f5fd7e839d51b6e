// The lists of reviews by keyboard: rows, the next review, undo; and due dates that count on. Works without it too.

const rows = () => [...document.querySelectorAll("#queue [data-row]")];
const link = (row) => row.querySelector(".document a");
const press = (selector) => document.querySelector(selector)?.click();

// The row's link has the focus, so that Enter opens it and a screen reader reads it.
function move(step) {
  const all = rows();
  const at = all.findIndex((row) => row.contains(document.activeElement));
  const row = all[at < 0 ? 0 : Math.max(0, Math.min(all.length - 1, at + step))];
  if (!row) return;
  link(row).focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

// ---- selected rows: by key, by mouse, a range with Shift; what they are worth together -----------------------------
const MOST_SELECTED = 50;
const boxes = () => [...document.querySelectorAll("#queue [data-select]")];
let lastBox = null; // where a range begins

function choose(box, checked, range) {
  const all = boxes();
  const [from, to] = [all.indexOf(range && lastBox?.isConnected ? lastBox : box), all.indexOf(box)].sort((a, b) => a - b);
  for (const one of all.slice(from, to + 1)) one.checked = checked;
  lastBox = box;
  tellSelection();
}

function selectRow(event) {
  const row = rows().find((one) => one.contains(document.activeElement));
  const box = row?.querySelector("[data-select]");
  if (box) choose(box, event.shiftKey || !box.checked, event.shiftKey);
}

function sumOf(chosen) {
  const sums = new Map();
  for (const { dataset } of chosen.map((box) => box.closest("[data-row]"))) {
    if (!dataset.amount) continue;
    sums.set(dataset.currency, (sums.get(dataset.currency) || 0) + Math.round(Number(dataset.amount) * 100));
  }
  const words = (cents) => (cents / 100).toLocaleString(document.documentElement.lang, { minimumFractionDigits: 2 });
  return [...sums].map(([currency, cents]) => `${words(cents)} ${currency}`.trim()).join(", ");
}

function tellSelection() {
  const told = document.querySelector("[data-selected-words]");
  if (!told) return;
  const all = boxes();
  const chosen = all.filter((box) => box.checked);
  const say = told.dataset;
  const sum = sumOf(chosen);
  const count = (sentence, number) => sentence.replace("{count}", number).replace("{sum}", sum);
  let words = chosen.length ? count(sum ? say.saySum : say.saySome, chosen.length) : say.sayNone;
  if (chosen.length > MOST_SELECTED) words += `. ${count(say.sayMany, MOST_SELECTED)}`;
  if (told.textContent !== words) told.textContent = words;
  for (const button of document.querySelectorAll("[data-act-on]")) {
    button.disabled = !chosen.length || chosen.length > MOST_SELECTED;
  }
  for (const box of all) box.closest("[data-row]").classList.toggle("selected", box.checked);
  const every = document.querySelector("[data-select-all]");
  every.closest("label").hidden = false;
  every.checked = chosen.length > 0 && chosen.length === all.length;
  every.indeterminate = chosen.length > 0 && chosen.length < all.length;
}

document.addEventListener("click", (event) => {
  const box = event.target.closest?.("[data-select]");
  if (box) choose(box, box.checked, event.shiftKey);
});
document.addEventListener("change", (event) => {
  if (!event.target.matches("[data-select-all]")) return;
  for (const box of boxes().slice(0, MOST_SELECTED)) box.checked = event.target.checked;
  tellSelection();
});
// A document without a picture, or one that is gone, has its icon's place left empty.
document.addEventListener("error", (event) => {
  if (event.target.matches?.(".row-thumb")) event.target.classList.add("gone");
}, true);

function undoLatest() {
  const ends = (button) => Date.parse(button.closest("form").dataset.undoUntil) || 0;
  const latest = [...document.querySelectorAll('[data-key="z"]')].sort((one, other) => ends(other) - ends(one))[0];
  latest?.click();
}

const pressAct = (act) => press(`[data-act-on][value="${act}"]`);
const ACTS = { next: () => move(1), previous: () => move(-1), start: () => press("[data-start]"), undo: undoLatest, select: selectRow,
  assign: () => pressAct("assign"), postpone: () => pressAct("postpone"),
};
function openSaved(digit) {
  const view = /^[1-9]$/.test(digit) && document.querySelector(`[data-saved="${digit}"]`);
  return view && (() => view.click());
}
const FIXED = { ArrowDown: ACTS.next, ArrowUp: ACTS.previous, "?": () => press("[data-keys-open]") };
const REPEATS = ["next", "previous"];
const actOf = (key) => document.querySelector(`#keys [data-act][data-letter="${CSS.escape(key.toLowerCase())}"]`)?.dataset.act;

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (document.body.classList.contains("keys-off") || document.querySelector("dialog[open]")) return;
  if (event.target.matches?.("input:not([type='checkbox']), textarea, select")) return;
  const name = event.key.length === 1 && actOf(event.key);
  const act = name ? ACTS[name] : FIXED[event.key] || openSaved(event.key);
  if (!act || event.repeat && event.key.length === 1 && !REPEATS.includes(name)) return;
  event.preventDefault();
  act(event);
});

// ---- due dates count on, as the server's words do -----------------------------------------------------------------
function amount(minutes) {
  if (minutes < 60) return said("%(minutes)s min", { minutes });
  if (minutes < 48 * 60) return said("%(hours)s h", { hours: Math.floor(minutes / 60) });
  return said("%(days)s d", { days: Math.floor(minutes / 1440) });
}

function tick() {
  for (const one of document.querySelectorAll("#queue [data-due]")) {
    const seconds = (new Date(one.dataset.due) - Date.now()) / 1000;
    const minutes = Math.max(Math.floor(Math.abs(seconds) / 60), 1);
    const words = said(seconds > 0 ? "Due in %(time)s" : "Overdue by %(time)s", { time: amount(minutes) });
    const shown = one.querySelector("[data-due-words]");
    if (shown.textContent !== words) shown.textContent = words;
    one.classList.toggle("warn", seconds > 3600);
    one.classList.toggle("bad", seconds <= 3600);
  }
}
document.body.addEventListener("htmx:afterSettle", tick);
tick();
tellSelection();
setInterval(tick, 30_000);
