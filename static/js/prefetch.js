// What a reviewer comes to next is fetched while this page is looked at.

// The picture of the page after this one.
function prefetch() {
  const next = document.querySelector(".page-image")?.dataset.following;
  if (next) requestIdleCallback(() => { new Image().src = next; }, { timeout: 2000 });
}

// And the first page of the document after this one.
const LOOKED_AT = 1500; // ms
let ahead = "";
async function prefetchNext() {
  const asked = document.querySelector("#review-form[data-ahead]")?.dataset.ahead;
  if (!asked || ahead === asked) return;
  ahead = asked;
  await new Promise((done) => { setTimeout(done, LOOKED_AT); });
  if (document.hidden) return;
  const answer = await fetch(asked).catch(() => null);
  const { picture } = answer?.ok && !answer.redirected ? await answer.json() : {}; // not to the sign-in
  if (picture) new Image().src = picture;
}

function fetchAhead() {
  prefetch();
  prefetchNext();
}
document.body.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.elt.closest?.("[data-desk]") || event.detail.elt.querySelector?.("[data-desk]")) fetchAhead();
});
fetchAhead();
