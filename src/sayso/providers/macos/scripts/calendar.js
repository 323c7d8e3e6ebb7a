// Events of Calendar and reminders of Reminders: lists them by column, and makes, rewrites or removes one of them.
// A time is a number of milliseconds since 1970, and a day a text such as 2026-03-14.
const two = (number) => String(number).padStart(2, "0");
const dayOf = (date) => `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
const timeOf = (date) => (date ? date.getTime() : null);
const isMidnight = (date) => date.getHours() + date.getMinutes() + date.getSeconds() === 0;
const dateOf = (value) => {
    if (value === null || value === undefined) return null;
    if (typeof value === "number") return new Date(value);
    const [year, month, day] = value.split("-").map(Number);
    return new Date(year, month - 1, day);
};

function main(data) {
    const app = Application(data.kind === "event" ? "com.apple.iCal" : "com.apple.reminders");
    const kind = data.kind === "event" ? EVENTS : REMINDERS;
    return { list, look, make, write, remove }[data.do](app, kind, data);
}

// The last day of an event of whole days: some versions give the midnight after it, others the second before that.
function endDay(start, end) {
    const day = new Date(end.getTime());
    if (!isMidnight(day)) day.setDate(day.getDate() + 1);
    const first = new Date(start.getFullYear(), start.getMonth(), start.getDate() + 1);
    return dayOf(day < first ? first : day);
}

const EVENTS = {
    shelves: (app) => app.calendars,
    items: (shelf) => shelf.events,
    uids: (events) => events.uid(),
    // Returns the entries from columns, or from one entry as columns of one.
    read(items) {
        const uid = items.uid(), title = items.summary(), start = items.startDate(), end = items.endDate();
        const day = items.alldayEvent(), location = items.location(), notes = items.description(), url = items.url();
        const repeat = items.recurrence(), without = items.excludedDates();
        const people = items.attendees.email();
        return { count: [uid, title, start, end, day, location, notes, url, repeat, without, people], of: (at) => ({
            uid: uid[at], title: title[at] || "", notes: notes[at] || "", location: location[at] || "", url: url[at] || "",
            start: day[at] ? dayOf(start[at]) : timeOf(start[at]), end: day[at] ? endDay(start[at], end[at]) : timeOf(end[at]),
            repeat: repeat[at] || "", without: (without[at] || []).map((one) => (day[at] ? dayOf(one) : timeOf(one))),
            people: (people[at] || []).filter((one) => one),
        }) };
    },
    create(app, shelf, one) {
        const event = app.Event(this.values(one));
        shelf.events.push(event);
        for (const email of one.people) event.attendees.push(app.Attendee({ email }));
        return event.uid();
    },
    values(one) {
        const day = typeof one.start === "string";
        return {
            summary: one.title, startDate: dateOf(one.start), endDate: dateOf(one.end), alldayEvent: day,
            location: one.location, description: one.notes, url: one.url, recurrence: one.repeat,
            excludedDates: one.without.map(dateOf),
        };
    },
};

const REMINDERS = {
    shelves: (app) => app.lists,
    items: (shelf) => shelf.reminders,
    uids: (reminders) => reminders.id(),
    read(items) {
        const uid = items.id(), title = items.name(), notes = items.body(), done = items.completed();
        const completed = items.completionDate(), due = items.dueDate(), day = items.alldayDueDate(), ring = items.remindMeDate();
        const isDay = (at) => day[at] && (!due[at] || (isMidnight(due[at]) && due[at].getTime() === day[at].getTime()));
        return { count: [uid, title, notes, done, completed, due, day, ring], of: (at) => ({
            uid: uid[at], title: title[at] || "", notes: notes[at] || "", done: done[at] === true,
            completed: timeOf(completed[at]), start: isDay(at) ? dayOf(day[at]) : timeOf(due[at]), ring: timeOf(ring[at]),
        }) };
    },
    create(app, shelf, one) {
        const reminder = app.Reminder(this.values(one, true));
        shelf.reminders.push(reminder);
        if (one.done) this.put(reminder, { completed: true, completionDate: dateOf(one.completed) });
        return reminder.id();
    },
    values(one, fresh) {
        const values = { name: one.title, body: one.notes };
        const due = typeof one.start === "string" ? "alldayDueDate" : "dueDate";
        if (one.start !== null) values[due] = dateOf(one.start);
        if (one.ring !== null) values.remindMeDate = dateOf(one.ring);
        if (!fresh) {
            if (one.start === null) values.dueDate = null;
            values.completed = one.done;
            if (one.done) values.completionDate = dateOf(one.completed);
        }
        return values;
    },
    put: (item, values) => { for (const name of Object.keys(values)) item[name] = values[name]; },
};

// Returns a calendar or list by its name, as its place may change; only where a name is there twice, by its place.
const named = (shelves, names, at) => (names.indexOf(names[at]) === names.lastIndexOf(names[at])
    ? shelves.byName(names[at]) : shelves[at]);

function list(app, kind) {
    const shelves = kind.shelves(app);
    const names = shelves.name();
    const writable = kind === EVENTS ? shelves.writable() : names.map(() => true);
    return {
        standard: kind === REMINDERS ? app.defaultList().name() : null,
        shelves: names.map((name, at) => {
            const entries = () => kind.items(named(shelves, names, at));
            for (let tries = 0; tries < 3; tries += 1) {
                const read = kind.read(entries());
                const count = read.count[0].length;
                if (read.count.some((column) => column.length !== count)) continue;
                // If an entry came or went in between, the columns do not belong together.
                if (count && JSON.stringify(kind.uids(entries())) !== JSON.stringify(read.count[0])) continue;
                return { name, writable: writable[at], entries: read.count[0].map((_, place) => read.of(place)) };
            }
            return fail(-2700, "the entries keep changing");
        }),
    };
}

function shelf(app, kind, name) {
    const shelves = kind.shelves(app), names = shelves.name(), at = names.indexOf(name);
    return at < 0 ? null : named(shelves, names, at);
}

// Returns the one entry, as columns of one, so that it is read as in a list.
function seen(kind, item) {
    const column = new Proxy({}, { get: (_, name) => (name === "attendees"
        ? { email: () => [item.attendees.email()] } : () => [item[name]()]) });
    return kind.read(column).of(0);
}

function find(app, kind, data) {
    const holder = shelf(app, kind, data.shelf);
    const item = holder === null ? null : kind.items(holder).byId(data.uid);
    return item !== null && item.exists() ? item : null;
}

function look(app, kind, data) {
    const item = find(app, kind, data);
    return { entry: item === null ? null : seen(kind, item) };
}

function make(app, kind, { shelf: name, entry }) {
    const holder = shelf(app, kind, name);
    if (holder === null) return { refused: "no calendar" };
    changing();
    const uid = kind.create(app, holder, entry);
    return { entry: seen(kind, kind.items(holder).byId(uid)) };
}

function write(app, kind, data) {
    const item = find(app, kind, data);
    if (item === null) return { refused: "gone" };
    if (JSON.stringify(seen(kind, item)) !== JSON.stringify(data.was)) return { refused: "changed" };
    changing();
    const values = kind.values(data.entry, false);
    // An event may not end before it starts, not even between two changes.
    const names = Object.keys(values).filter((name) => name !== "endDate" && name !== "startDate");
    if (values.startDate) names.push(...(values.startDate < item.endDate() ? ["startDate", "endDate"] : ["endDate", "startDate"]));
    for (const name of names) item[name] = values[name];
    return { entry: seen(kind, find(app, kind, data)) };
}

function remove(app, kind, data) {
    const item = find(app, kind, data);
    if (item === null) return { refused: "gone" };
    if (JSON.stringify(seen(kind, item)) !== JSON.stringify(data.was)) return { refused: "changed" };
    changing();
    app.delete(item);
    return { entry: null };
}
