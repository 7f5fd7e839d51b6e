// From page to page without leaving the desk: by step, by number, by what is searched for. What one types meanwhile stays.

const body = document.body;
const desk = () => document.querySelector("[data-desk]").dataset.desk;

// ---- where one is in the page that goes, one is in the page that comes: at once, so that the next key arrives there -----
const SPOTS = ["[data-to-page='before']", "[data-to-page='after']", "[data-go-to] input", "[data-find] [type='search']"];
let sent = ""; // what stood in the box when the page was asked for
let wanted = ""; // what gets the focus
let typed = null; // into that box since then
let searched = false; // whether the page that comes was searched for

function spotOf(focused) {
  if (!focused?.closest("#page-viewer")) return "";
  if (focused.closest(".page-strip")) return ".page-strip [aria-current]";
  return SPOTS.find((one) => focused.matches(one)) || ".page-scroll";
}

function turnTo(page, find = document.querySelector("[data-find] [type='search']")?.defaultValue || "") {
  sent = document.activeElement?.value;
  searched = Boolean(find);
  const more = find ? `&find=${encodeURIComponent(find)}` : "";
  window.htmx.ajax("GET", `${desk()}?page=${page}${more}`, { source: "#page-viewer", target: "#page-viewer", swap: "outerHTML" });
}

body.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target.id !== "page-viewer") return;
  const focused = document.activeElement;
  wanted = spotOf(focused);
  typed = wanted && focused.matches("input") && focused.value !== sent ? focused.value : null;
});
body.addEventListener("htmx:afterSwap", (event) => {
  if (event.detail.elt.id !== "page-viewer" || !wanted) return;
  const same = document.querySelector(`#page-viewer ${wanted}`) || document.querySelector(".page-scroll");
  wanted = "";
  same.focus({ preventScroll: true });
  if (typed !== null) same.value = typed;
  else if (same.matches("input")) same.select();
});
body.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.elt.id !== "page-viewer" || !searched) return;
  document.querySelector(".page-image rect.hit, .page-text mark.hit")?.scrollIntoView({ block: "center" });
});

// ---- what asks for a page: a field, a key, a link, a number, a search ---------------------------------------------------
const step = (by) => document.querySelector(`.viewer-tools [data-to-page="${by}"]`)?.click();
const STEPS = {
  before: () => step("before"),
  after: () => step("after"),
  number: () => { const box = document.querySelector("[data-go-to] input"); box?.focus(); box?.select(); },
};
body.addEventListener("view", (event) => STEPS[event.detail]?.());
body.addEventListener("turn-to", (event) => turnTo(event.detail));

document.addEventListener("click", (event) => {
  const page = event.target.closest?.("a[data-to-page]");
  if (!page || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  const asked = new URL(page.href).searchParams;
  if (page.dataset.toPage === "clear") turnTo(asked.get("page"), "");
  else turnTo(asked.get("page"));
});

document.addEventListener("submit", (event) => {
  if (event.target.matches("[data-find]")) {
    event.preventDefault();
    const [hits, text] = [[...document.querySelectorAll("[data-to-page='found']")], event.target.elements.find];
    const at = hits.findIndex((one) => one.hasAttribute("aria-current"));
    // The same again goes to the next page that has it.
    if (text.value === text.defaultValue && hits.length) turnTo(new URL(hits[(at + 1) % hits.length].href).searchParams.get("page"));
    else turnTo(event.target.elements.page.value, text.value.trim());
    return;
  }
  if (!event.target.matches("[data-go-to]")) return;
  event.preventDefault();
  const box = event.target.elements.page;
  const page = Math.min(Math.max(parseInt(box.value, 10) || Number(box.defaultValue), 1), Number(box.dataset.most));
  turnTo(page);
});
