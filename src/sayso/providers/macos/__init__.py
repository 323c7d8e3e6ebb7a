"""What the back ends for macOS share: scripts that are run through `osascript`, and their errors."""
