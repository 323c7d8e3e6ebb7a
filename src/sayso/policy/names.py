"""The names that no action may touch, in no mode and with no approval, each with its reason.

An entry is one name, or names that follow one another in a path, joined by `/`. A `*` at the start or
the end of a name stands for anything. All stand in small letters, as `paths.folded` leaves them. An
entry that starts with `=` holds only for the last name of a path: the thing itself, not what is in it.
"""

from collections.abc import Mapping
from types import MappingProxyType

_SHELL = "a shell runs it when it starts"
_PROGRAM = "a program runs what stands in it"
_SESSION = "the desktop runs it when you log in"
_SERVICE = "the system runs it by itself"
_KEYS = "it holds keys or passwords"
_AGENT = "it tells an assistant or editor what to run"
_GIT = "git runs what stands in it"
_BROWSER = "it holds a browser's sessions and passwords"

DENIED: Mapping[str, str] = MappingProxyType(
    {
        # Shells
        ".bashrc": _SHELL,
        ".bash_profile": _SHELL,
        ".bash_login": _SHELL,
        ".bash_logout": _SHELL,
        ".bash_aliases": _SHELL,
        ".profile": _SHELL,
        ".zshrc": _SHELL,
        ".zshenv": _SHELL,
        ".zprofile": _SHELL,
        ".zlogin": _SHELL,
        ".zlogout": _SHELL,
        ".kshrc": _SHELL,
        ".mkshrc": _SHELL,
        ".cshrc": _SHELL,
        ".tcshrc": _SHELL,
        ".login": _SHELL,
        ".logout": _SHELL,
        ".inputrc": _SHELL,
        ".envrc": _SHELL,
        "config.fish": _SHELL,
        ".config/fish": _SHELL,
        "fish/conf.d": _SHELL,
        "fish/functions": _SHELL,
        ".oh-my-zsh": _SHELL,
        ".local/bin": "the programs you start are looked for there",
        # Programs that run their settings
        ".vimrc": _PROGRAM,
        ".gvimrc": _PROGRAM,
        ".exrc": _PROGRAM,
        ".vim": _PROGRAM,
        ".config/nvim": _PROGRAM,
        ".emacs": _PROGRAM,
        ".emacs.d": _PROGRAM,
        ".tmux.conf": _PROGRAM,
        ".screenrc": _PROGRAM,
        ".gdbinit": _PROGRAM,
        ".lldbinit": _PROGRAM,
        ".pythonrc": _PROGRAM,
        ".pythonrc.py": _PROGRAM,
        ".rprofile": _PROGRAM,
        ".ripgreprc": _PROGRAM,
        ".curlrc": _PROGRAM,
        ".wgetrc": _PROGRAM,
        # Log-in, autostart, services, timers
        "autostart": _SESSION,
        "autostart-scripts": _SESSION,
        "*.desktop": "the desktop starts what stands in it",
        ".xinitrc": _SESSION,
        ".xsession": _SESSION,
        ".xsessionrc": _SESSION,
        ".xprofile": _SESSION,
        ".xresources": _SESSION,
        ".xdefaults": _SESSION,
        ".config/plasma-workspace": _SESSION,
        ".config/environment.d": _SESSION,
        ".pam_environment": _SESSION,
        ".config/systemd": _SERVICE,
        ".local/share/systemd": _SERVICE,
        ".local/share/dbus-1": _SERVICE,
        "launchagents": _SERVICE,
        "launchdaemons": _SERVICE,
        "crontab": _SERVICE,
        "cron.d": _SERVICE,
        "spool/cron": _SERVICE,
        # Keys and passwords
        ".ssh": _KEYS,
        ".gnupg": _KEYS,
        ".aws": _KEYS,
        ".azure": _KEYS,
        ".kube": _KEYS,
        ".docker": _KEYS,
        ".config/gcloud": _KEYS,
        ".config/gh": _KEYS,
        ".config/hub": _KEYS,
        ".config/rclone": _KEYS,
        ".config/op": _KEYS,
        ".netrc": _KEYS,
        "_netrc": _KEYS,
        ".pgpass": _KEYS,
        ".my.cnf": _KEYS,
        ".npmrc": _KEYS,
        ".yarnrc": _KEYS,
        ".yarnrc.yml": _KEYS,
        ".pypirc": _KEYS,
        ".git-credentials": _KEYS,
        ".config/git": _GIT,
        ".cargo/credentials": _KEYS,
        ".cargo/credentials.toml": _KEYS,
        ".vault-token": _KEYS,
        ".env": _KEYS,
        ".env.*": _KEYS,
        ".authinfo": _KEYS,
        ".authinfo.gpg": _KEYS,
        ".password-store": _KEYS,
        ".local/share/keyrings": _KEYS,
        ".local/share/kwalletd": _KEYS,
        "library/keychains": _KEYS,
        ".xauthority": _KEYS,
        # Browsers
        ".mozilla": _BROWSER,
        ".thunderbird": _BROWSER,
        ".config/google-chrome*": _BROWSER,
        ".config/chromium": _BROWSER,
        ".config/bravesoftware": _BROWSER,
        ".config/microsoft-edge*": _BROWSER,
        ".config/vivaldi": _BROWSER,
        "library/application support/google/chrome": _BROWSER,
        "library/application support/firefox": _BROWSER,
        "library/cookies": _BROWSER,
        # git: the folder itself too, since one written or moved there brings its own hooks
        "=.git": _GIT,
        ".git/hooks": _GIT,
        ".git/config": _GIT,
        ".git/config.worktree": _GIT,
        ".git/info": _GIT,
        ".git/modules": _GIT,
        ".git/worktrees": _GIT,
        ".gitconfig": _GIT,
        ".gitmodules": _GIT,
        # Assistants and editors
        ".mcp.json": _AGENT,
        ".claude*": _AGENT,
        ".cursor": _AGENT,
        ".codex": _AGENT,
        ".gemini": _AGENT,
        ".vscode": _AGENT,
        ".vscode-server": _AGENT,
        ".idea": _AGENT,
        ".config/code": _AGENT,
        # sayso itself
        ".sayso-*": "sayso keeps there what it can bring back",
        ".config/sayso": "sayso's own settings are there",
        ".local/share/sayso": "sayso's own state is there",
        "library/application support/sayso": "sayso's own state is there",
    }
)
