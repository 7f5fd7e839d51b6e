// The keys of the review desk: what each asks for. Fields and decisions answer in review.js, the page in viewer.js.

const PAUSE = 1000; // ms without a key: whoever was typing as the claim went has seen that its field is gone
let typedOn = -PAUSE; // when the last letter of that text came
document.body.addEventListener("losing", () => { if (typing(document.activeElement)) typedOn = performance.now(); });
const typing = (element) => element?.matches?.("input:not([type='checkbox']), textarea, select, [contenteditable]");

const tell = (what, detail) => document.body.dispatchEvent(new CustomEvent(what, { detail }));
const act = (name, more = {}) => tell("act", { name, ...more });
const view = (what) => tell("view", what);
const press = (selector) => document.querySelector(selector)?.click();

// Several decisions may still be undone: the key takes the one that ends last, and that is the latest.
function undoLatest() {
  const ends = (button) => Date.parse(button.closest("form").dataset.undoUntil) || 0;
  const buttons = [...document.querySelectorAll('[data-key="z"]')];
  buttons.sort((one, other) => ends(other) - ends(one));
  buttons[0]?.click();
}

// Enter claims a review that is only looked at, as its key does. Not if it belongs to a control, nor as the end of the
// press that opened the review: not every system marks the repeats of a key that is held while a page comes.
const SIGHT = 400; // ms that the page is there before that
let came = performance.now();
document.body.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.elt.id === "desk") came = performance.now();
});
const isMine = () => Boolean(document.querySelector("#desk[data-mine]"));
const claim = () => document.querySelector("[data-start]");

function claimByEnter(event) {
  const types = typing(event.target) && !event.target.closest("[data-field]"); // whose inputs are read only
  if (types || event.target.closest?.("a, button, summary, audio, video") || !claim()) return;
  event.preventDefault();
  if (!event.repeat && event.timeStamp - came >= SIGHT) claim().click();
}

// By the names of the list of keys, where each has its key and may get another one.
const ACTS = {
  approve: () => act("approve"),
  reject: () => act("reject"),
  next: () => act("next"),
  previous: () => act("previous"),
  edit: () => act("edit"),
  blank: () => act("blank"),
  absent: () => act("absent"),
  illegible: () => act("illegible"),
  skip: () => press("[data-way-out='skip']"),
  postpone: () => press("[data-way-out='postpone']"),
  assign: () => press("[data-way-out='assign']"),
  ask: () => press("[data-way-out='ask']"),
  escalate: () => press("[data-way-out='escalate']"),
  split: () => press("[data-split]"),
  comment: () => press("[data-way-out='comment']"),
  extend: () => press('[data-key="l"]'),
  undo: undoLatest,
  start: () => claim()?.click(),
  following: () => press('[data-key="n"]'),
  "zoom-in": () => view("in"),
  "zoom-out": () => view("out"),
  "fit-width": () => view("width"),
  "zoom-field": () => view("auto"),
  rotate: () => view("turn"),
  boxes: () => view("boxes"),
  select: () => view("select"),
  play: () => view("play"),
  back: () => view("back"),
  ahead: () => view("ahead"),
  speed: () => view("speed"),
  "page-before": () => view("before"),
  "page-after": () => view("after"),
  "page-number": () => view("number"),
};
const FIXED = {
  ArrowDown: ACTS.next,
  ArrowUp: ACTS.previous,
  PageDown: ACTS["page-after"],
  PageUp: ACTS["page-before"],
  "?": () => press("[data-keys-open]"),
  1: () => act("take", { nth: 0 }),
  2: () => act("take", { nth: 1 }),
  3: () => act("take", { nth: 2 }),
};
// Of who holds the claim; anyone else is led to where it is claimed, if it can be.
const CLAIMED = [
  "approve", "reject", "skip", "postpone", "ask", "escalate", "split", "extend",
  "edit", "blank", "absent", "illegible", "select",
];
const REPEATS = ["next", "previous", "zoom-in", "zoom-out", "page-before", "page-after"];
const actOf = (key) => document.querySelector(`#keys [data-act][data-letter="${CSS.escape(key.toLowerCase())}"]`)?.dataset.act;

// Single letters never act while somebody types.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.timeStamp - typedOn < PAUSE && !typing(event.target)) {
    typedOn = event.timeStamp;
    return;
  }
  if (document.querySelector("dialog[open]")) return;
  if (event.key === "Enter") return isMine() ? act("enter", { event }) : claimByEnter(event);
  if (event.key === "Escape" && typing(event.target)) return act("leave", { event });
  if (document.body.classList.contains("keys-off")) return;
  if (typing(event.target) || event.target.closest?.(".page-scroll, audio, video") && /^(Arrow|Page)/.test(event.key)) return;
  const name = event.key.length === 1 && actOf(event.key);
  const run = name ? ACTS[name] : FIXED[event.key];
  if (!run || event.repeat && event.key.length === 1 && !REPEATS.includes(name)) return;
  event.preventDefault();
  if (CLAIMED.includes(name) && !isMine()) claim()?.focus();
  else run();
});
