// What a reviewer comes to next is fetched while this page is looked at.

// The picture of the page after this one.
function prefetch() {
  const following = document.querySelector(".page-image")?.dataset.following;
  if (following) requestIdleCallback(() => { new Image().src = following; }, { timeout: 2000 });
}

// And the first page of the document after this one.
const LOOKED_AT = 1500; // ms
let ahead = "";
let next = null; // its name and its picture, decoded and held: it is shown at once, and no request asks whether it may be
async function prefetchNext() {
  const asked = document.querySelector("#review-form[data-ahead]")?.dataset.ahead;
  if (!asked || ahead === asked) return;
  ahead = asked;
  next = null;
  await new Promise((done) => { setTimeout(done, LOOKED_AT); });
  if (document.hidden || ahead !== document.querySelector("#review-form")?.dataset.ahead) return;
  const answer = await fetch(asked).catch(() => null);
  const { picture, name } = answer?.ok && !answer.redirected ? await answer.json() : {}; // not to the sign-in
  if (!picture) return;
  const image = new Image();
  image.src = picture;
  await image.decode().catch(() => {});
  if (ahead === asked && image.naturalWidth) next = { name, image };
}

// While the decision is on its way the next page lies over the desk, to be looked at and nothing else: what is below
// stays as it is until the answer takes its place, and comes back where there is none.
const DOUBTS = "[data-todo]:not(.settled), [data-live-error]:not([hidden]), [data-warned]:not([hidden]), [data-sent-error]";
function cover({ formData }) {
  const page = document.querySelector(".page-scroll");
  if (!next || !page || formData.get("decision") !== "approve-and-next") return;
  if (document.querySelector(`#desk :is(${DOUBTS})`)) return; // the server will ask something
  const sheet = document.createElement("div");
  sheet.className = "next-cover";
  sheet.dataset.nextCover = "";
  sheet.setAttribute("aria-hidden", "true");
  const words = document.createElement("p");
  words.className = "truncate";
  words.textContent = said("Opening %(name)s…", { name: next.name });
  const { left, top, width, height } = page.getBoundingClientRect();
  const frame = document.createElement("div");
  Object.assign(frame.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
  frame.append(next.image);
  sheet.append(words, frame);
  document.body.append(sheet);
  performance.mark("next-shown");
}
const uncover = () => document.querySelector("[data-next-cover]")?.remove();
document.body.addEventListener("htmx:beforeSend", (event) => {
  if (event.detail.elt.id === "review-form") cover(event.detail.requestConfig);
});
document.body.addEventListener("htmx:afterRequest", (event) => {
  const { requestConfig, xhr } = event.detail;
  if (requestConfig.elt.id === "review-form" && !xhr.getResponseHeader("HX-Redirect")) uncover(); // else the page is left
});
window.addEventListener("pageshow", uncover);

function fetchAhead() {
  prefetch();
  prefetchNext();
}
document.body.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.elt.closest?.("[data-desk]") || event.detail.elt.querySelector?.("[data-desk]")) fetchAhead();
});
fetchAhead();
