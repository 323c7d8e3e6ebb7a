"""An ask has a budget of turns, tokens, time and money; replies that break off are asked for again."""

from pathlib import Path

import pytest
from anyio import Event

from sayso.assistant.asker import Asker, Budget, NoView, Used
from sayso.core.conversation import ConversationRequest, Message, ReplyDelayed, ReplyEnd, ReplyText
from sayso.core.errors import ProviderError, Refused
from sayso.core.record import State
from sayso.dialects.detect import CHAT
from sayso.testing.fakes import FakeClock, Piece, Reply, Scripted, Silent, make_call
from tests.assistant.homes import WORLD, a_home, request

ASKED = ConversationRequest("s" * 40, (Message("user", "u" * 360),), "u", CHAT)


def looks(number: int, tokens: tuple[int, int] | None = None) -> list[Piece]:
    call = make_call("file_read", f"c{number}", path=f"~/Documents/{number}.txt")
    return [call, ReplyEnd("m", "tools", *(tokens or (100, 20)))]


class Told(NoView):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def show_progress(self, line: str) -> None:
        self.lines.append(line)


async def never(seconds: float) -> None:
    raise AssertionError(f"it waits {seconds} s")


def test_what_an_ask_took_is_told_in_words():
    several = Used(3, 4000, 120, seconds=11.2)
    one = Used(1, 10, 2, about=True, seconds=0.2, money=0.0125)

    assert several.text == "3 turns, 4,120 tokens, 11 s"
    assert one.text == "1 turn, about 12 tokens, 0 s, cost 0.0125"


def test_a_model_that_reports_no_tokens_is_counted_by_its_texts():
    used = Used().after(ASKED, "r" * 40, ReplyEnd("m", "stop"), 1.5, Budget())

    assert (used.tokens_in, used.tokens_out, used.about, used.seconds, used.money) == (100, 10, True, 1.5, None)


def test_a_reply_costs_what_the_settings_say_of_its_model():
    budget = Budget(prices={"m": (2.0, 10.0)})

    used = Used().after(ASKED, "", ReplyEnd("m", "stop", 1_000_000, 100_000), 1, budget)
    other = used.after(ASKED, "", ReplyEnd("free", "stop", 1, 1), 1, budget)

    assert (used.money, other.money) == (3.0, 3.0)


@pytest.mark.parametrize(
    ("used", "said"),
    [
        (Used(12), "budget_turns"),
        (Used(1, 499_950), "budget_tokens"),
        (Used(1, seconds=1200), "budget_time"),
        (Used(1, money=2.0), "budget_money"),
        (Used(11, 400_000, 99_000, seconds=1199, money=1.99), ""),
    ],
)
def test_each_limit_is_named_before_it_is_exceeded(used: Used, said: str):
    assert said in Budget(money=2.0).reached(used, ASKED)
    assert bool(said) == bool(Budget(money=2.0).reached(used, ASKED))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("budget_turns = 2", "stopped after 2 turns, the most for one request ([model] budget_turns)"),
        ("budget_tokens = 12000", "([model] budget_tokens)"),
        ('budget_money = 0.0002\nprices = ["m 1 1"]', "a request may cost 0.0002 ([model] budget_money)"),
    ],
)
async def test_where_the_budget_is_reached_it_says_so_and_what_was_done_stays(settings: str, said: str, tmp_path: Path):
    def more(asked: ConversationRequest) -> Reply:
        return looks(len(asked.turns), (4000, 20) if "tokens" in settings else None)

    model = Scripted(*[more] * 3)
    told = Told()
    async with a_home(tmp_path, f"{WORLD}[model]\n{settings}\n") as home:
        for number in range(6):
            (tmp_path / "Documents" / f"{number}.txt").write_text("x")
        answer = await home.ask("go on for ever", "chat", model, Asker(view=told))

    assert said in answer.stopped
    assert answer.stopped.endswith("what was done stays done")
    assert {one.record.state for one in answer.report.outcomes} == {State.DONE}
    assert answer.used.turns == len(model.asked)
    assert answer.trace.json()["used"] == answer.used.json()
    assert any(line.startswith("turn 2; so far 1 turn, ") for line in told.lines)


async def test_a_request_that_alone_is_more_than_the_budget_is_not_sent(tmp_path: Path):
    model = Scripted("Hi.")
    async with a_home(tmp_path, f"{WORLD}[model]\nbudget_tokens = 1000\n") as home:
        with pytest.raises(Refused, match=r"needs about .* tokens"):
            await home.ask("hello", "chat", model)

    assert model.asked == []


async def test_the_time_of_the_person_and_of_programs_is_none_of_the_budget(tmp_path: Path):
    clock = FakeClock()

    def slowly(asked: ConversationRequest) -> Reply:
        clock.advance(seconds=7)
        return looks(len(asked.turns)) if len(asked.turns) < 3 else "Done."

    async with a_home(tmp_path, clock=clock) as home:
        (tmp_path / "Documents" / "1.txt").write_text("x")
        answer = await home.ask("look", "chat", Scripted(slowly, slowly))

    assert answer.used.seconds == 14


CUT = ProviderError("m broke off in the middle of its reply", "model.cut")


async def test_a_reply_that_broke_off_is_asked_for_again_and_done_once(tmp_path: Path):
    slept: list[float] = []

    async def sleeps(seconds: float) -> None:
        slept.append(seconds)

    told = Told()
    block = '```json-action\n{"type": "add_task", "text": "A"}\n```'
    model = Scripted(
        [ReplyText(f"Adding.\n{block}\n"), make_call("file_mkdir", "c1", path="~/Documents/B"), CUT],
        [ReplyText("Ad"), CUT],
        f"Adding.\n{block}",
        "Done.",
    )
    async with a_home(tmp_path) as home:
        answer = await home.ask("add A", "chat", model, Asker(view=told, sleep=sleeps))

    assert slept == [1, 2]
    assert told.lines[:2] == [
        "the reply broke off; trying again in 1 s (2 of 3)",
        "the reply broke off; trying again in 2 s (3 of 3)",
    ]
    assert [one.record.operation for one in answer.report.outcomes] == ["task.add"]
    assert not (tmp_path / "Documents" / "B").exists()


async def test_a_reply_that_breaks_off_again_and_again_is_an_error_and_nothing_is_done(tmp_path: Path):
    async def sleeps(seconds: float) -> None:
        del seconds

    model = Scripted(*[[ReplyText("Ad"), CUT]] * 3)
    async with a_home(tmp_path) as home:
        with pytest.raises(ProviderError, match="broke off"):
            await home.ask("add A", "chat", model, Asker(sleep=sleeps))

    assert len(model.asked) == 3


async def test_a_server_that_fails_before_its_reply_is_not_asked_again_here(tmp_path: Path):
    model = Scripted(CUT)
    async with a_home(tmp_path) as home:
        with pytest.raises(ProviderError, match="broke off"):
            await home.ask("add A", "chat", model, Asker(sleep=never))


async def test_the_pause_before_the_next_try_can_be_stopped(tmp_path: Path):
    class Stops(NoView):
        def __init__(self) -> None:
            self.stop = Event()

        async def wait_for_stop(self) -> None:
            await self.stop.wait()

    view = Stops()

    async def sleeps(seconds: float) -> None:
        del seconds
        view.stop.set()
        await Event().wait()

    async with a_home(tmp_path) as home:
        with pytest.raises(Refused, match="you stopped it"):
            await home.ask("x", "chat", Scripted([ReplyText("Ad"), CUT]), Asker(view=view, sleep=sleeps))


async def test_a_model_that_cannot_answer_just_now_is_told_in_one_line(tmp_path: Path):
    told = Told()
    delayed = ReplyDelayed("the model is busy", 4.2, 2, 5)
    async with a_home(tmp_path) as home:
        await home.ask("x", "chat", Scripted([delayed, ReplyText("Hi.")]), Asker(view=told))

    assert told.lines == ["the model is busy; trying again in 4 s (2 of 5)"]


async def test_what_was_done_before_an_error_is_in_the_result(tmp_path: Path):
    model = Scripted(request({"type": "file_read", "path": "~/Documents/a.txt"}), ProviderError("it is down", "x"))
    async with a_home(tmp_path) as home:
        (tmp_path / "Documents" / "a.txt").write_text("x")
        answer = await home.ask("read a.txt", "commands", model, Asker("s"))
        kept = (await home.sessions.exchanges("s"))[-1]

    assert [one.record.state for one in answer.report.outcomes] == [State.DONE]
    assert answer.stopped == "it is down; what was done before stays done"
    assert answer.problem is not None
    assert kept.trace["error"] == "it is down"


async def test_a_model_that_never_answers_ends_with_the_time_of_the_budget(tmp_path: Path):
    async with a_home(tmp_path, f'{WORLD}[model]\nbudget_time = "0s"\n') as home:
        with pytest.raises(Refused, match="budget_time"):
            await home.ask("x", "chat", Scripted([Silent()]))
