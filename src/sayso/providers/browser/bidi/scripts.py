"""Run a script that a person said yes to in a page, and return its value as text."""

from sayso.core.plan import Facts
from sayso.providers.browser.bidi import said
from sayso.providers.browser.bidi.inside import Inside, inside
from sayso.providers.browser.bidi.opening import Opens, shown
from sayso.providers.browser.bidi.values import as_text
from sayso.providers.browser.live import scripts
from sayso.providers.browser.live.calling import No
from sayso.providers.browser.live.clicking import settle


def ran(opens: Opens, tab: str, code: str, token: str) -> Facts:
    """Run a script in the page itself, as the page's own scripts run."""
    with opens.held(files=True), inside(opens.now, tab) as page:
        with page.loading():
            written = page.call(str, "written", code)
            try:
                done = _run(page, written)
            except TimeoutError as late:
                raise scripts.too_long() from late
            except No as no:
                raise scripts.left() from no
            settle(page)
        shown(opens, tab)
        if done.exception_details is not None:
            raise scripts.wrong(done.exception_details.text)
        return (scripts.returned(token, as_text(done.result)),)


def _run(page: Inside, code: str) -> said.Ran:
    """Run it; what it comes to is waited for where that is a promise."""
    return page.ask(
        said.Ran,
        "script.evaluate",
        seconds=scripts.SECONDS,
        expression=code,
        target={"context": page.context},
        awaitPromise=True,
    )
