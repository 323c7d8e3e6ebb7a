// Starts the page: lets this browser in, shows the view that was asked for, and keeps all of it up to date.

import { api, session } from "./api.js";
import { fill, make } from "./parts.js";
import { VIEWS } from "./views.js";

const LONGEST_PAUSE = 10_000;
const main = document.getElementById("main");
const views = new Map(VIEWS.map((one) => [one.name, { ...one, shown: make(one.element, { hidden: true }) }]));
const count = make("span", { class: "count", hidden: true });
const closed = document.getElementById("closed");
const banner = document.getElementById("banner");
let view = "";
let inside = false;
let sequence = 0;
let pause = 500;

function build() {
  fill(document.querySelector("nav"), ...VIEWS.map((one) =>
    make("a", { href: `#${one.name}`, "data-view": one.name }, one.label, one.name === "waiting" && " ", one.name === "waiting" && count)));
  for (const one of views.values()) main.append(one.shown);
}

function show() {
  const name = location.hash.slice(1);
  const asked = views.has(name) ? name : VIEWS[0].name;
  if (view !== "" && asked !== view) views.get(view).shown.leave?.();
  view = asked;
  closed.hidden = inside;
  for (const one of views.values()) one.shown.hidden = !inside || one.name !== view;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.view === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (inside) refresh();
}

let fetching = false;
let again = false;

/** Fetch what is shown anew; calls while this goes on make it go on once more. */
async function refresh() {
  again = true;
  if (fetching) return;
  fetching = true;
  while (again && inside) {
    again = false;
    try {
      const seen = [...views.values()].filter((one) => one.always || one.name === view);
      const [state] = await Promise.all([api.state(), ...seen.map((one) => one.shown.refresh())]);
      sequence = Math.max(sequence, state.sequence);
      tell(state);
    } catch (problem) {
      if (!("status" in problem)) throw problem;
    }
  }
  fetching = false;
}

function tell(state) {
  const paused = state.paused ? "All is paused: nothing is done until sayso goes on." : "";
  fill(document.getElementById("state"), `sayso ${state.version} · mode ${state.mode} · model ${state.model ?? "none"}`);
  say(paused);
}

function say(text) {
  banner.hidden = text === "";
  fill(banner, text);
}

function connect() {
  if (!inside) return;
  const socket = new WebSocket(`ws://${location.host}/ws`);
  socket.addEventListener("message", ({ data }) => {
    const told = JSON.parse(data);
    pause = 500;
    if (told.type === "hello" && told.sequence !== sequence) refresh();
    if (told.type === "changed") refresh();
  });
  socket.addEventListener("close", async () => {
    if (!inside) return;
    say("The server does not answer. This may be out of date; trying again…");
    await new Promise((done) => setTimeout(done, pause));
    pause = Math.min(pause * 2, LONGEST_PAUSE);
    try {
      tell(await api.state());
      await refresh();
      connect();
    } catch (problem) {
      if (problem.status !== 401) setTimeout(connect, 0);
    }
  });
}

session.lost = (why) => {
  inside = false;
  say("");
  count.hidden = true;
  document.title = "sayso";
  fill(document.getElementById("closed-why"), why);
  show();
};

views.get("waiting").shown.addEventListener("counted", ({ detail }) => {
  count.hidden = detail === 0;
  fill(count, String(detail));
  document.title = detail ? `(${detail}) sayso` : "sayso";
});

const theme = document.getElementById("theme");
const THEME = "sayso.theme";
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

async function begin() {
  build();
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token !== null) history.replaceState(null, "", location.pathname);
  try {
    if (token !== null) await api.enter(token);
    tell(await api.state());
    inside = true;
  } catch (problem) {
    if (problem.status !== 401) fill(document.getElementById("closed-why"), problem.message);
  }
  addEventListener("hashchange", show);
  show();
  connect();
}

begin();
