// A press counts for the document that was in sight when it began. A held key is one press, and what was pressed before
// a document could be seen decides nothing about it. Runs before the other scripts of the desk and swallows such events.

const SIGHT = 400; // ms that a document is in sight before a press counts
const PATIENCE = 5000; // ms to wait for a page's picture; then the fields are what there is to see
const DECIDES = "#desk button[name='decision']";

let seen = Infinity; // since when the document is in sight, on the clock of events
let looks = 0; // the last look counts
let looked = ""; // the last document that was in sight
let isKnown = false; // it came again: a refused decision brings its errors
let began = null; // when the press under way began
const down = new Set(); // keys: not every system marks the repeats of a key that was held while the page came

const desk = () => document.querySelector("#desk[data-mine]");
const isFresh = (event) => (began ?? event.timeStamp) >= seen + SIGHT;
const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });

// ---- in sight: the tab is looked at, the desk is there, and so is the page's picture ------------------------------
async function look() {
  const mark = ++looks;
  seen = Infinity;
  tell("");
  if (desk()) delete desk().dataset.inSight;
  if (!desk() || document.hidden) return;
  const picture = document.querySelector(".page-image image");
  if (picture) await Promise.race([shown(picture.href.baseVal), pause(PATIENCE)]);
  if (mark !== looks) return;
  seen = performance.now();
  looked = desk()?.dataset.desk ?? "";
  performance.mark("in-sight");
  await pause(SIGHT);
  if (mark === looks && desk()) desk().dataset.inSight = "";
}

// An image of SVG does not say that it is there; the same address in the memory of the browser does. None is no reason to wait.
function shown(address) {
  const probe = new Image();
  probe.src = address;
  return probe.decode().catch(() => {});
}

function tell(words) {
  const told = document.querySelector("[data-press-told]");
  if (told && told.textContent !== words) told.textContent = words;
}

function refuse(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
  tell(isKnown
    ? said("Nothing was submitted: this page just changed. Check it, then press again.")
    : said("Nothing was submitted: this document just opened. Check it, then press again."));
}

// By its place on the keyboard: what a key is called changes where Shift is let go of before it.
const which = (event) => event.code || event.key;

// ---- presses ------------------------------------------------------------------------------------------------------
document.addEventListener("keydown", (event) => {
  const repeats = event.repeat || down.has(which(event));
  down.add(which(event));
  if (!repeats) began = event.timeStamp;
  if (event.key !== "Enter" || event.target.closest?.("textarea, dialog")) {
    if (repeats && event.key.length === 1 && !event.repeat && !event.target.closest?.("input, textarea, select")) {
      event.stopImmediatePropagation(); // unmarked, and no text
    }
    if (!repeats) tell("");
    return;
  }
  if (repeats) {
    event.preventDefault();
    event.stopImmediatePropagation();
  } else if (desk() && !isFresh(event)) refuse(event);
  else tell("");
}, true);
document.addEventListener("pointerdown", (event) => {
  began = event.timeStamp;
  tell("");
}, true);
// The click comes with the end of its press; one that comes without any, from an assistive tool, counts from its own time.
const ended = () => setTimeout(() => { began = null; });
document.addEventListener("keyup", (event) => {
  down.delete(which(event));
  ended();
}, true);
document.addEventListener("pointerup", ended, true);
window.addEventListener("blur", () => down.clear()); // whose end another window sees
document.addEventListener("click", (event) => {
  if (event.target.closest?.(DECIDES) && !isFresh(event)) refuse(event);
}, true);

// ---- begin, and again where a desk comes or is looked at again -----------------------------------------------------
document.body.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.elt.id !== "desk") return;
  isKnown = desk()?.dataset.desk === looked;
  look();
});
document.addEventListener("visibilitychange", look);
window.addEventListener("pageshow", (event) => { if (event.persisted) look(); });
look();
