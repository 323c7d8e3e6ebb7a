// The person's own lists: tasks as a tree that is moved by hand or by keys, and habits with the days on which they were done.

import { api } from "./api.js";
import { announce, fill, make, time } from "./parts.js";
import { DRAW, attempt, keep, tool } from "./rows.js";

const DAYS = 14;
const STEPS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];
const EVERY = [["4", "every 4 hours"], ["12", "every 12 hours"], ["24", "daily"], ["48", "every 2 days"], ["168", "weekly"]];

/** A row whose text can be changed in place. */
class Row extends HTMLElement {
  /** @param {string} text @param {(text: string) => Promise<any>} save @param {Element} [more] */
  edit(text, save, more) {
    const field = make("input", { type: "text", value: text, "aria-label": "Text", maxlength: 1000, autocomplete: "off" });
    const close = () => {
      this.editing = null;
      this.draw();
      /** @type {HTMLElement|null} */ (this.querySelector(".edit"))?.focus();
    };
    const form = make("form", {
      class: "change",
      onsubmit: async (/** @type {Event} */ event) => {
        event.preventDefault();
        if (await save(field.value)) close();
        else field.focus();
      },
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Escape" && !event.isComposing) close();
      },
    }, field, more, make("button", { class: "primary" }, "Save"), make("button", { type: "button", onclick: close }, "Cancel"));
    this.editing = form;
    this.draw();
    field.focus();
    field.select();
  }

  /** Focused with J and K; E and X do here what they do to a card. @param {string} key */
  pressed(key) {
    const found = /** @type {Record<string, string>} */ ({ e: ".edit", x: ".done" })[key] ?? ":not(*)";
    const button = /** @type {HTMLElement|null} */ (this.querySelector(found));
    button?.click();
    return Boolean(button);
  }

  draw() {}

  view() {
    return /** @type {Tasks} */ (document.querySelector("sayso-tasks"));
  }
}

class Task extends Row {
  /** @param {any} task */
  show(task) {
    this.task = task;
    this.setAttribute("role", "listitem");
    this.setAttribute("aria-level", String(task.level + 1));
    this.toggleAttribute("data-item", true);
    this.style.setProperty("--level", String(Math.min(task.level, 8)));
    this.draw();
  }

  draw() {
    const { id, text, completed_at: done } = this.task;
    if (this.editing) {
      if (this.editing.parentNode !== this) fill(this, this.editing);
      return;
    }
    const box = make("input", { type: "checkbox", class: "done", onchange: () => this.view().tick(this.task, box) });
    box.checked = Boolean(done);
    const grip = !done && tool(DRAW.grip, `Move “${text}”`, () => announce("Move it with the arrow keys, or drag it."), {
      class: "plain tool grip", title: "Drag, or move with the arrow keys",
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.step(event),
      onpointerdown: (/** @type {PointerEvent} */ event) => this.view().drag(event, this),
    });
    fill(this, grip, make("label", { class: done ? "over" : "" }, box, make("span", { class: "text" }, text)),
      done && make("span", { class: "quiet" }, "done ", time(done)),
      !done && tool(DRAW.add, `Add a task below “${text}”`, () => this.view().begin(this.task)),
      !done && tool(DRAW.edit, `Edit “${text}”`, () => this.edit(text, (to) => this.view().act("task.edit", { target: id, new_text: to })), { class: "plain tool edit" }),
      !done && tool(DRAW.drop, `Delete “${text}”`, (event) => event.isTrusted && this.view().act("task.delete", { target: id })));
  }

  /** @param {KeyboardEvent} event */
  step(event) {
    if (!STEPS.includes(event.key) || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.view().step(this.task, event.key);
  }
}

class Habit extends Row {
  /** @param {any} habit */
  show(habit) {
    this.habit = habit;
    this.setAttribute("role", "listitem");
    this.toggleAttribute("data-item", true);
    this.draw();
  }

  draw() {
    const { id, text, interval_hours: hours, due, due_at: next, last_done_at: last, times } = this.habit;
    if (this.editing) {
      if (this.editing.parentNode !== this) fill(this, this.editing);
      return;
    }
    const every = intervals(String(hours));
    fill(this,
      make("div", { class: "habit" },
        make("p", { class: "text" }, text),
        make("p", { class: "quiet" }, saysEvery(hours), " · ", make("strong", { class: due ? "due" : "" }, due ? "due now" : "due "), !due && time(next), last && " · last done ", last && time(last))),
      days(times),
      make("button", { type: "button", class: due ? "primary done" : "done", onclick: () => this.view().act("habit.log", { target: id }) }, "Done now"),
      tool(DRAW.edit, `Edit “${text}”`, () => this.edit(text, (to) => this.view().act("habit.edit", { target: id, new_text: to, interval_hours: Number(every.value) }), every), { class: "plain tool edit" }),
      tool(DRAW.drop, `Delete “${text}”`, (event) => event.isTrusted && this.view().act("habit.delete", { target: id })));
  }
}

/** @param {string} chosen */
function intervals(chosen) {
  const all = EVERY.some(([hours]) => hours === chosen) ? EVERY : [...EVERY, [chosen, saysEvery(Number(chosen))]];
  const select = make("select", { "aria-label": "How often" }, ...all.map(([value, label]) => make("option", { value }, label)));
  select.value = chosen;
  return select;
}

/** @param {number} hours */
function saysEvery(hours) {
  return EVERY.find(([known]) => known === String(hours))?.[1] ?? (hours % 24 === 0 ? `every ${hours / 24} days` : `every ${hours} hours`);
}

/** How often a habit was done on each of the last days. @param {string[]} times */
function days(times) {
  const of = (/** @type {Date} */ day) => times.filter((one) => new Date(one).toDateString() === day.toDateString()).length;
  const all = [...Array(DAYS).keys()].map((back) => {
    const day = new Date();
    day.setDate(day.getDate() - (DAYS - 1 - back));
    return { day, count: of(day) };
  });
  const done = all.filter(({ count }) => count).length;
  return make("div", { class: "days", role: "img", "aria-label": `Done on ${done} of the last ${DAYS} days` },
    ...all.map(({ day, count }) => make("span", { class: count ? "day on" : "day", title: `${day.toLocaleDateString(undefined, { weekday: "short", day: "numeric", month: "short" })}: ${count || "not done"}` }, count > 1 && String(count))));
}

class Tasks extends HTMLElement {
  /** @type {any[]} */ tasks = [];
  /** @type {Promise<any>} */ read = Promise.resolve();
  last = /** @type {Promise<any>} */ (Promise.resolve());
  note = make("p", { class: "note", role: "status" });
  note2 = make("p", { class: "note", role: "status" });
  field = make("input", { type: "text", placeholder: "What is to be done?", "aria-label": "New task", maxlength: 1000, autocomplete: "off" });
  below = make("p", { class: "below quiet", hidden: true });
  /** @type {any} */ parent = null;
  list = make("div", { class: "tree", role: "list" });
  habits = make("div", { class: "habits", role: "list" });
  empty = make("p", { class: "empty", hidden: true }, "Nothing is to be done. What you write here, and what a model adds with your yes, stands in this list. Drag a task by its handle, or move it with the arrow keys.");
  emptyHabits = make("p", { class: "empty", hidden: true }, "No habits yet. A habit is due again some time after you did it: “Water the plants”, every 2 days.");
  over = make("input", { type: "checkbox", onchange: () => this.draw() });
  overLabel = make("label", { class: "tick quiet", hidden: true }, this.over, make("span", {}));
  habit = make("input", { type: "text", placeholder: "A new habit", "aria-label": "New habit", maxlength: 1000, autocomplete: "off" });
  every = intervals("24");

  connectedCallback() {
    fill(this, make("h1", {}, "Tasks"),
      make("form", { class: "new", onsubmit: (/** @type {Event} */ event) => this.add(event) }, this.below, this.field, make("button", { class: "primary" }, "Add")),
      this.note, this.empty, this.list, this.overLabel,
      make("h2", { class: "part" }, "Habits"),
      make("form", { class: "new", onsubmit: (/** @type {Event} */ event) => this.addHabit(event) }, this.habit, this.every, make("button", {}, "Add")),
      this.note2, this.emptyHabits, this.habits);
    this.field.addEventListener("keydown", (event) => event.key === "Escape" && this.begin(null));
  }

  /** Read the lists anew, after any reading that goes on. */
  refresh() {
    const read = async () => {
      const { tasks, habits } = await api.lists();
      this.tasks = tasks;
      this.shownHabits = habits;
      this.draw();
    };
    this.read = this.read.then(read, read);
    return this.read;
  }

  draw() {
    const done = this.tasks.filter((one) => one.completed_at).length;
    this.overLabel.hidden = !done;
    fill(/** @type {Element} */ (this.overLabel.lastElementChild), `Show ${done === 1 ? "the one that is" : `the ${done.toLocaleString("en")} that are`} done`);
    const shown = this.tasks.filter((one) => this.over.checked || !one.completed_at);
    keep(this.list, shown, (one) => one.id, () => document.createElement("sayso-task"));
    keep(this.habits, this.shownHabits ?? [], (one) => one.id, () => document.createElement("sayso-habit"));
    this.empty.hidden = shown.length > 0;
    this.emptyHabits.hidden = (this.shownHabits ?? []).length > 0;
    if (this.parent && !shown.some((one) => one.id === this.parent.id)) this.begin(null);
  }

  /** @param {string} operation @param {object} given */
  act(operation, given) {
    return this.queue(() => this.do(operation, given));
  }

  /** Do one thing after the other, each on the lists as the one before left them. @param {() => Promise<any>} act */
  queue(act) {
    this.last = this.last.then(act, act);
    return this.last;
  }

  /** @param {string} operation @param {object} given */
  async do(operation, given) {
    const answer = await attempt(operation.startsWith("habit") ? this.note2 : this.note, () => api.list(operation, given));
    await this.refresh().catch(() => {});
    return answer;
  }

  /** Begin a task below another one. @param {any} task */
  begin(task) {
    this.parent = task;
    this.below.hidden = !task;
    fill(this.below, ...(task ? [`Below “${task.text}” `, make("button", { type: "button", class: "plain", onclick: () => this.begin(null) }, "No, at the top")] : []));
    if (task) this.field.focus();
  }

  /** @param {Event} event */
  async add(event) {
    event.preventDefault();
    const text = this.field.value;
    if (!text.trim()) return this.field.focus();
    const given = this.parent ? { parent: this.parent.id, text } : { text };
    await this.send(this.field, this.parent ? "task.add_subtask" : "task.add", given);
  }

  /** @param {Event} event */
  async addHabit(event) {
    event.preventDefault();
    if (!this.habit.value.trim()) return this.habit.focus();
    await this.send(this.habit, "habit.add", { text: this.habit.value, interval_hours: Number(this.every.value) });
  }

  /** Empty a field at once, so that the next one can be typed; what was not added stands in it again. @param {HTMLInputElement} field @param {string} operation @param {{text: string, [more: string]: unknown}} given */
  async send(field, operation, given) {
    field.value = "";
    field.focus();
    if (!(await this.act(operation, given))) field.value ||= given.text;
  }

  /** @param {any} task @param {HTMLInputElement} box */
  async tick(task, box) {
    const done = await this.act(box.checked ? "task.complete" : "task.reopen", { target: task.id });
    if (!done) box.checked = !box.checked;
  }

  /** The open tasks beside one, in order. @param {any} task */
  beside(task) {
    return this.tasks.filter((one) => one.parent_id === task.parent_id && !one.completed_at);
  }

  /** Move a task by one place. @param {any} of @param {string} key */
  step(of, key) {
    return this.queue(async () => {
      const task = this.tasks.find((one) => one.id === of.id);
      const to = task && this.next(task, key);
      if (to) await this.move(task, to[0], to[1]);
      else announce("It cannot go further that way.");
    });
  }

  /** @param {any} task @param {string} key @returns {[string, any]|undefined} */
  next(task, key) {
    const all = this.beside(task);
    const place = all.findIndex((one) => one.id === task.id);
    const above = this.tasks.find((one) => one.id === task.parent_id);
    const [where, other] = /** @type {Record<string, [string, any]>} */ ({
      ArrowUp: ["before", all[place - 1]],
      ArrowDown: ["after", all[place + 1]],
      ArrowRight: ["below", all[place - 1]],
      ArrowLeft: ["after", above],
    })[key];
    return other && [where, other];
  }

  /** @param {any} task @param {string} where @param {any} other */
  async move(task, where, other) {
    const moved = await this.do("task.move", { target: task.id, where, other: other.id });
    if (moved) announce(`Moved ${where} “${other.text}”.`);
  }

  /** Is one task below another, or the same? @param {any} task @param {any} above */
  within(task, above) {
    for (let one = task; one; one = this.tasks.find((other) => other.id === one.parent_id)) if (one.id === above.id) return true;
    return false;
  }

  /** Let a task be dragged by its handle: to the upper edge of another one for before, to the lower for after, else below. @param {PointerEvent} event @param {Task} row */
  drag(event, row) {
    if (event.button !== 0) return;
    const grip = /** @type {HTMLElement} */ (event.currentTarget);
    const end = new AbortController();
    /** @type {{row: Task, where: string}|null} */ let over = null;
    const mark = (/** @type {typeof over} */ to) => {
      over?.row.removeAttribute("data-drop");
      over = to;
      over?.row.setAttribute("data-drop", over.where);
    };
    const close = () => {
      end.abort();
      row.removeAttribute("data-dragged");
      mark(null);
    };
    grip.setPointerCapture(event.pointerId);
    row.setAttribute("data-dragged", "");
    grip.addEventListener("pointermove", ({ clientX, clientY }) => {
      const found = /** @type {Task|null} */ (document.elementFromPoint(clientX, clientY)?.closest("sayso-task") ?? null);
      if (!found || found.task.completed_at || this.within(found.task, row.task)) return mark(null);
      const { top, height } = found.getBoundingClientRect();
      const part = (clientY - top) / height;
      mark({ row: found, where: part < 0.3 ? "before" : part > 0.7 ? "after" : "below" });
    }, end);
    grip.addEventListener("pointerup", ({ isTrusted }) => {
      const to = over;
      close();
      if (to && isTrusted) this.queue(() => this.move(row.task, to.where, to.row.task));
    }, end);
    grip.addEventListener("pointercancel", close, end);
    addEventListener("keydown", ({ key }) => key === "Escape" && close(), end);
  }
}

customElements.define("sayso-task", Task);
customElements.define("sayso-habit", Habit);
customElements.define("sayso-tasks", Tasks);
