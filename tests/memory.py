"""Settings that keep the stores in memory, also those of a provider that is new."""

from sayso.assembly.parts import providers


def memory_sections(*without: str) -> tuple[str, ...]:
    """Return the sections of the settings whose store can be in memory, in order, but those named."""
    found = (provider.settings_section for provider in providers() if "memory" in provider.backends)
    return tuple(section for section in found if section not in without)


def memory_settings(*without: str) -> str:
    """Return settings that keep every store in memory that can be, but those named."""
    return "".join(f'[{section}]\nkind = "memory"\n' for section in memory_sections(*without))
