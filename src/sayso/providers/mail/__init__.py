"""Mail, as the rest of the house sees it."""

from sayso.core.lazy import LazySequence
from sayso.core.provider import Provider

MAIL = Provider(
    store="mail",
    operations=LazySequence(
        {
            "sayso.providers.mail.operations:OPERATIONS": (
                "mail.compose mail.send mail.inbox mail.search mail.query mail.get mail.get_many mail.archive "
                "mail.star mail.unstar mail.mark_read mail.mark_unread mail.add_label mail.remove_label mail.trash "
                "mail.save_attachment"
            ),
        }
    ),
    steps=LazySequence(
        {
            "sayso.providers.mail.model:STEPS": (
                "mail.move mail.flag mail.label mail.send mail.compose mail.save mail.unsave"
            ),
        }
    ),
    facts=LazySequence(
        {"sayso.providers.mail.model:FACTS": "mail_at mail_flag mail_label mail_sent mail_composed mail_file"}
    ),
    backends={
        "imap": "sayso.providers.mail.imap.building:build",
        "maildir": "sayso.providers.mail.maildir.backend:build",
        "memory": "sayso.providers.mail.memory:build",
    },
    default="maildir",
    kinds={"maildir": "a folder of mail on this computer", "imap": "for an account on a server (mail.host, mail.user)"},
    elsewhere={"apple": "darwin"},
)
