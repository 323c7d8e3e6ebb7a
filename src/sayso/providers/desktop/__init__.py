"""Clipboard, notifications, speech, volume, do-not-disturb, shortcuts; and opening what other domains hand over."""
