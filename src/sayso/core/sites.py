"""Well-known sites and their short names (T-99)."""

from collections.abc import Mapping
from types import MappingProxyType

SITES: Mapping[str, str] = MappingProxyType(
    {
        "amazon": "amazon.com",
        "bing": "bing.com",
        "chatgpt": "chatgpt.com",
        "claude": "claude.ai",
        "duckduckgo": "duckduckgo.com",
        "facebook": "facebook.com",
        "github": "github.com",
        "gitlab": "gitlab.com",
        "gmail": "mail.google.com",
        "google": "google.com",
        "instagram": "instagram.com",
        "linkedin": "linkedin.com",
        "netflix": "netflix.com",
        "openstreetmap": "openstreetmap.org",
        "reddit": "reddit.com",
        "spotify": "open.spotify.com",
        "stackoverflow": "stackoverflow.com",
        "wikipedia": "wikipedia.org",
        "youtube": "youtube.com",
    }
)
"""The domain of each well-known site; the settings may add more."""
