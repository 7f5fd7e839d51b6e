// The API's page: builds a request from a form and shows its answer. The key is in this page and nowhere else.

const key = document.querySelector("[data-console-key]");

for (const form of document.querySelectorAll("form[data-console]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(form);
  });
}

async function send(form) {
  const status = form.querySelector("[data-console-status]");
  const answer = form.querySelector("[data-console-answer]");
  if (!key.value.trim()) {
    status.textContent = said("Enter an API key above first.");
    key.focus();
    return;
  }
  const button = form.querySelector("button[type=submit]");
  button.disabled = true;
  status.textContent = said("Sending");
  try {
    const began = performance.now();
    const response = await fetch(...requestOf(form));
    const text = await response.text();
    status.textContent = `${response.status} ${response.statusText} · ${Math.round(performance.now() - began)} ms`;
    answer.textContent = [headersOf(response), pretty(text)].filter(Boolean).join("\n\n");
    answer.hidden = false;
  } catch {
    status.textContent = said("No answer. Check your connection, then try again.");
  } finally {
    button.disabled = false;
  }
}

function requestOf(form) {
  const headers = { Authorization: `Bearer ${key.value.trim()}` };
  const query = new URLSearchParams();
  let path = form.dataset.path;
  for (const input of form.querySelectorAll("[data-place]")) {
    if (input.dataset.place === "path") path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
    else if (!input.value) continue;
    else if (input.dataset.place === "query") query.append(input.name, input.value);
    else headers[input.name] = input.value;
  }
  const body = form.querySelector("[data-console-body]");
  if (body) headers["Content-Type"] = "application/json";
  const address = query.size ? `${path}?${query}` : path;
  return [address, { method: form.dataset.method, headers, body: body?.value, credentials: "omit", cache: "no-store" }];
}

const SHOWN = ["etag", "ratelimit-remaining", "retry-after", "content-type"];

function headersOf(response) {
  return SHOWN.filter((name) => response.headers.has(name))
    .map((name) => `${name}: ${response.headers.get(name)}`)
    .join("\n");
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
