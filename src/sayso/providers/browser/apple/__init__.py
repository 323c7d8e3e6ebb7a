"""Control of Safari and Chrome on macOS by Apple events."""
