"""A field holds exactly what was meant, or what it held before."""

import pytest

from sayso.core.errors import ProviderError, Uncertain
from sayso.core.plan import CannotUndo
from sayso.providers.browser.live.filling import same
from tests.desktop_env.browser import Around
from tests.providers.browser.conftest import Showing

HEARD = (
    "<script>window.heard = []; for (const k of ['input', 'change']) addEventListener(k, e => heard.push(k))</script>"
)
FIELDS = [
    ("<input id=f value=old>", "quotes \" ' ` $ and </script> ü🙂"),
    ("<textarea id=f>old</textarea>", 'two "lines"\nof text\n'),
    ("<textarea id=f>old</textarea>", "`${document.title = 1}` \u2028 \\'); document.title = 2; //</script>"),
    ("<input id=f type=password value=old>", "geheim"),
    ("<input id=f type=date value=2024-01-01>", "2026-05-04"),
    ("<input id=f type=number value=1>", "42"),
    ("<select id=f><option value=a>One<option value=b>Two</select>", "b"),
]
VALUE = "document.querySelector('#f').value"


@pytest.mark.req("S1-46", "AP-04", "C-09", "T-23")
@pytest.mark.parametrize(("body", "value"), FIELDS)
async def test_a_value_arrives_intact_and_the_page_hears_of_it(page: Showing, around: Around, body: str, value: str):
    trial = page(HEARD + body)

    await trial.do(await trial.plan("page.fill", selector="#f", value=value))

    assert around.chromium.evaluate(VALUE) == value
    assert around.chromium.evaluate("heard") == ["input", "change"]
    assert around.chromium.evaluate("document.title") == "Page"


@pytest.mark.req("S1-46")
async def test_a_choice_may_be_named_as_it_is_shown(page: Showing, around: Around):
    trial = page("<select id=f><option value=a>One<option value=b>Two</select>")

    await trial.do(await trial.plan("page.fill", selector="#f", value="Two"))

    assert around.chromium.evaluate(VALUE) == "b"


async def test_formatted_text_is_put_in_as_somebody_would_type_it(page: Showing, around: Around):
    trial = page("<div id=f contenteditable>old <b>text</b></div>")

    plan = await trial.plan("page.fill", selector="#f", value="new")
    lefts = await trial.do(plan)
    between = around.chromium.evaluate("f.innerText")
    await trial.take_back(plan, lefts)

    assert (between, around.chromium.evaluate("f.innerText")) == ("new", "old text")


async def test_a_field_can_be_emptied(page: Showing, around: Around):
    for body in ("<input id=f value=old>", "<div id=f contenteditable>old</div>"):
        trial = page(body)

        await trial.do(await trial.plan("page.fill", selector="#f", value=""))

        assert around.chromium.evaluate("(f.value ?? f.innerText).trim()") == ""


async def test_the_old_value_comes_back_if_nobody_changed_it_since(page: Showing, around: Around):
    trial = page("<input id=f value=old>")
    plan = await trial.plan("page.fill", selector="#f", value="new")
    lefts = await trial.do(plan)
    await trial.take_back(plan, lefts)
    first = around.chromium.evaluate(VALUE)

    again = await trial.do(plan)
    around.chromium.evaluate("f.value = 'mine'")
    with pytest.raises(ProviderError, match="is not what it was"):
        await trial.take_back(plan, again)

    assert (first, around.chromium.evaluate(VALUE)) == ("old", "mine")


async def test_several_fields_are_filled_in_one_batch_and_taken_back(page: Showing, around: Around):
    trial = page("<input id=a value=1><input id=b value=2>")
    plans = [await trial.plan("page.fill", selector="#a", value="x")]
    for selector, value in (("#b", "y"), ("#a", "z")):
        trial.imagine(plans[-1])
        plans.append(await trial.plan("page.fill", selector=selector, value=value))

    lefts = [await trial.do(plan, number) for number, plan in enumerate(plans)]
    between = around.chromium.evaluate("a.value + b.value")
    for plan, left in reversed(list(zip(plans, lefts, strict=True))):
        await trial.take_back(plan, left)

    assert (between, around.chromium.evaluate("a.value + b.value")) == ("zy", "12")


async def test_a_password_has_no_way_back(page: Showing):
    plan = await page("<input id=f type=password value=old>").plan("page.fill", selector="#f", value="new")

    assert isinstance(plan.changes[0].undo, CannotUndo)


NOT_TAKEN = [
    ("<input id=f value=old maxlength=3 oninput='value = value.slice(0, 3)'>", "longer", "it made “lon” of it"),
    ("<input id=f value=old>", "two\nlines", "it made “twolines” of it"),
    ("<input id=f type=number value=7>", "seven", "it made “” of it"),
    ("<select id=f><option value=old>One<option value=b>Two</select>", "c", "it has: “old”, “b”"),
]


@pytest.mark.req("T-23")
@pytest.mark.parametrize(("body", "value", "said"), NOT_TAKEN)
async def test_a_field_that_does_not_take_it_has_its_old_value(
    page: Showing, around: Around, body: str, value: str, said: str
):
    trial = page(body)
    before = around.chromium.evaluate(VALUE)
    plan = await trial.plan("page.fill", selector="#f", value=value)

    with pytest.raises(ProviderError, match=said) as no:
        await trial.do(plan)

    assert not isinstance(no.value, Uncertain)
    assert around.chromium.evaluate(VALUE) == before


OPEN = [
    ("<input id=f value=old oninput=\"value = 'stuck'\">", "made “stuck” of it, and does not have its old value back"),
    ("<input id=f type=password value=old oninput='value = value.slice(0, 3)'>", "made something else of it, and does"),
    ("<input id=f autocomplete=cc-number value=old oninput='value = value.slice(0, 3)'>", "made something else of it"),
    ("<input id=f value=old oninput=\"confirm('Sure?')\">", "filled in, and then: the page asked “Sure"),
    ("<input id=f value=old onchange='this.remove()'>", "filled in, and then: nothing on the page is found"),
    ("<input id=f value=old onchange='this.disabled = true'>", "filled in, and then: what “#f” finds is disabled"),
]


@pytest.mark.req("T-23", "BR-10")
@pytest.mark.parametrize(("body", "said"), OPEN)
async def test_a_field_that_was_filled_in_and_then_did_something_else_is_not_told_as_not_done(
    page: Showing, body: str, said: str
):
    trial = page(body)

    with pytest.raises(Uncertain, match=said) as no:
        await trial.do(await trial.plan("page.fill", selector="#f", value="4111111111111111"))

    assert "look at the page before you try it again" in str(no.value)
    assert "411" not in str(no.value)


async def test_a_card_number_may_be_written_with_signs_between(page: Showing, around: Around):
    trial = page("<input id=f autocomplete=cc-number oninput=\"value = value.replace(/(\\d{4})(?=\\d)/g, '$1 ')\">")

    await trial.do(await trial.plan("page.fill", selector="#f", value="4111111111111111"))

    assert around.chromium.evaluate(VALUE) == "4111 1111 1111 1111"


@pytest.mark.parametrize("body", ["<input id=f type=checkbox>", "<button id=f>x</button>", "<input id=f readonly>"])
async def test_what_is_no_field_is_not_filled(page: Showing, body: str):
    with pytest.raises(ProviderError, match="is no field that can be filled in"):
        await page(body).plan("page.fill", selector="#f", value="x")


async def test_a_field_that_can_no_longer_be_filled_is_left_alone(page: Showing, around: Around):
    trial = page("<input id=f value=old>")
    plan = await trial.plan("page.fill", selector="#f", value="x")
    around.chromium.evaluate("f.readOnly = true")

    with pytest.raises(ProviderError):
        await trial.do(plan)

    assert around.chromium.evaluate(VALUE) == "old"


@pytest.mark.parametrize(
    ("found", "wanted", "is_same"),
    [
        ("(123) 456-7890", "1234567890", True),
        ("a\r\nb", "a\nb", True),
        ("ab", "a\nb", False),
        ("", "-", False),
        ("12", "123", False),
        ("1,000.00", "1000.00", True),
        ("12,50", "12.50", True),
        ("1000", "1 000", True),
        ("1250", "12.50", False),
        ("100", "-100", False),
        ("15", "1,5", False),
        ("1030", "10:30", False),
    ],
)
def test_a_page_may_write_it_its_own_way(found: str, wanted: str, is_same: bool):
    assert same(found, wanted) is is_same
