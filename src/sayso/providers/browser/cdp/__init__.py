"""The driver for browsers of the Chromium family, which are controlled over their DevTools protocol (CDP)."""
