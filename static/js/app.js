// What every page needs: toasts, focus, live areas and the end of a session. No framework.

const body = document.body;

// ---- sentences of scripts, in the language of the page: said.de.js has them, and an English page loads none --------
globalThis.said = (text, values = {}) => Object.entries(values).reduce(
  (told, [name, value]) => told.replaceAll(`%(${name})s`, value),
  globalThis.SAID?.[text] ?? text,
);

// ---- toasts: passing news, from a redirect or from a response's HX-Trigger {"toast": {"text", "tone"}} ----------
const TOAST_SECONDS = 8;

function toast(text, tone = "good") {
  const box = document.createElement("div");
  box.className = `toast ${tone}`;
  box.append(icon({ good: "check", warn: "alert", bad: "stop" }[tone] || "info"));
  const words = document.createElement("span");
  words.textContent = text;
  box.append(words);
  dismiss(text);
  document.querySelector("#toasts").append(box);
  dressToast(box);
}

function dismiss(text) {
  for (const box of document.querySelectorAll("#toasts .toast")) {
    if (box.querySelector("span")?.textContent === text) box.remove();
  }
}

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `${document.body.dataset.icons}#i-${name}`);
  svg.append(use);
  return svg;
}

function dressToast(box) {
  const close = document.createElement("button");
  close.type = "button";
  close.className = "button small icon-only";
  close.setAttribute("aria-label", said("Dismiss"));
  close.append(icon("x"));
  close.addEventListener("click", () => box.remove());
  box.append(close);
  // Bad news stays until it is closed; good news waits while somebody reads it.
  if (box.matches(".bad, .error, .warning, .warn")) return;
  const leave = () => (box.matches(":hover, :focus-within") ? setTimeout(leave, 2000) : box.remove());
  setTimeout(leave, TOAST_SECONDS * 1000);
}

for (const box of document.querySelectorAll("[data-toast]")) dressToast(box);
body.addEventListener("toast", (event) => toast(event.detail.text, event.detail.tone));

// ---- a notice over the page: one at a time, and it never takes the place of what somebody typed ------------------
function notice(text, link) {
  const area = document.querySelector("#notices");
  if (!area || area.dataset.text === text) return;
  area.dataset.text = text;
  const box = document.createElement("div");
  box.className = "banner warn";
  const words = document.createElement("p");
  words.textContent = `${text} `;
  if (link) {
    const way = document.createElement("a");
    words.append(Object.assign(way, { href: link.href, target: "_blank", rel: "noopener", textContent: link.text }));
  }
  box.append(icon("alert"), words);
  area.replaceChildren(box);
}

function clearNotice() {
  const area = document.querySelector("#notices");
  if (!area?.dataset.text) return;
  delete area.dataset.text;
  area.replaceChildren();
}

// ---- answers that are not swapped: session over, not allowed, not reachable --------------------------------------
const SESSION = said("Your session expired. Sign in in another tab, then try again. Your input is kept.");

body.addEventListener("htmx:beforeSwap", (event) => {
  const { xhr } = event.detail;
  if (xhr.status === 401) {
    event.detail.shouldSwap = false;
    notice(SESSION, { href: body.dataset.login || "/login/", text: said("Sign in") });
  } else if (holds(event.detail.target)) {
    event.detail.shouldSwap = false;
  }
});
// A save that runs by itself tells what it met: the words stand over the page, the text stays where it is.
body.addEventListener("session", (event) => {
  if (event.detail.over) notice(SESSION, { href: body.dataset.login || "/login/", text: said("Sign in") });
  else clearNotice();
});
body.addEventListener("htmx:responseError", (event) => {
  const { xhr, elt } = event.detail;
  if (xhr.status === 401) return;
  if (elt.closest("[data-live]")) return notice(said("This page could not be updated. Retrying automatically."));
  const answer = new DOMParser().parseFromString(xhr.responseText, "text/html").querySelector("[data-message]");
  toast(answer?.textContent.trim() || said("Something went wrong. Saved data is safe; check before you try again."), "bad");
});
const LOST = said("Connection lost. Nothing was sent; try again when you are back online.");
body.addEventListener("htmx:sendError", (event) => {
  if (event.detail.elt.closest("[data-live]")) notice(said("Connection lost. This page resumes when you are back online."));
  else toast(LOST, "bad");
});
body.addEventListener("htmx:afterRequest", (event) => {
  if (!event.detail.successful) return;
  clearNotice();
  // A page that asks by itself says nothing of what somebody sent.
  if (!event.detail.elt.closest("[data-live]")) dismiss(LOST);
});
const OFFLINE = said("You are offline. Your input is kept in this browser and saved later; nothing can be decided until then.");
window.addEventListener("offline", () => { if (document.querySelector("[data-approve]")) notice(OFFLINE); });
window.addEventListener("online", () => { if (document.querySelector("#notices")?.dataset.text === OFFLINE) clearNotice(); });

// ---- signing in again changes the token that every form carries: always send the one the cookie holds now --------
const freshToken = () => document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1];
body.addEventListener("htmx:configRequest", (event) => {
  const token = freshToken();
  if (!token || event.detail.verb === "get") return;
  event.detail.headers["X-CSRFToken"] = token;
  if (event.detail.parameters.csrfmiddlewaretoken) event.detail.parameters.csrfmiddlewaretoken = token;
});
document.addEventListener("submit", (event) => {
  const field = event.target.elements?.namedItem("csrfmiddlewaretoken");
  if (field && freshToken()) field.value = freshToken();
}, true);

// ---- focus after a swap: where the answer says, else the next sensible heading; never lost to the body -----------
let hadFocus = false;
const focusBefore = new WeakMap(); // request → what had focus; a button that is disabled meanwhile loses it

body.addEventListener("htmx:beforeRequest", (event) => focusBefore.set(event.detail.xhr, document.activeElement));
body.addEventListener("htmx:beforeSwap", (event) => {
  const { target, xhr } = event.detail;
  const focused = document.activeElement === body ? focusBefore.get(xhr) : document.activeElement;
  hadFocus = Boolean(focused && focused !== body && target?.contains(focused));
});
body.addEventListener("htmx:afterRequest", (event) => {
  const before = focusBefore.get(event.detail.xhr);
  if (document.activeElement === body && before?.isConnected && before !== body) before.focus({ preventScroll: true });
});
body.addEventListener("htmx:afterSettle", (event) => {
  const spot = event.detail.elt;
  const live = spot.closest("[data-live]");
  const asks = "[aria-invalid='true'], [data-focus], [autofocus]";
  const asked = live ? null : spot.matches(asks) ? spot : spot.querySelector(asks);
  if (asked) asked.focus();
  else if (hadFocus && document.activeElement === body) {
    const heading = spot.querySelector("h1, h2, h3") || spot;
    if (!heading.hasAttribute("tabindex")) heading.setAttribute("tabindex", "-1");
    heading.focus({ preventScroll: true });
  }
  hadFocus = false;
});

// ---- [data-rechecked]: judged anew while it is typed, so what was wrong when it was sent goes -----------------------
function unmark(field) {
  const message = document.getElementById(`${field.id}_error`);
  field.removeAttribute("aria-invalid");
  const left = (field.getAttribute("aria-describedby") || "").split(" ").filter((id) => id !== message?.id);
  field.setAttribute("aria-describedby", left.join(" "));
  message?.remove();
}
body.addEventListener("input", ({ target }) => {
  for (const field of target.closest("[data-rechecked]")?.querySelectorAll("[aria-invalid='true']") || []) unmark(field);
  // ---- [data-marked]: the number of marked entries of the form; one that is changed is no longer marked
  const banner = target.closest("form")?.querySelector("[data-marked]");
  if (!banner || !target.matches("[aria-invalid='true']")) return;
  unmark(target);
  tellMarked(banner, banner.dataset.marked - 1);
});
function tellMarked(banner, left) {
  banner.dataset.marked = left;
  const { one, many, none } = banner.dataset;
  banner.querySelector("span").textContent = left < 1 ? none : left === 1 ? one : many.replace("{count}", left);
  banner.classList.toggle("bad", left > 0);
}
// Rows that were moved, removed or filled in are shown without marks, beside a banner that is not shown anew.
body.addEventListener("htmx:afterSettle", ({ target }) => {
  const form = target.closest("form");
  const banner = form?.querySelector("[data-marked]");
  if (banner && form !== target) tellMarked(banner, form.querySelectorAll("[aria-invalid='true']").length);
});

// ---- live areas: [data-live] polls; it rests while paused (unless "always"), while the tab is hidden, under the pointer ----
const PAUSED = "countersign-paused";
const paused = () => sessionStorage.getItem(PAUSED) === "1";
const held = new WeakMap();

function holds(target) {
  const live = target?.closest?.("[data-live]");
  if (!live || !live.querySelector("tr:hover, [data-row]:hover, :focus-visible")) {
    if (live) held.delete(live);
    return false;
  }
  const times = (held.get(live) || 0) + 1; // a pointer left lying there must not stop the news for good
  held.set(live, times % 4);
  return times < 4;
}
body.addEventListener("htmx:beforeRequest", (event) => {
  const { elt } = event.detail;
  const live = elt.closest("[data-live]");
  if (live && ((paused() && live.dataset.live !== "always") || document.hidden)) event.preventDefault();
  // The poll itself: what someone is choosing in a form would be gone.
  if (elt === live && live.querySelector("form :is(input, select):focus")) event.preventDefault();
});
function showPaused() {
  for (const button of document.querySelectorAll("[data-pause-live]")) {
    button.hidden = false;
    button.setAttribute("aria-pressed", String(paused()));
    const words = button.querySelector("[data-words]");
    if (words) words.textContent = paused() ? words.dataset.resume : words.dataset.pause;
    button.querySelector("use")?.setAttribute("href", `${body.dataset.icons}#i-${paused() ? "play" : "pause"}`);
  }
  body.classList.toggle("live-paused", paused());
}
document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-pause-live]")) return;
  sessionStorage.setItem(PAUSED, paused() ? "0" : "1");
  showPaused();
});

// ---- leaving a page with something typed and not saved asks first -------------------------------------------------
let unsaved = false;
const guarded = (element) => element?.closest?.("form[data-warn-unsaved]");
document.addEventListener("input", (event) => { if (guarded(event.target)) unsaved = true; });
document.addEventListener("submit", (event) => { if (guarded(event.target)) unsaved = false; });
body.addEventListener("htmx:afterRequest", (event) => {
  const { elt, xhr } = event.detail;
  // A row that was moved, or a save that was not taken.
  if (guarded(elt) && (elt.name === "rows" || !xhr.status || xhr.status >= 400)) unsaved = true;
});
body.addEventListener("saved", () => { unsaved = false; });
window.addEventListener("beforeunload", (event) => { if (unsaved) event.preventDefault(); });

// ---- signing out leaves nothing typed in this browser --------------------------------------------------------------
document.addEventListener("submit", (event) => {
  if (!event.target.matches("form[action$='/logout/']")) return;
  for (const key of Object.keys(localStorage)) if (key.startsWith("countersign-typed:")) localStorage.removeItem(key);
});

// ---- menus close when one looks elsewhere -------------------------------------------------------------------------
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details[data-menu][open]")) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = document.querySelector("details[data-menu][open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

// ---- "/" goes to the search box, unless somebody is typing or has switched single keys off (WCAG 2.1.4) ------------
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.closest?.("input, textarea, select, [contenteditable], dialog")) return;
  if (localStorage.getItem("countersign-keys-off") === "1") return;
  const box = [...document.querySelectorAll("[data-search-box]")].find((one) => one.checkVisibility());
  if (!box) return;
  event.preventDefault();
  box.focus();
  box.select();
});

showPaused();

// ---- copying: the text stands there to be selected, so the button comes only where a script can do it -----------
if (navigator.clipboard) {
  const offerCopy = () => {
    for (const button of document.querySelectorAll("button[data-copy]")) button.hidden = false;
  };
  offerCopy();
  body.addEventListener("htmx:afterSettle", offerCopy);
  document.addEventListener("click", async ({ target }) => {
    const button = target.closest?.("button[data-copy]");
    if (!button) return;
    try {
      await navigator.clipboard.writeText(document.querySelector(button.dataset.copy).textContent);
      toast(said("Copied."));
    } catch {
      toast(said("Copying was blocked by the browser. Select the text instead."), "warn");
    }
  });
}

// A notification that is opened is read; without JavaScript its own button says so.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-read]");
  const form = link?.closest("li")?.querySelector("form");
  if (form) navigator.sendBeacon(form.action, new FormData(form));
});
