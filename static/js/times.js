// Times in the zone that the person chose, else in the browser's own, which the server is told.

const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
const ZONE = { timeZone: document.body.dataset.zone || OWN_ZONE };
const FORMS = {
  moment: { ...ZONE, day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" },
  time: { ...ZONE, hour: "2-digit", minute: "2-digit", second: "2-digit" },
  clock: { ...ZONE, hour: "2-digit", minute: "2-digit" },
  day: { ...ZONE, day: "numeric", month: "short", year: "numeric" },
};
if (!document.cookie.includes(`time-zone=${OWN_ZONE}`)) {
  document.cookie = `time-zone=${OWN_ZONE}; path=/; max-age=31536000; samesite=lax`;
}
const LANGUAGE = document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang;
const STEPS = [[60, "second", 1], [3600, "minute", 60], [86400, "hour", 3600], [7 * 86400, "day", 86400]];
const ago = new Intl.RelativeTimeFormat(LANGUAGE, { numeric: "auto", style: "short" });

function showTimes(within) {
  const all = within.querySelectorAll?.("time[data-local]") ?? [];
  for (const one of all) {
    const at = new Date(one.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    one.title = at.toLocaleString(LANGUAGE, { ...FORMS.moment, second: "2-digit", timeZoneName: "short" });
    const words = { ago: since, near }[one.dataset.local];
    const form = FORMS[one.dataset.local] || FORMS.moment;
    one.textContent = words ? words(at) : at.toLocaleString(LANGUAGE, form);
  }
}

const dayNames = new Intl.RelativeTimeFormat(LANGUAGE, { numeric: "auto" });
function near(at) {
  const day = (when) => when.toLocaleDateString(LANGUAGE, FORMS.day);
  const ahead = [0, 1].find((days) => day(at) === day(new Date(Date.now() + days * 86_400_000)));
  if (ahead === undefined) return at.toLocaleString(LANGUAGE, FORMS.moment);
  const time = at.toLocaleTimeString(LANGUAGE, FORMS.clock);
  return said("%(day)s, %(time)s", { day: dayNames.format(ahead, "day"), time });
}

function since(at) {
  const seconds = (at - Date.now()) / 1000;
  const step = STEPS.find(([below]) => Math.abs(seconds) < below);
  return step ? ago.format(Math.trunc(seconds / step[2]), step[1]) : at.toLocaleDateString(LANGUAGE, FORMS.day);
}

document.addEventListener("htmx:afterSettle", (event) => showTimes(event.detail.elt));
setInterval(() => showTimes(document), 30_000);
showTimes(document);
