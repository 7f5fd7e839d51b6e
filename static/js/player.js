// A recording beside its transcript: words jump, the word that is heard is marked, speed and keys.

const body = document.body;
const player = () => document.querySelector("[data-player]");
const SPEEDS = [1, 1.25, 1.5, 2, 0.75];
const SPEED = "countersign-speed";

// A page that is rendered again, such as after a refused decision, goes on where its recording was.
let left = null;

function remember(target) {
  const sound = player();
  if (!sound || !target.contains(sound)) return;
  left = { sound, at: sound.currentTime, rate: sound.playbackRate, plays: !sound.paused };
}

function resume() {
  const [sound, before] = [player(), left];
  if (!before || sound === before.sound) return;
  left = null;
  if (sound?.src !== before.sound.src) return;
  sound.currentTime = before.at;
  sound.playbackRate = before.rate;
  if (before.plays) sound.play().catch(() => {});
}

// Only whole utterances have times: within one, a word's is taken from the letters before it.
function dress() {
  const list = document.querySelector("[data-transcript]");
  if (!list || list.dataset.dressed) return;
  list.dataset.dressed = "1";
  for (const said of list.querySelectorAll("[data-at]")) {
    const text = said.querySelector("p");
    const [start, end, all] = [Number(said.dataset.at), Number(said.dataset.until), text.textContent.length || 1];
    let before = 0;
    const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode()) nodes.push(walker.currentNode);
    for (const node of nodes) {
      const parts = node.data.split(/(\s+)/).map((part) => {
        const at = start + ((end - start) * before) / all;
        before += part.length;
        if (!part.trim()) return part;
        const word = document.createElement("span");
        word.dataset.said = at.toFixed(2);
        word.textContent = part;
        return word;
      });
      node.replaceWith(...parts);
    }
  }
  const sound = player();
  if (!sound) return;
  sound.playbackRate = Number(sessionStorage.getItem(SPEED)) || 1;
  sound.addEventListener("timeupdate", follow);
}

function follow() {
  const now = player().currentTime;
  const words = [...document.querySelectorAll("[data-said]")];
  const heard = words.findLast((one) => Number(one.dataset.said) <= now + 0.05);
  for (const one of document.querySelectorAll(".heard")) if (one !== heard) one.classList.remove("heard");
  if (!heard || heard.classList.contains("heard")) return;
  heard.classList.add("heard");
  if (!player().paused) heard.scrollIntoView({ block: "nearest" });
}

function jump(to) {
  player().currentTime = Math.max(0, to);
  follow();
}

const ACTS = {
  play: (sound) => (sound.paused ? sound.play().catch(() => {}) : sound.pause()),
  back: (sound) => jump(sound.currentTime - 3),
  ahead: (sound) => jump(sound.currentTime + 3),
  speed: (sound) => {
    sound.playbackRate = SPEEDS[(SPEEDS.indexOf(sound.playbackRate) + 1) % SPEEDS.length];
    sessionStorage.setItem(SPEED, sound.playbackRate);
    const told = document.querySelector("[data-words-told]");
    if (told) told.textContent = said("Speed %(rate)s×", { rate: sound.playbackRate });
  },
};
body.addEventListener("view", (event) => { if (player()) ACTS[event.detail]?.(player()); });
document.addEventListener("click", (event) => {
  const word = event.target.closest?.("[data-said]");
  if (word && player() && getSelection().isCollapsed) jump(Number(word.dataset.said));
});
body.addEventListener("htmx:beforeSwap", (event) => remember(event.detail.target));
body.addEventListener("htmx:afterSettle", () => {
  dress();
  resume();
});
dress();
