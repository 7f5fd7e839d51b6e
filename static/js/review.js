// The fields of the review desk: which one is chosen, which are settled, and what comes next. Works without it too.

const desk = () => document.querySelector("[data-desk]");
const mine = () => desk()?.hasAttribute("data-mine");
const everyField = () => [...document.querySelectorAll("#desk [data-field]")];
const fields = () => everyField().filter((one) => one.checkVisibility() || one.closest("details:not([open])"));
// Said beside it; a refusal that only asks for a reason is none of its value.
const isWrong = (field) => Boolean(field.querySelector('[data-live-error]:not([hidden]), [data-sent-error=""]'));
const isJudgedWrong = (field) => isWrong(field) && !field.hasAttribute("data-unjudged"); // its text, not the one before
const todo = () => [...document.querySelectorAll("#desk [data-todo]:not(.settled)")].filter((one) => !isToCorrect(one));
const input = (field) => field.querySelector("[name^='field-']"); // of a table hidden, kept by its grid
const entry = (field) => field.querySelector("[data-cell]") || input(field);
const seen = (field) => field.querySelector("[data-seen]");
const typing = (element) => element.matches?.("input:not([type='checkbox']), textarea, select, [contenteditable]");

// ---- the chosen field: its article here, its box on the page by the viewer ------------------------------------------
let chosen = null;

// Focus on the field itself leaves single keys to the desk; in its input letters are letters (WCAG 2.1.4), and the
// first one takes the place of what was there.
function choose(name, { focus = "", scroll = true, turn = true } = {}) {
  const field = document.getElementById(`f-${name}`);
  if (!field) return;
  chosen = name;
  field.closest("details")?.setAttribute("open", "");
  for (const one of document.querySelectorAll("#desk .exception.active")) one.classList.remove("active");
  field.classList.add("active");
  if (focus === "input") {
    entry(field).focus({ preventScroll: true });
    entry(field).select?.();
  } else if (focus) field.focus({ preventScroll: true });
  if (scroll) field.scrollIntoView({ block: "nearest" });
  const part = field.contains(document.activeElement) ? document.activeElement.dataset : {}; // the cell of a table
  tellViewer({ name, page: turn ? part.page || field.dataset.page : "", part: part.cell });
}

const tellViewer = (detail) => document.body.dispatchEvent(new CustomEvent("chosen", { detail }));
document.body.addEventListener("cell", (event) => tellViewer({ name: chosen, page: event.detail.page, part: event.detail.key }));
// Words of the page fill the chosen field as if they were typed, so that Ctrl+Z takes them back.
document.body.addEventListener("fill", (event) => {
  const field = document.getElementById(`f-${chosen}`);
  if (!field || !mine() || entry(field).matches("select")) return;
  const { text, append } = event.detail;
  const at = field.contains(document.activeElement) && document.activeElement.matches("[data-cell], [name^='field-']");
  const box = at ? document.activeElement : entry(field);
  box.focus({ preventScroll: true });
  if (append) box.setSelectionRange(box.value.length, box.value.length);
  else box.select();
  document.execCommand("insertText", false, append && box.value ? ` ${text}` : text);
  const detail = append ? said("Added: %(text)s", { text }) : said("Filled: %(text)s", { text });
  document.body.dispatchEvent(new CustomEvent("filled", { detail }));
});
document.body.addEventListener("choose", (event) => choose(event.detail, { focus: mine() ? "input" : "field" }));

// ---- settled: a person says that it is right, or corrects it. The boxes are sent, kept with the draft, and judged by
// the server, which counts as this does. A correction that is wrong is to be corrected, and not left to look at.
const isAnswered = (field) => Boolean(field.querySelector("[data-answer]")?.value); // that it has no value
const isCorrected = (field) => isAnswered(field) || input(field).value.trim() !== input(field).dataset.shown.trim();
const isToCorrect = (field) => isWrong(field) && isCorrected(field);

function settle(field) {
  if (isJudgedWrong(field)) { // told already, so that one may go on
    mark(field, false);
    return true;
  }
  const box = input(field);
  if (!isAnswered(field)) {
    if (box.hasAttribute("data-required") && !box.value.trim()) return false;
    if (box.selectedOptions?.[0]?.hasAttribute("data-refused")) return false;
  }
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
  const wrong = document.querySelectorAll("#desk [data-live-error]:not([hidden]), #desk [data-sent-error]").length;
  if (left) words.textContent = said("%(left)s left", { left });
  else words.textContent = wrong ? said("%(wrong)s to correct", { wrong }) : said("Ready to approve");
}
// What was typed is judged a moment later.
document.body.addEventListener("judged", () => {
  for (const field of document.querySelectorAll("#desk [data-todo]")) if (isJudgedWrong(field)) mark(field, false);
  count();
});

function next(from, focus = "field") {
  const all = everyField();
  const isBehind = (one) => all.indexOf(one) > all.indexOf(from);
  const left = todo().filter((one) => !isJudgedWrong(one));
  const wrong = all.filter((one) => one !== from && isJudgedWrong(one));
  // What is wrong comes last, from its first field on. After the last one, if that is left wrong, come the words that
  // count it, and not the first one again.
  const isLeftWrong = isJudgedWrong(from);
  const isAmongWrong = isWrong(from);
  const after = left.find(isBehind) || left[0] || (isAmongWrong && wrong.find(isBehind)) || (!isLeftWrong && wrong[0]);
  // Letters that go into a cell replace its text: a table is entered on purpose, by key or pointer.
  if (after) choose(after.dataset.field, { focus: after.querySelector("[data-grid]") ? "field" : focus });
  else if (isLeftWrong) document.querySelector("#left").focus();
  else document.querySelector("[data-approve]")?.focus();
}

function move(step) {
  const all = fields();
  const at = all.findIndex((one) => one.dataset.field === chosen);
  const one = all[Math.max(0, Math.min(all.length - 1, at + step))];
  if (one) choose(one.dataset.field, { focus: "field" });
}

function approve() {
  const left = todo();
  const asks = document.querySelector("#review-form").hasAttribute("data-unseen-allowed"); // the server asks once
  if (left.length && !asks) choose(left[0].dataset.field, { focus: "field" });
  else document.querySelector("[data-approve]").click();
}

function reject() {
  document.querySelector("[data-reject]").open = true;
  (document.querySelector("#reject-reason") || document.querySelector("#reason")).focus();
}

// ---- pointer -----------------------------------------------------------------------------------------------------
document.addEventListener("click", (event) => {
  const target = event.target;
  const named = target.closest?.("[data-to-field]");
  if (named) {
    event.preventDefault();
    return choose(named.dataset.toField, { focus: "field" });
  }
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
document.body.addEventListener("answered", (event) => {
  const field = event.target;
  if (!field.hasAttribute("data-todo")) return;
  if (isCorrected(field) && settle(field)) { // by key one goes on; a pointer or a list stays where it is
    if (event.detail.next) next(field);
  } else mark(field, false);
});
// The chosen field grows: what a pointer presses must not move away before it is let go. Its click chooses.
let pressing = false;
document.addEventListener("pointerdown", () => { pressing = true; }, true);
for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => { pressing = false; }, true);
document.addEventListener("focusin", (event) => {
  if (pressing) return;
  const field = event.target.closest?.("#desk [data-field]");
  if (field && field.dataset.field !== chosen) choose(field.dataset.field, { scroll: false });
});
document.addEventListener("input", (event) => {
  const field = event.target.closest?.("#desk [data-field]");
  if (field && event.target === input(field)) mark(field, false); // what was found right was another text
});

// ---- what a key asks for, by desk_keys.js --------------------------------------------------------------------------
function enter({ event }) {
  const field = event.target.closest?.("[data-field]");
  const wrong = event.target.id === "left" && todo().every(isWrong) && everyField().find(isWrong);
  if (wrong) {
    event.preventDefault();
    choose(wrong.dataset.field, { focus: "input" });
  } else if (field && typing(event.target)) {
    event.preventDefault();
    if (settle(field)) next(field, "input"); // who types goes on typing
    else field.dispatchEvent(new CustomEvent("refused", { bubbles: true }));
  } else if (!typing(event.target) && !event.target.closest?.("a, button, summary") && chosen) {
    event.preventDefault();
    const one = document.getElementById(`f-${chosen}`);
    if (settle(one)) next(one);
    else choose(chosen, { focus: "input" }); // blank: to be typed
  }
}

// What is left with Escape hands focus to what it belongs to: it never falls to the page as a whole.
function leave({ event }) {
  const field = event.target.closest("[data-field]") || document.getElementById(`f-${chosen}`);
  if (event.target.closest(".reject-form")) document.querySelector("[data-reject] summary").focus();
  else if (field && field.checkVisibility()) field.focus({ preventScroll: true });
  else (document.querySelector("#left") || document.querySelector("#main")).focus({ preventScroll: true });
}

function take({ nth }) {
  document.querySelectorAll(`#f-${CSS.escape(chosen ?? "")} [data-use]:not([hidden])`)[nth]?.click();
}

function answer(word) {
  document.getElementById(`f-${chosen}`)?.dispatchEvent(new CustomEvent("answer", { bubbles: true, detail: { word } }));
}

const ACTS = {
  enter,
  leave,
  take,
  approve,
  reject,
  next: () => move(1),
  previous: () => move(-1),
  edit: () => chosen && choose(chosen, { focus: "input" }),
  blank: () => answer("blank"),
  absent: () => answer("absent"),
  illegible: () => answer("illegible"),
};
document.body.addEventListener("act", ({ detail }) => ACTS[detail.name](detail));

// ---- begin, and again after each swap ----------------------------------------------------------------------------
function dress() {
  for (const button of document.querySelectorAll("#desk [data-use]")) button.hidden = !button.dataset.use;
  for (const field of document.querySelectorAll("#desk [data-todo]")) {
    field.classList.toggle("settled", Boolean(seen(field)?.checked) && input(field).getAttribute("aria-invalid") !== "true");
  }
  document.getElementById(`f-${chosen}`)?.classList.add("active");
  count();
}

let opened = ""; // the address of the document that is there

// ``kept``: the field that was chosen before the desk was claimed in place.
function begin(kept = null) {
  opened = desk().dataset.desk;
  chosen = kept;
  dress();
  const takesFocus = mine() && matchMedia("(pointer: fine)").matches;
  const first = kept ?? (todo()[0] || document.querySelector("#desk [data-checked]"))?.dataset.field; // or a wrong draft
  if (first) {
    const turn = !kept && !/[?&]page=/.test(location.search);
    choose(first, { focus: takesFocus ? "field" : "", scroll: false, turn });
  } else if (takesFocus) document.querySelector("#left").focus({ preventScroll: true });
}

document.body.addEventListener("htmx:afterSettle", (event) => {
  if (desk() && desk().dataset.desk !== opened) { // the next one in place of the one that was decided
    scrollTo(0, 0);
    begin();
    document.querySelector("[data-opened]").textContent =
      said("Opened %(name)s", { name: document.querySelector("#desk h1").textContent });
  } else if (event.detail.elt.closest?.("[data-desk]") || event.detail.elt.querySelector?.("[data-desk]")) {
    if (event.detail.requestConfig?.elt.querySelector("[data-claim]")) begin(chosen); // claimed in place
    else dress();
  }
});
// What the desk still waits for is about the document that is left.
document.body.addEventListener("decided", () => {
  for (const one of document.querySelectorAll("#desk [hx-get], #page-viewer")) window.htmx.trigger(one, "htmx:abort");
});
begin();
