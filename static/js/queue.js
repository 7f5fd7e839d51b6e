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

function undoLatest() {
  const ends = (button) => Date.parse(button.closest("form").dataset.undoUntil) || 0;
  const latest = [...document.querySelectorAll('[data-key="z"]')].sort((one, other) => ends(other) - ends(one))[0];
  latest?.click();
}

const ACTS = { next: () => move(1), previous: () => move(-1), start: () => press("[data-start]"), undo: undoLatest };
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
  act();
});

// ---- due dates count on, as the server's words do -----------------------------------------------------------------
function amount(minutes) {
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} d`;
}

function tick() {
  for (const one of document.querySelectorAll("#queue [data-due]")) {
    const seconds = (new Date(one.dataset.due) - Date.now()) / 1000;
    const minutes = Math.max(Math.floor(Math.abs(seconds) / 60), 1);
    const words = `${seconds > 0 ? "Due in" : "Overdue by"} ${amount(minutes)}`;
    const shown = one.querySelector("[data-due-words]");
    if (shown.textContent !== words) shown.textContent = words;
    one.classList.toggle("warn", seconds > 3600);
    one.classList.toggle("bad", seconds <= 3600);
  }
}
document.body.addEventListener("htmx:afterSettle", tick);
tick();
setInterval(tick, 30_000);
