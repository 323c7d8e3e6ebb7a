// Calendar and Reminders: ids of new entries, and dates in lists.
(function () {
    sim.behave("Calendar", {
        created: { event: (event) => { event.uid = event.uid || `EVENT-${event["@"]}`; } },
        getters: {
            "event.excludedDates": (event) => (event.excludedDates || []).map((one) => new Date(one)),
        },
    });
    sim.behave("Reminders", {
        created: { reminder: (reminder) => { reminder.id = reminder.id || `x-apple-reminder://${reminder["@"]}`; } },
        getters: {
            "application.defaultList": (record) => record.lists[0],
            "reminder.container": (reminder, app) => app.parentOf(reminder)[0],
        },
        setters: {
            // A reminder is due on a day or at a time.
            "reminder.dueDate": (reminder, date) => {
                reminder.dueDate = storable(date);
                reminder.alldayDueDate = null;
            },
            "reminder.alldayDueDate": (reminder, date) => {
                reminder.alldayDueDate = storable(date);
                reminder.dueDate = null;
            },
            "reminder.completed": (reminder, done) => {
                reminder.completed = done;
                reminder.completionDate = done ? new Date().toISOString() : null;
            },
        },
    });
})();
