// Starts the page: lets this browser in, shows the view that was asked for, and says whether all is up to date.

import { api, progress, session } from "./api.js";
import "./focus.js";
import { showKeys } from "./keys.js";
import { announce, fill, icon, lasting, make } from "./parts.js";
import { confirmed } from "./rows.js";
import { store } from "./store.js";
import { VIEWS } from "./views.js";

const at = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const main = at("main");
const views = new Map(VIEWS.map((one) => [one.name, { ...one, shown: /** @type {any} */ (make(one.element, { class: "view", hidden: true })) }]));
const count = make("span", { class: "count", hidden: true });
let view = "";

/** On a phone, the first views stand in the bar, and the others are behind “More”. */
function build() {
  const link = (/** @type {any} */ one) =>
    make("a", { href: `#${one.name}`, "data-view": one.name }, icon(one.icon), make("span", {}, one.label), one.name === "waiting" && count);
  const rest = make("div", { id: "more", popover: "auto", class: "rest" }, ...VIEWS.filter((one) => !one.phone).map(link));
  rest.addEventListener("click", () => rest.matches(":popover-open") && rest.hidePopover());
  fill(/** @type {Element} */ (document.querySelector("nav")), ...VIEWS.filter((one) => one.phone).map(link), rest,
    make("button", { type: "button", class: "more", popovertarget: "more" }, icon("M5 12h.01M12 12h.01M19 12h.01"), make("span", {}, "More")));
  for (const one of views.values()) main.append(one.shown);
}

function show() {
  const name = location.hash.slice(1).split("/")[0];
  const asked = views.has(name) ? name : VIEWS[0].name;
  const moved = view !== "" && asked !== view;
  if (moved) views.get(view)?.shown.leave?.();
  view = asked;
  at("closed").hidden = store.inside;
  for (const one of views.values()) one.shown.hidden = !store.inside || one.name !== view;
  for (const link of document.querySelectorAll("nav a")) {
    if (link instanceof HTMLElement && link.dataset.view === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  title();
  if (moved) {
    scrollTo(0, 0);
    announce(views.get(view)?.label ?? "");
  }
  if (store.inside) store.refresh();
}

store.read = async () => {
  const seen = [...views.values()].filter((one) => one.always || one.name === view);
  /** @type {string[]} */ const wrong = [];
  await Promise.all(seen.map(async (one) => {
    try {
      await one.shown.refresh();
    } catch (problem) {
      const { status, message } = /** @type {any} */ (problem);
      if (!status || status === 401) throw problem;
      if (one.name === view) wrong.push(message);
    }
  }));
  at("wrong").hidden = !wrong.length;
  fill(at("wrong"), ...wrong.map((why) => make("span", {}, `This could not be read, so what you see may be out of date. ${why}`)),
    wrong.length > 0 && make("button", { type: "button", onclick: () => store.refresh() }, "Try again"));
  tellLink();
};

let waiting = 0;

function title() {
  const label = store.inside ? `${views.get(view)?.label} · sayso` : "sayso";
  document.title = waiting ? `(${waiting}) ${label}` : label;
}

views.get("waiting")?.shown.addEventListener("counted", (/** @type {CustomEvent} */ { detail }) => {
  waiting = detail;
  count.hidden = detail === 0;
  fill(count, make("span", {}, String(detail)), make("span", { class: "unseen" }, detail === 1 ? " request waits" : " requests wait"));
  title();
});

store.on("state", (state) => {
  fill(at("state"), `sayso ${state.version}`, make("br"), `mode ${state.mode}`, make("br"), state.model || "built-in rules");
  at("paused").hidden = !state.paused;
  fill(whyPaused, state.unreadable ? `All is paused until the settings can be read again. What waits goes on waiting. ${state.unreadable}` : "All is paused: nothing is done until you resume. What waits goes on waiting.");
  resume.hidden = Boolean(state.unreadable);
  const can = !state.paused || !state.unreadable;
  at("pause").hidden = !can;
  at("pause").setAttribute("aria-label", state.paused ? "Resume everything" : "Pause everything");
  at("pause").title = state.paused ? "All is paused; this asks whether it shall go on" : PAUSES;
  fill(at("pause"), icon(state.paused ? "M8 5l11 7l-11 7z" : "M9 5v14M15 5v14"), make("span", {}, state.paused ? "Paused: resume…" : "Pause"));
});

const PAUSES = at("pause").title;
const pauseNote = make("div", { class: "note" });
const whyPaused = make("span", {});
const resume = make("button", { type: "button", onclick: async () => {
    if (await confirmed(pauseNote, (nonce) => api.resume(nonce), undefined, "Yes, resume")) announce("sayso goes on.");
    fill(pauseNote);
    store.refresh();
} }, "Resume…");
fill(at("paused"), whyPaused, resume, pauseNote);
at("pause").addEventListener("click", async (event) => {
  if (!event.isTrusted) return;
  if (store.state?.paused) {
    scrollTo(0, 0);  // the question stands at the top of every view
    return resume.click();
  }
  await api.pause().then(() => announce("All is paused."), (problem) => announce(problem.message));
  store.refresh();
});
store.on("settings", () => store.refresh());

function tellLink() {
  const lost = store.link === "lost";
  const link = at("link");
  link.className = `link ${store.link}`;
  fill(link, { begins: "Connecting…", live: at("wrong").hidden ? "Up to date" : "Not up to date", lost: "Offline" }[store.link]);
  at("away").hidden = !lost;
  document.documentElement.toggleAttribute("data-lost", lost);
  if (!lost || !store.inside) return;
  const since = store.asOf ? `What you see is ${lasting(Date.now() - store.asOf)} old` : "Nothing could be read yet";
  const next = Math.ceil((store.retries - Date.now()) / 1000);
  const text = `The server does not answer. ${since}. ${next > 0 ? `Next try in ${next} s.` : "Trying again…"}`;
  const [told, again] = at("away").children;
  if (again) fill(told, text);
  else fill(at("away"), make("span", { "aria-live": "off" }, text), make("button", { type: "button", onclick: () => store.retryNow() }, "Try now"));
}

let told = "begins";
store.on("link", (link) => {
  if (link !== told && (link === "lost" || told === "lost")) announce(link === "lost" ? "The server does not answer. Trying again." : "Connected again; all is up to date.");
  told = link;
  tellLink();
});
setInterval(() => store.link === "lost" && tellLink(), 1000);

session.lost = (why) => {
  store.leave();
  waiting = 0;
  count.hidden = true;
  at("away").hidden = at("paused").hidden = at("pause").hidden = true;
  fill(at("link"));
  fill(at("closed-why"), why);
  show();
};

progress.changed = (busy) => { at("busy").hidden = !busy; };

const theme = /** @type {HTMLSelectElement} */ (at("theme"));
const THEME = "sayso.theme";

/** @param {string} wanted */
function paint(wanted) {
  if (wanted === "light" || wanted === "dark") document.documentElement.dataset.theme = wanted;
  else delete document.documentElement.dataset.theme;
}
theme.addEventListener("change", () => {
  localStorage.setItem(THEME, theme.value);
  paint(theme.value);
});
theme.value = localStorage.getItem(THEME) ?? "";
paint(theme.value);

at("help").addEventListener("click", showKeys);
at("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

async function begin() {
  build();
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token !== null) history.replaceState(null, "", location.pathname);
  try {
    if (token !== null) await api.enter(token);
    store.set(await api.state());
    store.inside = true;
  } catch (problem) {
    const { status, message } = /** @type {any} */ (problem);
    if (status !== 401) fill(at("closed-why"), message);
  }
  addEventListener("hashchange", show);
  show();
  if (store.inside) views.get(view)?.shown.began?.();
  tellLink();
  store.connect();
}

begin();
