"""What is known of large providers is encrypted, and goes by who takes the mail of a domain."""

from sayso.providers.mail.joining.known import APPLE, GOOGLE, MICROSOFT, OUTLOOK, YAHOO, known, known_by_exchange


def test_all_their_servers_are_encrypted():
    for servers in (APPLE, GOOGLE, MICROSOFT, OUTLOOK, YAHOO):
        assert {servers.imap.protection, servers.smtp.protection} <= {"tls", "starttls"}
        assert servers.hint


def test_only_their_own_names_count():
    assert known("gmail.com.example.org") is None
    assert known_by_exchange(("mx.notgoogle.com", "aspmx.google.com.evil.org")) is None
    found = known_by_exchange(("x-org.mail.protection.outlook.com",))
    assert found is not None
    assert found.smtp == MICROSOFT.smtp
