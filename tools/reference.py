"""Write docs/reference/ from the code: every list on these pages is one that the code knows."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from tools.pages import codes, commands, documents, lines, openapi, operations, settings

FOLDER = Path(__file__).parent.parent / "docs" / "reference"

PAGES: Mapping[str, Callable[[], str]] = MappingProxyType(
    {
        "commands.md": commands.written,
        "documents.md": documents.written,
        "errors.md": codes.written,
        "lines.md": lines.written,
        "operations.md": operations.written,
        "page.md": openapi.written,
        "page.openapi.json": openapi.written_json,
        "settings.md": settings.written,
    }
)


def main() -> None:
    """Write every page that is not as it should be, and name it."""
    for name, written in PAGES.items():
        file, text = FOLDER / name, written()
        if not file.exists() or file.read_text("utf-8") != text:
            file.write_text(text, "utf-8")
            print(f"wrote {file.relative_to(FOLDER.parents[1])}")


if __name__ == "__main__":
    main()
