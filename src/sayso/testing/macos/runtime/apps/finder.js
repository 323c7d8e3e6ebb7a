// Finder: its windows show folders, and what `open -R` or `reveal` was last given is selected in the window in front.
(function () {
    sim.behave("Finder", {
        elements: { "application.windows": (record) => record.finderWindows },
        getters: {
            "application.selection": (record) => record.revealed,
            "finderWindow.index": (window, app) => app.record.finderWindows.indexOf(window) + 1,
        },
    });
})();
