// The keyboard on the screen: what one types into stays in sight with its cut-out, and Approve above the keys.
const view = window.visualViewport;
let height = view?.height ?? 0;

function fit() {
  // Some browsers lay their keyboard over a page that stays as large as it was.
  const covered = view.scale > 1.01 ? 0 : Math.max(0, Math.round(innerHeight - view.height - view.offsetTop));
  document.documentElement.style.setProperty("--keyboard", `${covered}px`);
  const field = document.activeElement?.closest?.("#desk [data-field]");
  if (field && Math.abs(view.height - height) > 1) {
    const room = view.height - covered - (document.querySelector("#desk .decision-bar")?.offsetHeight ?? 0);
    const value = field.offsetHeight > room && field.querySelector(".value-line, .grid-line");
    (value || field).scrollIntoView({ block: value ? "start" : "nearest" });
  }
  height = view.height;
}

view?.addEventListener("resize", fit);
view?.addEventListener("scroll", fit);
