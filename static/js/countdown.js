// What runs down on the review desk: the deadline, the claim, the undo window; and who has lost the claim.

// ---- the deadline, from an hour before it on, and who has lost the claim ------------------------------------------
const TOLD_AT = [60, 30, 10, 5, 1]; // minutes before the deadline

function tickDue() {
  const chip = document.querySelector("[data-due]");
  if (!chip || !document.querySelector("[data-lease-until]")) return;
  const minutes = Math.ceil((new Date(chip.dataset.due) - Date.now()) / 60000);
  if (minutes > TOLD_AT[0]) return;
  const words = minutes > 0 ? said("Due in %(minutes)s min", { minutes }) : said("Due date passed");
  const shown = chip.querySelector("[data-due-words]");
  if (shown.textContent !== words) shown.textContent = words;
  chip.classList.remove("not-phone");
  chip.classList.add(minutes > 10 ? "warn" : "bad");
  const told = document.querySelector("[data-due-told]");
  const mark = String(TOLD_AT.findLast((one) => minutes <= one) ?? 0); // said once at each
  if (told.dataset.at === mark) return;
  told.dataset.at = mark;
  told.textContent = `${words}.`;
}

// A look costs one read of one row. It is taken every third second while the page is seen and used, and at once by who
// comes back to it or acts on it: whoever has lost the claim should not work on.
const [WATCH, WATCH_IDLE, WATCH_ACTING] = [2500, 15_000, 1000]; // ms; the clock ticks each second
const [IDLE, PATIENCE] = [5 * 60_000, 10_000]; // ms without an action; for an answer
let watched = Date.now();
let acted = Date.now();
let watching = null; // what stops the look that is under way

function hasLapsed(until) {
  return new Date(until.dataset.leaseUntil) < Date.now(); // it may be taken at any moment
}

async function watchClaim(least) {
  const form = document.querySelector("#review-form[data-watch]");
  const until = document.querySelector("[data-lease-until]");
  if (!form || !until || watching || document.hidden || !navigator.onLine) return;
  const used = Date.now() - acted < IDLE || hasLapsed(until);
  if (Date.now() - watched < (least ?? (used ? WATCH : WATCH_IDLE))) return;
  watched = Date.now();
  const address = form.dataset.watch;
  const stop = watching = new AbortController();
  const late = setTimeout(() => stop.abort(), PATIENCE);
  const answer = await fetch(address, { headers: { "HX-Request": "true" }, signal: stop.signal }).catch(() => null);
  clearTimeout(late);
  if (watching === stop) watching = null;
  if (!answer || document.querySelector("#review-form")?.dataset.watch !== address) return; // another page by now
  if (answer.status === 204) {
    const { lease } = JSON.parse(answer.headers.get("HX-Trigger"));
    document.body.dispatchEvent(new CustomEvent("lease", { detail: { value: lease } }));
  } else if (answer.status === 409) {
    document.body.dispatchEvent(new CustomEvent("claim-lost", { detail: await answer.text() }));
  } else if (answer.status === 401) {
    acted = 0; // the session has ended: what is saved next asks for it again
  }
}
for (const name of ["visibilitychange", "focus", "pageshow", "online"]) {
  addEventListener(name, () => watchClaim(WATCH_ACTING));
}
for (const name of ["keydown", "pointerdown", "wheel"]) {
  addEventListener(name, () => {
    acted = Date.now();
    watchClaim(WATCH_ACTING);
  }, { capture: true, passive: true });
}
addEventListener("pointermove", () => { acted = Date.now(); }, { capture: true, passive: true });
// A decision ends the claim by itself, and its answer tells of one that was lost.
document.body.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.elt.id !== "review-form") return;
  watched = Date.now();
  watching?.abort();
  watching = null;
});

// ---- the lease and the undo window run down ----------------------------------------------------------------------
function tick() {
  tickDue();
  watchClaim();
  const lease = document.querySelector("[data-lease-until]");
  if (lease) {
    const left = Math.round((new Date(lease.dataset.leaseUntil) - Date.now()) / 1000);
    const ending = left < 60;
    lease.classList.toggle("ending", ending);
    const alert = lease.querySelector("[data-lease-ending]"); // said once, not each second
    const words = left > 0 ? said("Your claim ends within a minute. Extend it to continue.") : said("Your claim expired. Extend it before another person claims it.");
    const told = ending ? words : "";
    if (alert.textContent !== told) alert.textContent = told;
    lease.querySelector("[data-lease]").textContent =
      left > 0 ? said("Claimed, %(time)s left", { time: `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}` }) : said("Claim expired");
  }
  for (const undo of document.querySelectorAll("[data-undo-until]")) {
    if (new Date(undo.dataset.undoUntil) > Date.now()) continue;
    const told = undo.closest("[data-receipt]");
    const words = told?.querySelector("[data-undo-words]");
    undo.remove();
    if (words) words.textContent = said("Submitted. The run continues.");
    if (told?.matches(".toast")) setTimeout(() => told.remove(), 6000);
    if (!document.querySelector("[data-undo-until]")) document.querySelector(".undo-all")?.remove();
  }
}
document.body.addEventListener("lease", (event) => {
  const lease = document.querySelector("[data-lease-until]");
  if (lease) lease.dataset.leaseUntil = event.detail.value;
  watched = Date.now(); // a saved draft says it as well
  tick();
});

document.body.addEventListener("htmx:afterSettle", tick);
tick();
setInterval(tick, 1000);

// ---- "Tell me when it is free": asked for, while this page is open; nothing but words changes by itself -------------
const WATCH_FREE = 10_000; // ms

async function tellFree(button) {
  const told = document.querySelector("[data-told-free]");
  button.disabled = true;
  told.textContent = said("You will be told here.");
  const title = document.title;
  const timer = setInterval(async () => {
    if (!button.isConnected) return clearInterval(timer);
    const answer = await fetch(button.dataset.tellFree, { headers: { "HX-Request": "true" } }).catch(() => null);
    if (answer?.status !== 200) return;
    clearInterval(timer);
    const news = await answer.json();
    told.textContent = news.told;
    document.title = `${news.told} ${title}`;
    button.disabled = false;
    button.querySelector("span").textContent = said("Open it again");
    button.addEventListener("click", () => location.reload(), { once: true });
    delete button.dataset.tellFree;
  }, WATCH_FREE);
}
document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-tell-free]");
  if (button) tellFree(button);
});
function offerFree() {
  for (const button of document.querySelectorAll("[data-tell-free]")) button.hidden = false;
}
document.body.addEventListener("htmx:afterSettle", offerFree);
offerFree();
