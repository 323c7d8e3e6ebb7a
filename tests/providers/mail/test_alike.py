"""What every store of mail answers alike does not depend on its mailboxes."""

from pathlib import Path

import pytest

from sayso.core.errors import ProposalError
from sayso.testing.mail import NEW, OLD
from tests.providers.mail.maildir.places import over, planted


async def test_new_ids_are_of_the_senders_domain_and_never_the_same(tmp_path: Path):
    mail = over(tmp_path).reads

    one, two = mail.new_message_id(), mail.new_message_id()

    assert one != two
    assert one.endswith("@localhost>")


async def test_a_file_of_a_mail_that_is_not_there_is_named(tmp_path: Path):
    planted(tmp_path, [OLD])

    with pytest.raises(ProposalError, match=r"No message has the id “<new@x.test>”"):
        await over(tmp_path).reads.came(NEW.message_id, 1)
