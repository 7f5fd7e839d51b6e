// Words of the page: pressed or dragged over, they fill the active field. Where no text was read, OCR reads the region.

const body = document.body;
const NS = "http://www.w3.org/2000/svg";
const drawing = () => document.querySelector("#desk[data-mine] .page-image[data-words]");
const told = (words) => { const area = document.querySelector("[data-words-told]"); if (area) area.textContent = words; };

// ---- the words come when a pointer does; a review by keyboard alone does not pay for them --------------------------
let under = ""; // the address whose words are there, or on their way

async function load() {
  const page = drawing();
  if (!page || under === page.dataset.words && page.querySelector("[data-word]")) return;
  under = page.dataset.words;
  const answer = await fetch(under).catch(() => null);
  if (!answer?.ok || answer.redirected || drawing()?.dataset.words !== under) return;
  const { words } = await answer.json();
  const [width, height] = [Number(page.dataset.width) / 1000, Number(page.dataset.height) / 1000];
  const layer = document.createElementNS(NS, "g");
  layer.setAttribute("aria-hidden", "true"); // the fields are the equivalent
  for (const [text, left, top, right, bottom] of words) {
    const one = document.createElementNS(NS, "rect");
    one.setAttribute("class", "word");
    one.dataset.word = text;
    for (const [name, value] of [["x", left * width], ["y", top * height], ["width", (right - left) * width], ["height", (bottom - top) * height]]) {
      one.setAttribute(name, value.toFixed(1));
    }
    layer.append(one);
  }
  if (page.querySelector("[data-word]")) return;
  page.querySelector("[data-turn] > image").after(layer); // below the boxes
}
let asked = 0;
document.addEventListener("pointerover", (event) => {
  if (!event.target.closest?.(".page-image[data-words]") || Date.now() - asked < 500) return;
  asked = Date.now();
  load();
});

const fill = (text, append) => body.dispatchEvent(new CustomEvent("fill", { detail: { text, append } }));

// ---- a press on a word fills, with Ctrl it is added -----------------------------------------------------------------
document.addEventListener("click", (event) => {
  const word = event.target.closest?.("[data-word]");
  if (!word || !drawing()) return;
  fill(word.dataset.word, event.ctrlKey || event.metaKey);
});

// ---- a drag with Shift, or with the tool in hand, takes all words that it touches ------------------------------------
let from = null;
let band = null;

const point = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing().querySelector("[data-turn]").getScreenCTM().inverse());
function region(event) {
  const to = point(event);
  return { x: Math.min(from.x, to.x), y: Math.min(from.y, to.y), width: Math.abs(from.x - to.x), height: Math.abs(from.y - to.y) };
}

document.addEventListener("pointerdown", (event) => {
  if (!drawing() || event.button || !event.target.closest?.(".page-image")) return;
  if (!event.shiftKey && !body.classList.contains("selecting")) return;
  event.preventDefault(); // focus stays in its field, and a finger does not scroll
  load();
  from = point(event);
  band = document.createElementNS(NS, "rect");
  band.setAttribute("class", "band");
  drawing().querySelector("[data-turn]").append(band);
});
document.addEventListener("pointermove", (event) => {
  if (!from || !drawing()) return;
  for (const [name, value] of Object.entries(region(event))) band.setAttribute(name, value.toFixed(1));
});
document.addEventListener("pointerup", (event) => {
  if (!from || !drawing()) return;
  const taken = region(event);
  from = null;
  band.remove();
  if (taken.width < 4 || taken.height < 4) return;
  addEventListener("click", (click) => { click.preventDefault(); click.stopPropagation(); }, { capture: true, once: true });
  take(taken, event.ctrlKey || event.metaKey);
});
document.addEventListener("pointercancel", () => { from = null; band?.remove(); });

function take(box, append) {
  const inside = [...drawing().querySelectorAll("[data-word]")].filter((one) => {
    const at = one.getBBox();
    const [x, y] = [at.x + at.width / 2, at.y + at.height / 2];
    return x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
  });
  if (inside.length) fill(inside.map((one) => one.dataset.word).join(" "), append);
  else read(box, append);
}

// ---- no text there: the project's OCR reads the region; a worker does it, so it is asked for again -------------------
const AGAIN = [500, 700, 1000, 1500, 2000, 3000, 4000, 5000, 5000, 10_000]; // ms between questions: half a minute

async function read(box, append) {
  const page = drawing();
  const form = document.querySelector("#review-form");
  const [width, height] = [Number(page.dataset.width), Number(page.dataset.height)];
  const sent = new FormData();
  const edges = { left: box.x / width, top: box.y / height, right: (box.x + box.width) / width, bottom: (box.y + box.height) / height };
  for (const [name, value] of Object.entries(edges)) sent.set(name, Math.min(Math.max(value, 0), 1).toFixed(4));
  const token = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1] || "";
  told(said("Reading the region…"));
  let answer = await fetch(page.dataset.region, { method: "POST", body: sent, headers: { "X-CSRFToken": token } }).catch(() => null);
  for (const pause of AGAIN) {
    if (answer?.status !== 202 || answer.redirected) break;
    const { name } = await answer.json();
    await new Promise((done) => { setTimeout(done, pause); });
    answer = await fetch(`${page.dataset.region}?name=${name}`).catch(() => null);
  }
  if (form !== document.querySelector("#review-form")) return; // another document by now
  const found = answer?.headers.get("Content-Type")?.startsWith("application/json") ? await answer.json() : {};
  if (answer?.status === 200 && found.text) return fill(found.text, append);
  told(found.problem || (answer?.status === 200 ? said("No text was found in this region.") : said("The region could not be read. Try again.")));
}

// ---- the tool, and a selection in a page of text ----------------------------------------------------------------------
function select() {
  const text = String(getSelection()).trim().replace(/\s+/g, " ");
  if (document.querySelector(".page-text") && !document.querySelector(".page-image")) {
    if (text && getSelection().anchorNode?.parentElement?.closest(".page-text")) fill(text, false);
    else told(said("Select text on the page first."));
    return;
  }
  body.classList.toggle("selecting");
  show();
  if (body.classList.contains("selecting")) load();
}
function show() {
  document.querySelector("[data-select-words]")?.setAttribute("aria-pressed", String(body.classList.contains("selecting")));
}
body.addEventListener("view", (event) => { if (event.detail === "select") select(); });
document.addEventListener("pointerdown", (event) => { if (event.target.closest?.("[data-select-words]")) event.preventDefault(); }); // the selection stays
document.addEventListener("click", (event) => { if (event.target.closest?.("[data-select-words]")) select(); });
body.addEventListener("filled", (event) => told(event.detail));
body.addEventListener("htmx:afterSettle", show);
body.addEventListener("decided", () => body.classList.remove("selecting"));
