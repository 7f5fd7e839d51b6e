// The review desk by keyboard and pointer: fields and boxes light each other, zoom, lease, undo. Works without it too.

const desk = () => document.querySelector("[data-desk]");
const mine = () => desk()?.hasAttribute("data-mine");
const fields = () => [...document.querySelectorAll("#desk [data-field]")].filter((one) => one.checkVisibility());
const todo = () => [...document.querySelectorAll("#desk [data-todo]:not(.settled)")];
const input = (field) => field.querySelector("[name^='field-']"); // of a table hidden, kept by its grid
const entry = (field) => field.querySelector("[data-cell]") || input(field);
const seen = (field) => field.querySelector("[data-seen]");

// ---- the chosen field: its box on the page, its article beside it ------------------------------------------------
let chosen = null;

// Focus on the field itself leaves single keys to the desk; in its input letters are letters (WCAG 2.1.4).
function choose(name, { focus = "", scroll = true } = {}) {
  const field = document.getElementById(`f-${name}`);
  if (!field) return;
  chosen = name;
  field.closest("details")?.setAttribute("open", "");
  for (const one of document.querySelectorAll("#desk .exception.active")) one.classList.remove("active");
  field.classList.add("active");
  if (focus) (focus === "input" ? entry(field) : field).focus({ preventScroll: true });
  if (scroll) field.scrollIntoView({ block: "nearest" });
  const page = field.dataset.page;
  const shown = document.querySelector(".page-image, .page-text")?.dataset.index;
  if (page !== "" && shown !== undefined && page !== shown) turnTo(Number(page) + 1);
  else light();
}

let cell = ""; // of a table: its grid says which

document.body.addEventListener("cell", (event) => {
  cell = event.detail.key;
  const shown = document.querySelector(".page-image, .page-text")?.dataset.index;
  if (event.detail.page && shown !== undefined && event.detail.page !== shown) turnTo(Number(event.detail.page) + 1);
  else light();
});

function light() {
  for (const box of document.querySelectorAll("[data-cell-box] .field-box")) {
    const active = box.parentNode.dataset.cellBox === cell;
    box.classList.toggle("active", active);
    if (active) intoView(box);
  }
  for (const box of document.querySelectorAll("[data-box] .field-box")) {
    const active = box.parentNode.dataset.box === chosen;
    box.classList.toggle("active", active);
    if (active && !cell) intoView(box);
  }
}

function intoView(box) {
  const area = document.querySelector(".page-scroll");
  const at = box.getBoundingClientRect();
  const frame = area.getBoundingClientRect();
  if (at.top >= frame.top && at.bottom <= frame.bottom && at.left >= frame.left && at.right <= frame.right) return;
  area.scrollBy({ top: at.top - frame.top - frame.height / 3, left: Math.min(at.left - frame.left - 24, 0) || Math.max(at.right - frame.right + 24, 0) });
}

function turnTo(page) {
  const url = `${location.pathname}?page=${page}`;
  window.htmx.ajax("GET", url, { target: "#page-viewer", swap: "outerHTML" });
}

// ---- settled: a person says that it is right, or corrects it. The boxes are sent, kept with the draft, and judged by
// the server, which counts as this does.
const isCorrected = (field) => input(field).value.trim() !== input(field).dataset.shown.trim();

function settle(field) {
  const box = input(field);
  if (box.hasAttribute("data-required") && !box.value.trim()) return false;
  if (box.selectedOptions?.[0]?.hasAttribute("data-refused")) return false;
  mark(field, true);
  return true;
}

function mark(field, settled) {
  const box = seen(field);
  field.classList.toggle("settled", settled);
  if (box && box.checked !== settled) {
    box.checked = settled;
    box.dispatchEvent(new Event("input", { bubbles: true })); // for the draft
  }
  count();
}

function count() {
  const words = document.querySelector("[data-left]");
  if (!words || !mine()) return;
  const left = todo().length;
  words.textContent = left ? `${left} left` : "Ready to approve";
}

function next(from, focus = "field") {
  const left = todo();
  const all = [...document.querySelectorAll("#desk [data-field]")];
  const after = left.find((one) => all.indexOf(one) > all.indexOf(from)) || left[0];
  if (after) choose(after.dataset.field, { focus });
  else document.querySelector("[data-approve]")?.focus();
}

function move(step) {
  const all = fields();
  const at = all.findIndex((one) => one.dataset.field === chosen);
  const one = all[Math.max(0, Math.min(all.length - 1, at + step))];
  if (!one) return;
  if (document.activeElement?.closest?.("[data-field]")) document.activeElement.blur();
  choose(one.dataset.field);
}

function approve() {
  const left = todo();
  const asks = document.querySelector("#review-form").hasAttribute("data-unseen-allowed"); // the server asks once
  if (left.length && !asks) choose(left[0].dataset.field, { focus: "field" });
  else document.querySelector("[data-approve]").click();
}

function reject() {
  const fold = document.querySelector("[data-reject]");
  fold.open = true;
  document.querySelector("#reason").focus();
}

// ---- zoom: the drawing's own width, so that no style is written --------------------------------------------------
const ZOOMS = [400, 600, 800, 1000, 1300, 1700, 2200, 3000];

function zoom(way) {
  const image = document.querySelector(".page-image");
  const area = document.querySelector(".page-scroll");
  if (!image || !area) return;
  const view = image.viewBox.baseVal;
  const now = image.getBoundingClientRect().width;
  let words = "Width";
  if (way === "width") image.setAttribute("width", "100%");
  else {
    let width = way === "page" ? (area.clientHeight - 32) * (view.width / view.height) : null;
    if (way === "in") width = ZOOMS.find((one) => one > now + 1) || ZOOMS.at(-1);
    if (way === "out") width = ZOOMS.findLast((one) => one < now - 1) || ZOOMS[0];
    image.setAttribute("width", String(Math.round(width)));
    words = way === "page" ? "Page" : `${Math.round((width / view.width) * 100)} %`;
  }
  const said = document.querySelector("[data-zoom-words]");
  if (said) said.textContent = words;
  light();
}

// ---- pointer -----------------------------------------------------------------------------------------------------
document.addEventListener("click", (event) => {
  const target = event.target;
  const box = target.closest?.("[data-box]");
  if (box) {
    event.preventDefault();
    return choose(box.dataset.box, { focus: mine() ? "input" : "" });
  }
  const page = target.closest?.("a[data-to-page]");
  if (page && !event.metaKey && !event.ctrlKey) {
    event.preventDefault();
    return turnTo(new URL(page.href).searchParams.get("page"));
  }
  const named = target.closest?.("[data-to-field]");
  if (named) {
    event.preventDefault();
    return choose(named.dataset.toField, { focus: "field" });
  }
  const zoomed = target.closest?.("[data-zoom]");
  if (zoomed) return zoom(zoomed.dataset.zoom);
  const field = target.closest?.("[data-field]");
  if (!field) return;
  const use = target.closest("[data-use]");
  if (use) {
    input(field).value = use.dataset.use;
    input(field).dispatchEvent(new Event("input", { bubbles: true }));
  }
  if (use && settle(field)) return next(field);
  if (!target.closest(".seen")) choose(field.dataset.field, { scroll: false });
});
document.addEventListener("change", (event) => {
  const field = event.target.closest?.("#desk [data-todo]");
  if (!field || !mine()) return;
  if (event.target === seen(field)) {
    if (event.target.checked && settle(field)) return next(field);
    if (event.target.checked) { // blank, or no allowed value
      mark(field, false);
      return choose(field.dataset.field, { focus: "input" });
    }
    return mark(field, isCorrected(field) && settle(field)); // a correction has been looked at
  }
  if (event.target === input(field) && isCorrected(field)) settle(field);
});
document.addEventListener("focusin", (event) => {
  // The chosen field grows: what a pointer presses must not move away before it is let go. Its click chooses.
  if (event.target.matches("button, [data-seen]") && !event.target.matches(":focus-visible")) return;
  const field = event.target.closest?.("#desk [data-field]");
  if (field && field.dataset.field !== chosen) choose(field.dataset.field, { scroll: false });
});
document.addEventListener("input", (event) => {
  const field = event.target.closest?.("#desk [data-field]");
  if (field && event.target === input(field)) mark(field, false); // what was found right was another text
});

// ---- keyboard: single letters never act while somebody types -----------------------------------------------------
const typing = (element) => element?.matches?.("input:not([type='checkbox']), textarea, select, [contenteditable]");

function enter(event) {
  const field = event.target.closest?.("[data-field]");
  if (field && typing(event.target)) {
    event.preventDefault();
    if (mine() && settle(field)) next(field, "input"); // who types goes on typing
  } else if (!event.target.closest?.("a, button, summary, textarea") && chosen && mine()) {
    event.preventDefault();
    const one = document.getElementById(`f-${chosen}`);
    if (settle(one)) next(one);
  }
}

const take = (nth) => document.querySelectorAll(`#f-${CSS.escape(chosen ?? "")} [data-use]`)[nth]?.click();
const press = (selector) => document.querySelector(selector)?.click();
function undoLatest() {
  const ends = (button) => Date.parse(button.closest("form").dataset.undoUntil) || 0;
  const latest = [...document.querySelectorAll('[data-key="z"]')].sort((one, other) => ends(other) - ends(one))[0];
  latest?.click();
}
const KEYS = {
  a: () => mine() && approve(),
  r: () => mine() && reject(),
  j: () => move(1),
  k: () => move(-1),
  ArrowDown: () => move(1),
  ArrowUp: () => move(-1),
  e: () => chosen && choose(chosen, { focus: "input" }),
  l: () => press('[data-key="l"]'),
  z: () => undoLatest(),
  g: () => press("[data-start]"),
  n: () => press('[data-key="n"]'),
  "?": () => press("[data-keys-open]"),
  1: () => take(0),
  2: () => take(1),
  3: () => take(2),
  "+": () => zoom("in"),
  "-": () => zoom("out"),
  0: () => zoom("width"),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.key === "Enter") return enter(event);
  if (event.key === "Escape" && typing(event.target)) return event.target.blur();
  if (document.body.classList.contains("keys-off") || document.querySelector("dialog[open]")) return;
  if (typing(event.target) || event.target.closest?.(".page-scroll") && event.key.startsWith("Arrow")) return;
  const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!act || event.repeat && event.key.length === 1 && !"jk".includes(event.key)) return;
  event.preventDefault();
  act();
});

// ---- the lease and the undo window run down ----------------------------------------------------------------------
function tick() {
  const lease = document.querySelector("[data-lease-until]");
  if (lease) {
    const left = Math.round((new Date(lease.dataset.leaseUntil) - Date.now()) / 1000);
    const ending = left < 60;
    lease.classList.toggle("ending", ending);
    const alert = lease.querySelector("[data-lease-ending]"); // said once, not each second
    if (Boolean(alert.textContent) !== ending) alert.textContent = ending ? "Your claim ends within a minute. Extend it to continue." : "";
    lease.querySelector("[data-lease]").textContent =
      left > 0 ? `Claimed, ${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left` : "Claim expired";
  }
  for (const undo of document.querySelectorAll("[data-undo-until]")) {
    if (new Date(undo.dataset.undoUntil) > Date.now()) continue;
    const told = undo.closest("[data-receipt]");
    const words = told?.querySelector("[data-undo-words]");
    undo.remove();
    if (words) words.textContent = "Submitted. The run continues.";
    if (told?.matches(".toast")) setTimeout(() => told.remove(), 6000);
    if (!document.querySelector("[data-undo-until]")) document.querySelector(".undo-all")?.remove();
  }
}
document.body.addEventListener("lease", (event) => {
  const lease = document.querySelector("[data-lease-until]");
  if (lease) lease.dataset.leaseUntil = event.detail.value;
  tick();
});

// ---- begin, and again after each swap ----------------------------------------------------------------------------
function dress() {
  for (const button of document.querySelectorAll("#desk [data-use]")) button.hidden = false;
  for (const field of document.querySelectorAll("#desk [data-todo]")) {
    field.classList.toggle("settled", Boolean(seen(field)?.checked) && input(field).getAttribute("aria-invalid") !== "true");
  }
  document.getElementById(`f-${chosen}`)?.classList.add("active");
  count();
  light();
  tick();
}
document.body.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.elt.closest?.("[data-desk]") || event.detail.elt.querySelector?.("[data-desk]")) dress();
});
dress();
setInterval(tick, 1000);
if (!chosen && todo().length) choose(todo()[0].dataset.field, { focus: mine() && matchMedia("(pointer: fine)").matches ? "field" : "", scroll: false });
