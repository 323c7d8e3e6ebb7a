// Shows a notification.
function main({ title, message, sound }) {
    const app = Application.currentApplication();
    app.includeStandardAdditions = true;
    changing();
    const named = { withTitle: title };
    if (sound) named.soundName = sound;
    app.displayNotification(message, named);
}
