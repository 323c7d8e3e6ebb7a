"""The provider for mail: its operations, backends and settings."""

import sys

from sayso.core.lazy import LazySequence
from sayso.core.provider import Provider, Requirement
from sayso.core.settings import FLAG_OR_LINE, LINE, PATH, Setting, memory_world, number, password_command
from sayso.providers.index import FACTS, OPERATIONS, STEPS

MAIL = Provider(
    store="mail",
    operations=LazySequence(OPERATIONS["mail"]),
    steps=LazySequence(STEPS["mail"]),
    facts=LazySequence(FACTS["mail"]),
    outside=("mail",),
    backends={
        "maildir": "sayso.providers.mail.maildir.backend:build",
        "imap": "sayso.providers.mail.imap.backend:build",
        "apple": "sayso.providers.mail.apple.backend:build",
        "memory": "sayso.providers.mail.memory:build",
    },
    requires={
        "imap": Requirement(
            ("imapclient",),
            "mail on a server is read with {module}, which is not installed; {install}",
            "mail.extra",
            "mail",
        )
    },
    default="apple" if sys.platform == "darwin" else "maildir",
    only_on={"apple": "darwin"},
    kinds={
        "maildir": "a folder of mail on this computer",
        "imap": "for an account on a server (mail.host, mail.user)",
        "apple": "the application Mail of macOS",
    },
    serves="mail",
    settings=(
        Setting("mail", "path", PATH, "Folder of the maildir."),
        Setting("mail", "address", LINE, "Your address, for what is sent."),
        Setting("mail", "name", LINE, "Your name, for what is sent."),
        Setting("mail", "hold_seconds", number(0, 3600), "How long a sent mail is held back so that it can be undone."),
        Setting("mail", "host", LINE, "IMAP server."),
        Setting("mail", "port", number(1, 65535), "Port of the IMAP server."),
        Setting("mail", "user", LINE, "Your user name on the IMAP server."),
        Setting("mail", "auth", LINE, "How to log in to the IMAP server."),
        Setting("mail", "smtp_host", LINE, "SMTP server."),
        Setting("mail", "smtp_port", number(1, 65535), "Port of the SMTP server."),
        Setting("mail", "tls", FLAG_OR_LINE, "How the connection is protected."),
        password_command("mail"),
        memory_world("mail"),
    ),
)
