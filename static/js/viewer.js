// The page as a tool: zoom, rotation, panning, boxes. Hears which field is chosen; says which box was pressed.

const body = document.body;
const area = () => document.querySelector(".page-scroll");
const drawing = () => document.querySelector(".page-image");
const part = () => document.querySelector(".page-image, .page-text[data-index]");

// ---- what is kept: how large, from page to page and for the next document; which pages are turned, of this one ----
const ZOOM = "countersign-zoom";
const BOXES = "countersign-boxes-off";
const TURNS = "countersign-turns:";
const [LEAST, MOST] = [0.1, 6]; // pixels on the screen for one of the page's
const STEP = 1.25;
const READABLE = 18; // pixels that a line's box is high at least

let way = sessionStorage.getItem(ZOOM) || "auto"; // auto, width, page, or pixels for one of the page's
let field = ""; // the chosen one
let unplaced = false; // it was found on no page: the others show where to look, as on a small receipt
let cell = ""; // of a table: its grid says which
let opened = ""; // whose turns these are: its desk's address
let turns = {};
const turnOf = (index) => turns[index] || 0; // quarters, clockwise

// ---- the page as it lies: turned, and as large as is asked ---------------------------------------------------------
function lay() {
  const page = drawing();
  if (!page) return;
  const [width, height] = [Number(page.dataset.width), Number(page.dataset.height)];
  const quarters = turnOf(page.dataset.index);
  page.querySelector("[data-turn]").setAttribute("transform", turned(quarters, width, height));
  page.setAttribute("viewBox", `0 0 ${quarters % 2 ? `${height} ${width}` : `${width} ${height}`}`);
  for (const crop of document.querySelectorAll(`#desk [data-crop="${page.dataset.index}"]`)) turnCrop(crop, quarters, width, height);
  size();
}

function turned(quarters, width, height) {
  return ["", `translate(${height} 0) rotate(90)`, `translate(${width} ${height}) rotate(180)`, `translate(0 ${width}) rotate(270)`][quarters];
}

function turnCrop(crop, quarters, width, height) {
  crop.dataset.upright ||= crop.getAttribute("viewBox");
  const [x, y, wide, high] = crop.dataset.upright.split(" ").map(Number);
  const boxes = [[x, y, wide, high], [height - y - high, x, high, wide], [width - x - wide, height - y - high, wide, high], [y, width - x - wide, high, wide]];
  crop.setAttribute("viewBox", boxes[quarters].join(" "));
  crop.querySelector("image").setAttribute("transform", turned(quarters, width, height));
}

const across = () => drawing().viewBox.baseVal.width;
function inner() { // the room for the page
  const style = getComputedStyle(area());
  const pad = (one, other) => parseFloat(style[one]) + parseFloat(style[other]);
  return {
    width: area().clientWidth - pad("paddingLeft", "paddingRight"),
    height: area().clientHeight - pad("paddingTop", "paddingBottom"),
  };
}

function scale() {
  const room = inner();
  const whole = room.width / across();
  if (way === "width") return whole;
  if (way === "page") return Math.min(room.height / drawing().viewBox.baseVal.height, MOST);
  if (way !== "auto") return Number(way);
  const all = [...document.querySelectorAll(".page-image .field-box")].map((one) => one.getBBox()).filter((one) => one.height);
  const box = active()?.getBBox() || (unplaced && all.length && around(all));
  if (!box) return whole;
  const { width, height } = box;
  const lines = all.map((one) => one.height);
  const wide = turnOf(drawing().dataset.index) % 2 ? height : width;
  const readable = READABLE / Math.min(...lines, height); // an address has several lines: the lowest box has one
  return Math.max(whole, Math.min(readable, (room.width * 0.9) / wide, whole * 4));
}

function around(boxes) {
  const [left, top] = [Math.min(...boxes.map((one) => one.x)), Math.min(...boxes.map((one) => one.y))];
  const right = Math.max(...boxes.map((one) => one.x + one.width));
  const bottom = Math.max(...boxes.map((one) => one.y + one.height));
  return { width: right - left, height: bottom - top };
}

function size() {
  const page = drawing();
  if (!page || !area().clientWidth) return;
  const now = scale();
  const whole = inner().width / across();
  const fits = way === "width" || way === "auto" && now <= whole * 1.01;
  const wanted = fits ? "100%" : String(Math.round(now * across()));
  if (page.getAttribute("width") !== wanted) page.setAttribute("width", wanted);
  const words = document.querySelector("[data-zoom-words]");
  if (words) words.textContent = way === "width" ? said("Width") : way === "page" ? said("Page") : `${Math.round(now * 100)} %`;
  document.querySelector("[data-view='auto']")?.setAttribute("aria-pressed", String(way === "auto"));
  sharpen(page, now);
}

// What is sent is made small: a page that is looked at closely is fetched with all its pixels up to 3,200, and a larger
// one as it is stored. What was fetched stays, and the one before stays in sight until the next is there.
const [SENT, CLOSER] = [2000, 3200]; // pixels of the longer side, as the server makes them
let closer = null; // on its way; held, so that no request asks whether it may be shown

async function sharpen(page, now) {
  const image = page.querySelector("image");
  const longer = Math.max(Number(page.dataset.width), Number(page.dataset.height));
  const seen = now * longer * devicePixelRatio;
  const level = longer > CLOSER && seen > 1.5 * CLOSER ? 2 : (longer > SENT && seen > 1.5 * SENT) || now > 1.25 ? 1 : 0;
  if (level <= Number(image.dataset.level || 0)) return;
  image.dataset.level = level;
  const address = level === 2 ? image.dataset.stored : image.dataset.closer;
  closer = new Image();
  closer.src = address;
  await closer.decode().catch(() => null);
  if (Number(image.dataset.level) === level) image.setAttribute("href", address);
}

function zoom(wanted, at = null) {
  const page = drawing();
  if (!page) return;
  const before = page.getBoundingClientRect();
  const now = before.width / across();
  if (wanted === "in") way = String(Math.min(now * STEP, MOST));
  else if (wanted === "out") way = String(Math.max(now / STEP, LEAST));
  else way = typeof wanted === "number" ? String(Math.min(Math.max(now * wanted, LEAST), MOST)) : wanted;
  sessionStorage.setItem(ZOOM, way);
  size();
  const frame = area().getBoundingClientRect();
  const point = at || { x: frame.left + frame.width / 2, y: frame.top + frame.height / 2 };
  const after = page.getBoundingClientRect(); // what was under the pointer stays there
  area().scrollBy({
    left: after.left + ((point.x - before.left) / before.width) * after.width - point.x,
    top: after.top + ((point.y - before.top) / before.height) * after.height - point.y,
  });
  if (wanted === "auto") light();
}

function turn() {
  const page = drawing();
  if (!page) return;
  turns[page.dataset.index] = (turnOf(page.dataset.index) + 1) % 4;
  sessionStorage.setItem(TURNS + opened, JSON.stringify(turns));
  lay();
  light();
}

// ---- boxes ---------------------------------------------------------------------------------------------------------
function active() {
  const boxes = [...document.querySelectorAll(".page-image [data-cell-box], .page-image [data-box]")];
  const found = (cell && boxes.find((one) => one.dataset.cellBox === cell)) || boxes.find((one) => one.dataset.box === field);
  return found?.querySelector(".field-box");
}

function light() {
  for (const one of document.querySelectorAll("[data-mark]")) one.classList.toggle("active", one.dataset.mark === field);
  const first = document.querySelector(".field-mark.active");
  if (first && !drawing()) first.scrollIntoView({ block: "nearest" });
  const chosen = active();
  for (const box of document.querySelectorAll(".page-image .field-box")) box.classList.toggle("active", box === chosen);
  if (way === "auto") size();
  const seen = chosen || (unplaced && way === "auto" && document.querySelector(".page-image .field-box"));
  if (seen) intoView(seen);
}

function intoView(box) {
  const at = box.getBoundingClientRect();
  const frame = area().getBoundingClientRect();
  if (at.top >= frame.top && at.bottom <= frame.bottom && at.left >= frame.left && at.right <= frame.right) return;
  const left = at.width > frame.width - 48 ? at.left - frame.left - 24 : (at.left + at.right - frame.left - frame.right) / 2;
  area().scrollBy({ top: at.top - frame.top - frame.height / 3, left });
}

function boxes() {
  const off = !body.classList.contains("boxes-off");
  localStorage.setItem(BOXES, off ? "1" : "0");
  showBoxes();
}
function showBoxes() {
  const off = localStorage.getItem(BOXES) === "1";
  body.classList.toggle("boxes-off", off);
  document.querySelector("[data-view='boxes']")?.setAttribute("aria-pressed", String(!off));
}

// ---- the chosen field: its page comes, its box is lit ------------------------------------------------------------------
body.addEventListener("chosen", (event) => {
  const { name, page, part: key = "" } = event.detail;
  [field, cell] = [name, key];
  unplaced = document.getElementById(`f-${name}`)?.dataset.page === "";
  const shown = part()?.dataset.index;
  if (page !== "" && page !== undefined && shown !== undefined && String(page) !== shown)
    body.dispatchEvent(new CustomEvent("turn-to", { detail: Number(page) + 1 }));
  else light();
});

// ---- keys, buttons ---------------------------------------------------------------------------------------------------
const VIEWS = {
  in: () => zoom("in"), out: () => zoom("out"), width: () => zoom("width"), page: () => zoom("page"), auto: () => zoom("auto"),
  turn, boxes,
};
body.addEventListener("view", (event) => VIEWS[event.detail]?.());
document.addEventListener("click", (event) => {
  const target = event.target;
  const view = target.closest?.("[data-view]");
  if (view) return VIEWS[view.dataset.view]?.();
  const box = target.closest?.("[data-box], [data-mark]");
  if (!box || box.dataset.mark && !getSelection().isCollapsed) return;
  event.preventDefault();
  body.dispatchEvent(new CustomEvent("choose", { detail: box.dataset.box || box.dataset.mark }));
});

// ---- pointer: Ctrl and the wheel zoom where the pointer is, dragging moves the page -----------------------------------
document.addEventListener("wheel", (event) => {
  if (!(event.ctrlKey || event.metaKey) || !event.target.closest?.(".page-scroll") || !drawing()) return;
  event.preventDefault();
  zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.002)), { x: event.clientX, y: event.clientY });
}, { passive: false });

let drag = null;
document.addEventListener("pointerdown", (event) => {
  const inside = event.target.closest?.(".page-scroll");
  if (!inside || !drawing() || event.pointerType === "touch" || event.button || event.shiftKey || body.classList.contains("selecting")) return;
  if (event.offsetX > inside.clientWidth || event.offsetY > inside.clientHeight && event.target === inside) return; // its bars
  drag = { x: event.clientX, y: event.clientY, left: inside.scrollLeft, top: inside.scrollTop, moved: false };
});
document.addEventListener("pointermove", (event) => {
  if (!drag) return;
  const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
  if (!drag.moved && Math.hypot(x, y) < 4) return;
  drag.moved = true;
  body.classList.add("panning");
  area()?.scrollTo(drag.left - x, drag.top - y);
});
for (const end of ["pointerup", "pointercancel"]) {
  document.addEventListener(end, () => {
    const moved = drag?.moved;
    drag = null;
    body.classList.remove("panning");
    if (moved) document.addEventListener("click", swallow, { capture: true, once: true });
    if (moved) setTimeout(() => document.removeEventListener("click", swallow, true));
  });
}
function swallow(event) { // the end of a drag is no press of what lies there
  event.preventDefault();
  event.stopImmediatePropagation();
}
document.addEventListener("dragstart", (event) => { if (event.target.closest?.(".page-image")) event.preventDefault(); });

// ---- begin, and again after each swap ---------------------------------------------------------------------------------
const resized = new ResizeObserver(() => { // a phone is turned, its keyboard opens
  size();
  if (way === "auto" && active()) intoView(active());
});
function dress() {
  const address = document.querySelector("[data-desk]").dataset.desk;
  if (address !== opened) {
    opened = address;
    turns = JSON.parse(sessionStorage.getItem(TURNS + address) || "{}");
    field = cell = "";
  }
  resized.disconnect();
  if (area()) resized.observe(area());
  for (const draw of [showBoxes, lay, light]) draw();
}
body.addEventListener("htmx:afterSettle", (event) => {
  if (!event.detail.elt.closest?.("[data-desk]") && !event.detail.elt.querySelector?.("[data-desk]")) return;
  dress();
});
dress();
