// Returns the output volume, after setting it if a level is given; the level is null where the output has none.
function main({ level, muted }) {
    const app = Application.currentApplication();
    app.includeStandardAdditions = true;
    if (level !== undefined) {
        changing();
        app.setVolume(null, { outputVolume: level });
        app.setVolume(null, { outputMuted: muted });
    }
    const now = app.getVolumeSettings();
    return { level: now.outputVolume === undefined ? null : now.outputVolume, muted: now.outputMuted === true };
}
