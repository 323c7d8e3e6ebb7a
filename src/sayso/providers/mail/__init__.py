"""Mail, as the rest of the house sees it."""

from sayso.core.lazy import LazySequence
from sayso.core.provider import Provider, Requirement
from sayso.providers.index import FACTS, OPERATIONS, STEPS

MAIL = Provider(
    store="mail",
    operations=LazySequence(OPERATIONS["mail"]),
    steps=LazySequence(STEPS["mail"]),
    facts=LazySequence(FACTS["mail"]),
    backends={
        "maildir": "sayso.providers.mail.maildir.backend:build",
        "imap": "sayso.providers.mail.imap.backend:build",
        "memory": "sayso.providers.mail.memory:build",
    },
    requires={
        "imap": Requirement(
            ("imapclient",),
            "mail on a server is read with {module}, which is not installed; pip install 'sayso[mail]'",
            "mail.extra",
        )
    },
    default="maildir",
    kinds={"maildir": "a folder of mail on this computer", "imap": "for an account on a server (mail.host, mail.user)"},
    elsewhere={"apple": "darwin"},
)
