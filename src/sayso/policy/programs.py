"""Which files are programs, and which are passive: no program loads, runs or sends anything when it opens those.

The list of passive types is short on purpose. HTML, SVG and Markdown load pictures from addresses, office documents and
tables of CSV know formulas that do, a PDF knows scripts, forms and addresses to open at once, videos and playlists
refer to other files, and nobody can say what an archive holds or a file of an unknown type does.
"""

import posixpath
from collections.abc import Mapping
from types import MappingProxyType

from sayso.policy.paths import fold_name

HEAD = 512
"""The number of first bytes of a file that are looked at."""

_PLAIN = frozenset({".txt", ".text", ".log"})

_BEGINS: Mapping[str, tuple[bytes, ...]] = MappingProxyType(
    {
        ".png": (b"\x89PNG\r\n\x1a\n",),
        ".jpg": (b"\xff\xd8\xff",),
        ".jpeg": (b"\xff\xd8\xff",),
        ".gif": (b"GIF87a", b"GIF89a"),
        ".webp": (b"RIFF",),
        ".wav": (b"RIFF",),
        ".flac": (b"fLaC",),
        ".ogg": (b"OggS",),
        ".mp3": (b"ID3", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2"),
    }
)
"""Endings of pictures and sounds that are passive, with the bytes that such a file begins with."""

_RIFF: Mapping[str, bytes] = MappingProxyType({".webp": b"WEBP", ".wav": b"WAVE"})

_NOT_PLAIN = (b"<", b"%", b"#!", b"#EXTM3U", b"[", b"{\\rtf", b"MIME-Version")
"""How a text begins that some programs take for another type than plain text, whatever the name of its file."""


def is_passive(path: str, head: bytes) -> bool:
    """Return whether a file is of a passive type, both by the ending of its name and by its first bytes."""
    # Unlike `ending_of`, this is the ending as the system reads it: what only looks like a passive one is not.
    ending = posixpath.splitext(posixpath.basename(path))[1].lower()
    if ending in _PLAIN:
        return _is_plain(head)
    if not head.startswith(_BEGINS.get(ending, ())):
        return False
    return ending not in _RIFF or head[8:12] == _RIFF[ending]


def _is_plain(head: bytes) -> bool:
    if head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(_NOT_PLAIN):
        return False
    try:
        text = head.decode()
    except UnicodeDecodeError as wrong:
        # The last character may be cut off.
        if wrong.end < len(head) or wrong.reason != "unexpected end of data":
            return False
        text = head[: wrong.start].decode()
    return all(char >= " " or char in "\t\n\r\f" for char in text)


def ending_of(path: str) -> str:
    """Return the ending of a path's name as the most lenient system reads it: in lower case, blanks and dots cut."""
    return posixpath.splitext(fold_name(posixpath.basename(path.rstrip("/"))))[1]


MARKED = "it is marked as a program (an execute bit)"
_LATER = "another program runs what is written in it"
OBEYED = "coding agents do what is written in it"
_MACROS = "an office program may run macros in it"
_SHELL = "a shell would run it"
_SCRIPT = "an interpreter would run it"
_MAC = "macOS would run it"
_WINDOWS = "Windows, or what stands in for it, would run it"
_INSTALL = "it installs software"
_STARTER = "it starts a program named in it"
_ELSEWHERE = "it leads to an address named in it"

RUN: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(
            (".sh", ".bash", ".zsh", ".csh", ".tcsh", ".ksh", ".fish", ".dash", ".command", ".tool"), _SHELL
        ),
        **dict.fromkeys(
            (".py", ".pyw", ".pyc", ".pyz", ".pl", ".rb", ".php", ".lua", ".tcl", ".jar", ".jnlp"), _SCRIPT
        ),
        **dict.fromkeys((".scpt", ".scptd", ".applescript", ".app", ".workflow", ".action", ".terminal"), _MAC),
        **dict.fromkeys((".osax", ".prefpane", ".saver", ".kext", ".qlgenerator", ".mobileconfig", ".shortcut"), _MAC),
        **dict.fromkeys((".pkg", ".mpkg", ".deb", ".rpm", ".flatpakref", ".flatpakrepo", ".snap", ".msi"), _INSTALL),
        **dict.fromkeys((".appimage", ".run", ".bin", ".out", ".so", ".dylib"), "it is a program"),
        **dict.fromkeys((".desktop", ".service", ".lnk", ".pif", ".kdelnk"), _STARTER),
        **dict.fromkeys((".exe", ".bat", ".cmd", ".com", ".ps1", ".vbs", ".vbe", ".wsf", ".hta", ".scr"), _WINDOWS),
        **dict.fromkeys((".inetloc", ".fileloc", ".webloc", ".url", ".afploc", ".vncloc"), _ELSEWHERE),
    }
)
"""Endings, in lower case, of programs, which are never opened; each value says what opening such a file would do."""

_SCRIPTS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys((".js", ".mjs", ".cjs", ".awk", ".sed", ".jl", ".r", ".el", ".vim", ".ahk"), _SCRIPT),
        **dict.fromkeys((".mk", ".cmake", ".gradle", ".nix", ".ipynb", ".crontab", ".reg", ".just", ".ninja"), _LATER),
        **dict.fromkeys((".csproj", ".fsproj", ".vbproj", ".vcxproj", ".props", ".targets", ".sbt", ".bzl"), _LATER),
        **dict.fromkeys((".rmd", ".qmd", ".exs", ".ru", ".rake", ".gemspec", ".podspec", ".tf"), _LATER),
        **dict.fromkeys((".code-workspace", ".sublime-project", ".sublime-build"), _LATER),
        **dict.fromkeys((".docm", ".dotm", ".xlsm", ".xltm", ".xlam", ".xlsb", ".xll", ".slk"), _MACROS),
        **dict.fromkeys((".pptm", ".potm", ".ppam", ".ppsm", ".sldm"), _MACROS),
        **dict.fromkeys((".fodt", ".fods", ".fodp", ".fodg", ".oxt"), _MACROS),
        **dict.fromkeys((".timer", ".socket", ".mount", ".automount", ".target", ".slice"), _STARTER),
    }
)
"""Endings of other files in which a program is written; such a file may be opened, in an editor for example."""

_BUILT = """
makefile gnumakefile makefile.am makefile.in makefile.pl justfile rakefile jenkinsfile dockerfile containerfile
vagrantfile brewfile podfile fastfile guardfile capfile thorfile berksfile dangerfile tiltfile earthfile procfile
gemfile pipfile pkgbuild sconstruct sconscript wscript dune configure configure.ac configure.in cmakelists.txt
cmakepresets.json cmakeuserpresets.json meson.build build.xml pom.xml build.ninja build.rs build.zig build.zig.zon
build.boot project.clj deps.edn rebar.config stack.yaml cabal.project module.bazel workspace.bazel build.bazel
.bazelrc pants.toml cargo.toml cargo.lock go.work package.swift composer.json composer.lock gemfile.lock package.json
package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml pnpm-workspace.yaml bun.lock bunfig.toml deno.json
deno.jsonc deno.lock lerna.json nx.json turbo.json nodemon.json wrangler.toml netlify.toml vercel.json serverless.yml
pyproject.toml setup.cfg tox.ini pytest.ini mypy.ini .mypy.ini .pylintrc pylintrc .coveragerc requirements.txt
constraints.txt pipfile.lock poetry.lock uv.lock uv.toml pdm.lock pixi.toml environment.yml environment.yaml .condarc
pip.conf pip.ini nuget.config directory.build.props directory.build.targets directory.packages.props taskfile.yml
taskfile.yaml taskfile.dist.yml mise.toml .mise.toml .mise.local.toml mise.local.toml .tool-versions devbox.json
devenv.yaml compose.yml compose.yaml docker-compose.yml docker-compose.yaml skaffold.yaml .gitlab-ci.yml .travis.yml
.drone.yml .appveyor.yml appveyor.yml azure-pipelines.yml cloudbuild.yaml bitbucket-pipelines.yml buildspec.yml
action.yml action.yaml .gitpod.yml .replit .gitmodules lefthook.yml .lefthook.yml .lintstagedrc .lintstagedrc.json
.eslintrc .eslintrc.json .eslintrc.yml .eslintrc.yaml .babelrc .babelrc.json .prettierrc .prettierrc.json .stylelintrc
.stylelintrc.json .mocharc.json .mocharc.yml .swcrc .postcssrc .parcelrc .rspec .pryrc .rubocop.yml .lvimrc .nvimrc
.local.vimrc .vimrc.local latexmkrc .latexmkrc snapcraft.yaml autorun.inf
"""

_FOR_AGENTS = """
agents.md agents.override.md agents.local.md agent.md claude.md claude.local.md gemini.md codex.md qwen.md crush.md
warp.md replit.md copilot-instructions.md skill.md .cursorrules .windsurfrules .clinerules .roorules .roomodes .rules
.goosehints .continuerules .augment-guidelines .aider.conf.yml .hermes.md opencode.json opencode.jsonc .opencode.json
crush.json .crush.json mcp.json mcp_config.json
"""

_NAMES: Mapping[str, str] = MappingProxyType(
    {**dict.fromkeys(_BUILT.split(), _LATER), **dict.fromkeys(_FOR_AGENTS.split(), OBEYED)}
)
"""Names, in lower case, of files that builds, installers, editors and agents look for and do what is written in."""

_ENDS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys((".config.ts", ".config.mts", ".config.cts"), _LATER),
        **dict.fromkeys((".instructions.md", ".prompt.md", ".chatmode.md", ".agent.md", ".mdc"), OBEYED),
    }
)
"""The same for the ends of names."""

_FOUND_BY_NAME = _NAMES.keys() | {
    *("__init__.py", "__main__.py", "conftest.py", "setup.py", "sitecustomize.py", "usercustomize.py"),
    *("conf.py", "dodo.py", "fabfile.py", "hubconf.py", "manage.py", "noxfile.py", "tasks.py"),
    *("gruntfile.js", "gulpfile.js", "index.js", "build.gradle", "settings.gradle", "default.nix", "flake.nix"),
    *("shell.nix", "extconf.rb", "init.lua", "default.target"),
}
"""Names, in lower case, of programs that other programs look for and run."""

_OFTEN_DATA = frozenset({".bin", ".out"})
"""Endings of programs that are common for other files too; nothing runs such a file without an execute bit."""

_BEGINNINGS = (b"#!", b"\x7fELF", b"MZ")


def why_program(path: str, head: bytes = b"") -> str | None:
    """Return why a file with this name and these first bytes is a program, or instructions; None if it is neither."""
    ending = ending_of(path)
    why = None if ending in _OFTEN_DATA else RUN.get(ending) or _SCRIPTS.get(ending)
    if why is None:
        name = fold_name(posixpath.basename(path))
        why = _NAMES.get(name) or next((why for end, why in _ENDS.items() if name.endswith(end)), None)
    if why is None and head.startswith(_BEGINNINGS):
        why = "it begins as a program does"
    return why


def keeps_kind(old: str, new: str) -> bool:
    """Return whether a program that is renamed from `old` to `new` is still the same kind of program."""
    before, after = posixpath.basename(old), posixpath.basename(new)
    if before == after:
        return True
    same_ending = posixpath.splitext(before)[1] == posixpath.splitext(after)[1]
    return same_ending and fold_name(after) not in _FOUND_BY_NAME
