// What is typed at the desk is saved while it is typed. The sign says what the server has answered, never more.

const PAUSE = 800; // ms without a key, then it is sent; at once where the field is left
const AGAIN = [3, 6, 12, 30]; // seconds until it is tried again

const OWN = "countersign-typed:"; // in the browser's own store until it is saved: a crash or a day offline takes nothing
const KEEP_DAYS = 7;
const LAST = "countersign-last-draft:"; // when this tab's last save was, by the draft's address

const form = () => document.querySelector("#review-form[data-draft]");
const waiting = new Map(); // name → text that no answer has confirmed; outlives a swap of the desk
let page = null; // where and with which ticket, for text that is left when the form is gone
let timer = null;
let tries = 0;
let sending = null; // what stops the save that is under way
let held = false; // a decision is on its way: it carries everything that was typed

const drafted = (box) => box?.form && box.form === form() && /^(field-|seen-|answer-|reason$)/.test(box.name);
const textOf = (box) => (box.type !== "checkbox" ? box.value : box.checked ? "1" : "");

function remember() {
  const here = form();
  if (!here) return;
  const before = page?.url === here.dataset.draft ? page : null;
  const base = before ? before.base : here.dataset.draftAt; // the draft that this page knows of
  const begun = "begun" in here.dataset || Boolean(before?.begun);
  page = { base, begun, url: here.dataset.draft, person: here.dataset.person, ticket: here.elements.ticket.value };
}

// ---- the browser's own copy of what no answer has confirmed; app.js clears it at sign-out ---------------------------
const ownKey = () => page && `${OWN}${page.person}:${page.url}`;

function keepOwn() {
  const key = ownKey();
  if (!key) return;
  try {
    if (waiting.size) localStorage.setItem(key, JSON.stringify({ at: Date.now(), base: page.base, typed: [...waiting] }));
    else localStorage.removeItem(key);
  } catch {
    // a full or forbidden store: the server's draft is what is promised
  }
}

// A page that was asked for while a save was under way may show the draft before it, and the save's answer took the own
// copy away. It is asked for once more.
function isBehind() {
  const key = form() && LAST + form().dataset.draft;
  const last = key && sessionStorage.getItem(key);
  if (!last) return false;
  sessionStorage.removeItem(key);
  return !(Date.parse(form().dataset.draftAt) >= Date.parse(last)); // also where it shows none
}

// What a crash left: newer than the draft, since all that was saved went out of it.
function restore() {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(OWN) && Date.now() - JSON.parse(localStorage.getItem(key)).at > KEEP_DAYS * 86_400_000) localStorage.removeItem(key);
  }
  remember();
  const left = JSON.parse(localStorage.getItem(ownKey()) || "null");
  if (!left || !form()) return;
  const savedAt = form().dataset.draftAt;
  if (savedAt !== left.base && Date.parse(savedAt) > left.at) return keepOwn(); // another browser of this person went on
  for (const [name, text] of left.typed) {
    const box = form().elements.namedItem(name);
    if (!box || waiting.has(name)) continue;
    waiting.set(name, text);
    if (box.type === "checkbox") box.checked = Boolean(text);
    else box.value = text;
  }
  if (!waiting.size) return keepOwn();
  // Beside the sign, which soon says "saved".
  document.body.dispatchEvent(new CustomEvent("toast", { detail: { text: said("Unsaved input restored") } }));
  later(0);
}

// ---- the sign ----------------------------------------------------------------------------------------------------
function say(words, name = "", tone = "") {
  const sign = document.querySelector("[data-save-sign]");
  if (!sign || sign.textContent.trim() === words) return;
  const text = document.createElement("span");
  text.textContent = words;
  sign.classList.toggle("bad", tone === "bad");
  sign.replaceChildren(...(name ? [icon(name)] : []), text);
}

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "icon small");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `${document.body.dataset.icons}#i-${name}`);
  svg.append(use);
  return svg;
}
const session = (over) => document.body.dispatchEvent(new CustomEvent("session", { detail: { over } }));
const clockTime = (at) => new Date(at).toLocaleTimeString(document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang);

// ---- sending -----------------------------------------------------------------------------------------------------
function later(milliseconds) {
  clearTimeout(timer);
  timer = setTimeout(send, milliseconds);
}

function token() {
  return document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1] || "";
}

async function send({ keepalive = false } = {}) {
  clearTimeout(timer);
  if (sending || held || !waiting.size || !page) return;
  const sent = new Map(waiting);
  const body = new FormData();
  for (const [name, text] of sent) body.set(name, text);
  body.set("ticket", page.ticket);
  if (page.begun) body.set("begun", "1");
  sending = new AbortController();
  const headers = { "HX-Request": "true", "X-CSRFToken": token() };
  const { url } = page;
  const answer = await fetch(url, { method: "POST", body, headers, keepalive, signal: sending.signal }).catch(() => null);
  sending = null;
  if (page?.url !== url) return waiting.size ? later(PAUSE) : undefined; // of a document that was decided meanwhile
  if (!held) await settle(answer, sent);
}

async function settle(answer, sent) {
  if (answer?.status === 204) return saved(sent, JSON.parse(answer.headers.get("HX-Trigger")));
  if (answer?.status === 409) return lost(sent, await answer.text());
  if (answer?.status === 422) return say(await sentence(answer), "stop", "bad"); // the next key tries again
  if (answer?.status === 401) session(true);
  say(said("Not saved – retrying"), "alert", "bad");
  later(AGAIN[Math.min(tries++, AGAIN.length - 1)] * 1000);
}

function saved(sent, news) {
  tries = 0;
  page.begun = true;
  page.base = news.draft;
  if (news.draft) sessionStorage.setItem(LAST + page.url, news.draft);
  for (const [name, text] of sent) if (waiting.get(name) === text) waiting.delete(name);
  keepOwn();
  session(false);
  document.body.dispatchEvent(new CustomEvent("lease", { detail: { value: news.lease } }));
  if (waiting.size) return later(PAUSE);
  document.body.dispatchEvent(new Event("saved"));
  say(said("Draft saved %(time)s", { time: clockTime(news.draft) }), "check");
}

// Somebody else has it: the answer shows who, and what was typed beside it; a text that came after is sent as well.
function lost(sent, text) {
  for (const [name, typed] of sent) if (waiting.get(name) === typed) waiting.delete(name);
  keepOwn();
  document.body.dispatchEvent(new Event("losing"));
  window.htmx.swap("#desk", text, { swapStyle: "outerHTML" });
  if (waiting.size) later(0);
  else document.body.dispatchEvent(new Event("saved"));
}

async function sentence(answer) {
  const answered = new DOMParser().parseFromString(await answer.text(), "text/html");
  return answered.querySelector("[data-message]")?.textContent.trim() || said("Not saved.");
}

// ---- what starts it ----------------------------------------------------------------------------------------------
document.addEventListener("input", (event) => {
  if (!drafted(event.target)) return;
  const box = event.target;
  waiting.set(box.name, textOf(box));
  if (box.checked && box.name.startsWith("seen-")) { // found right is a text: it goes with its box
    const name = box.name.replace("seen-", "field-");
    waiting.set(name, textOf(form().elements.namedItem(name)));
  }
  remember();
  keepOwn();
  say(said("Saving…"));
  later(PAUSE);
});
document.addEventListener("focusout", (event) => { if (drafted(event.target)) send(); });
document.addEventListener("visibilitychange", () => send({ keepalive: document.hidden }));
for (const name of ["online", "focus"]) window.addEventListener(name, () => send());
window.addEventListener("pagehide", () => send({ keepalive: true }));

// A save that the decision overtakes would be refused: its text goes with the decision, or again if that is refused.
document.body.addEventListener("htmx:beforeRequest", (event) => {
  if (event.detail.elt !== form()) return;
  held = true;
  sending?.abort();
});
document.body.addEventListener("htmx:afterRequest", (event) => {
  const { requestConfig, xhr } = event.detail; // the event's own element is another one where the form was swapped
  if (requestConfig.elt.id !== "review-form") return;
  if (xhr.getResponseHeader("HX-Redirect")) { // the page is left, and all of it was sent
    waiting.clear();
    return keepOwn();
  }
  held = false;
  if (waiting.size) later(PAUSE);
});

// The next document takes this one's place: all of it was sent, and nothing of it is about the next one.
document.body.addEventListener("decided", () => {
  clearTimeout(timer);
  waiting.clear();
  keepOwn();
  page = null;
  tries = 0;
  document.body.dispatchEvent(new Event("saved"));
});

// A swap of the desk brings what was sent: what was typed since is newer.
document.body.addEventListener("htmx:afterSettle", () => {
  const here = form();
  if (here && page?.url !== here.dataset.draft) return restore();
  for (const [name, text] of waiting) {
    const box = here?.elements.namedItem(name);
    if (box && textOf(box) !== text) box.type === "checkbox" ? (box.checked = Boolean(text)) : (box.value = text);
  }
  if (here) remember();
});

// Told that the claim is gone: what was typed is sent first, and its answer says the same.
document.body.addEventListener("claim-lost", (event) => {
  if (held || sending) return;
  if (waiting.size) send();
  else lost(new Map(), event.detail);
});
if (isBehind()) window.location.reload();
else restore();
