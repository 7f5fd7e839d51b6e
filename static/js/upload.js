// Uploads one file a request, with its progress; without this script the form sends all of them at once.

const form = document.querySelector("form[data-upload]");
const input = form.querySelector("input[type=file]");
const list = form.querySelector("[data-files]");
const drop = form.querySelector("[data-drop]");
const waiting = [];
let busy = false;

function row(file) {
  const item = document.createElement("li");
  const name = document.createElement("b");
  name.textContent = file.name;
  const meter = document.createElement("progress");
  meter.className = "progress";
  meter.max = 100;
  meter.value = 0;
  meter.setAttribute("aria-label", said("Upload of %(name)s", { name: file.name }));
  const words = document.createElement("p");
  words.className = "meta";
  words.textContent = said("Queued");
  item.append(name, meter, words);
  list.append(item);
  return { item, meter, words };
}

function say(place, text, tone = "", link = null, wayWords = said("View run")) {
  place.words.className = tone ? `message ${tone}` : "meta";
  place.words.textContent = text;
  if (tone) place.meter.remove();
  if (!link) return;
  const way = document.createElement("a");
  way.href = link;
  way.textContent = wayWords;
  place.words.append(" ", way);
}

function add(files) {
  const limit = Number(form.dataset.limit);
  for (const file of files) {
    const place = row(file);
    if (file.size > limit) say(place, said("File is larger than %(limit)s. Split it and upload the parts.", { limit: form.dataset.limitWords }), "bad");
    else if (file.size === 0) say(place, said("File is empty. Save it again and retry."), "bad");
    else waiting.push({ file, place });
  }
  next();
}

function next() {
  if (busy || !waiting.length) return;
  busy = true;
  const { file, place } = waiting.shift();
  send(file, place, () => { busy = false; next(); });
}

function send(file, place, done) {
  const body = new FormData();
  // Signing in again in another tab changes the token: the cookie holds the one that counts.
  const token = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1];
  body.append("csrfmiddlewaretoken", token || form.elements.namedItem("csrfmiddlewaretoken").value);
  body.append("files", file);
  for (const choice of form.querySelectorAll("select, [data-sent]")) body.append(choice.name, choice.value);
  const request = new XMLHttpRequest();
  request.open("POST", form.action);
  request.setRequestHeader("Accept", "application/json");
  request.responseType = "json";
  request.upload.addEventListener("progress", (event) => {
    if (!event.lengthComputable) return;
    const share = Math.floor((event.loaded / event.total) * 100);
    place.meter.value = share;
    place.words.textContent = share < 100 ? `${share} %` : said("Inspecting");
  });
  request.addEventListener("load", () => { told(request, place); done(); });
  request.addEventListener("error", () => {
    say(place, said("Connection lost. The file was not saved; upload it again when you are back online."), "bad");
    done();
  });
  say(place, "0 %");
  request.send(body);
}

function told(request, place) {
  const answer = request.response?.files?.[0];
  if (answer?.error) return say(place, answer.error, "bad");
  if (answer) form.querySelector("[data-leave]").textContent = said("View project"); // where they are watched together
  if (answer) return say(place, [answer.started ? said("Uploaded. Run started.") : said("Uploaded."), ...answer.notes].join(" "), "good", answer.url, answer.way);
  const ended = request.status === 401 || request.responseURL.includes(document.body.dataset.login);
  say(place, ended
    ? said("Your session expired. Sign in in another tab and upload this file again.")
    : said("Upload failed. The file was not saved; upload it again."), "bad");
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  add(input.files);
  input.value = "";
});
for (const kind of ["dragenter", "dragover"]) {
  drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("drop-over"); });
}
drop.addEventListener("dragleave", () => drop.classList.remove("drop-over"));
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("drop-over");
  add(event.dataTransfer.files);
});
window.addEventListener("beforeunload", (event) => { if (busy) event.preventDefault(); });
