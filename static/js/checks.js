// What is typed is checked by the server while it is typed, as it will be when it is sent: what will be stored, what is
// wrong, and what wants a reason. Without an answer nothing is said; the server checks again what is sent.

const PAUSE = 250; // ms without a key
const form = () => document.querySelector("#review-form[data-check]");
let timer = null;
let asked = 0; // the last question counts

const token = () => document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1] || "";

async function check() {
  clearTimeout(timer);
  timer = null;
  const here = form();
  if (!here) return;
  const mark = ++asked;
  const body = new FormData();
  for (const [name, text] of new FormData(here)) {
    if (name === "ticket" || /^(field|answer|cell)-/.test(name)) body.set(name, text);
  }
  for (const field of here.querySelectorAll("[data-checked]")) body.set(`seen-${field.dataset.field}`, "1"); // somebody was there
  const headers = { "HX-Request": "true", "X-CSRFToken": token() };
  const answer = await fetch(here.dataset.check, { method: "POST", body, headers }).catch(() => null);
  if (!answer?.ok || mark !== asked || here !== form()) return;
  const { fields } = await answer.json();
  for (const [name, said] of Object.entries(fields)) tell(document.getElementById(`f-${name}`), said);
  if (timer === null) for (const field of here.querySelectorAll("[data-unjudged]")) field.removeAttribute("data-unjudged");
  document.body.dispatchEvent(new Event("judged"));
}

function tell(field, { stored, error, warnings, repair }) {
  if (!field) return;
  const typed = field.contains(document.activeElement) || field.hasAttribute("data-checked");
  show(field, "[data-stored]", "[data-stored-words]", [stored]);
  if (typed) show(field, "[data-live-error]", "[data-live-words]", [field.querySelector("[data-sent-error]") ? "" : error]);
  show(field, "[data-warned]", "[data-warned-words]", warnings);
  offer(field.querySelector("[data-repair]"), repair);
  if (warnings.length) field.closest("details")?.setAttribute("open", "");
}

function offer(button, value) {
  if (!button) return;
  button.hidden = !value;
  button.dataset.use = value;
  button.querySelector("[data-repair-words]").textContent = value;
}

function show(field, where, words, texts) {
  const told = field.querySelector(where);
  if (!told) return;
  const said = texts.filter(Boolean);
  told.hidden = !said.length;
  const lines = told.querySelector(words);
  if (!said.length || said.join() === [...lines.children].map((one) => one.textContent).join()) return;
  lines.replaceChildren(...said.map((text) => {
    const line = document.createElement("span");
    line.textContent = text;
    return line;
  }));
}

// Enter that goes no further says why, also where nothing was typed yet.
document.addEventListener("refused", ({ target }) => {
  target.setAttribute("data-checked", "");
  check();
});
document.addEventListener("input", (event) => {
  const box = event.target;
  if (box.form !== form() || !/^(field|answer)-/.test(box.name) || box.matches("[data-why]")) return;
  const field = box.closest("[data-field]");
  field?.setAttribute("data-checked", "");
  field?.setAttribute("data-unjudged", ""); // what stands beside it is about another text
  field?.querySelector("[data-sent-error]")?.remove();
  clearTimeout(timer);
  timer = setTimeout(check, PAUSE);
});
