// The standard additions: commands of the program that runs a script, after `includeStandardAdditions = true`.
const STANDARD = {
    displayNotification: ["withTitle", "subtitle", "soundName"],
    getVolumeSettings: [],
    setVolume: ["outputVolume", "outputMuted", "inputVolume", "alertVolume"],
};

const STANDARD_DOES = {
    displayNotification(text, named) {
        sim.state.notifications.push({ text, ...named });
    },
    getVolumeSettings() {
        const { level, muted } = sim.state.volume;
        return { outputVolume: level, inputVolume: 50, alertVolume: 100, outputMuted: muted };
    },
    setVolume(_, { outputVolume, outputMuted }) {
        if (sim.state.volume.level === null) return; // an output without a volume of its own ignores it
        if (outputVolume !== undefined) sim.state.volume.level = Math.max(0, Math.min(100, Math.round(outputVolume)));
        if (outputMuted !== undefined) sim.state.volume.muted = outputMuted;
    },
};
