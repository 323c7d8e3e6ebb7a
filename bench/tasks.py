"""Finding a task by its words among 100,000 in three scripts: the median for each step of the rule."""

import random
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from statistics import median, quantiles

from bench.line import Gap, Line
from bench.size import Size
from sayso.providers.tasks.sqlite import search
from sayso.providers.tasks.sqlite.database import open_lists
from sayso.providers.tasks.store import MOST_FOUND

MANY = 100_000
MOST_MS = 2.0
LATIN = (
    "buy call write wine bread milk dinner report letter garden window fix paint plan trip send meeting review budget "
    "invoice doctor dentist book read clean kitchen bike repair school birthday present order ticket train hotel pack"
)
CYRILLIC = (
    "купить позвонить написать вино хлеб молоко ужин отчёт письмо сад окно починить покрасить план поездка отправить "
    "встреча проверить бюджет счёт врач книга читать убрать кухня велосипед школа подарок заказать билет поезд вода"
)
CHINESE = (
    "买 葡萄酒 面包 牛奶 晚餐 写 报告 信 花园 窗户 修理 计划 旅行 发送 会议 审查 预算 发票 医生 书 读 打扫 厨房 自行车"
)
SCRIPTS: Mapping[str, tuple[str, str]] = {
    "Latin": (LATIN, " "),
    "Cyrillic": (CYRILLIC, " "),
    "Chinese": (CHINESE, ""),
}
SIGNS = ("🍷", "🎉", "🚲", "", "", "")
Ask = Callable[[str, random.Random], str]
STEPS: Mapping[str, tuple[Ask, bool]] = {
    "1, equal": (lambda text, _: text.upper(), True),
    "2, a part": (lambda text, _: text[1:-1], True),
    "2, a part of many": (lambda text, draw: text[: draw.randint(1, 3)], True),
    "3, within more words": (lambda text, _: f"delete the task “{text}” now", True),
    "4, words turned round": (lambda text, _: " ".join([*reversed(text.split()), "task"]), True),
    "4, words of many": (lambda text, _: " ".join([*reversed(text.split()[:2]), "task"]), True),
    "not found": (lambda text, _: f"{text[:4]}zq{text[4:8]}xj", False),
    "not found, a slip": (lambda text, _: f"{text[:5]}#{text[6:]}", False),
}
"""How each kind of query is made of a text, and whether something is to be found by it."""


def measured(size: Size) -> list[Line | Gap]:
    """Measure every kind of query in every script; close names are part of what is not found."""
    draw = random.Random(7)
    many = min(size.rows, MANY)
    texts = [a_text(number, draw) for number in range(many)]
    with closing(filled(Path(size.folder("tasks")) / "tasks.db", texts)) as connection:
        return [
            _line(
                connection,
                f"{step}, {script}",
                [ask(text, draw) for text in _some(texts, number, size, draw)],
                there=there,
            )
            for number, script in enumerate(SCRIPTS)
            for step, (ask, there) in STEPS.items()
        ]


def a_text(number: int, draw: random.Random) -> str:
    """Return the text of a task, in one script after the other."""
    words, gap = list(SCRIPTS.values())[number % len(SCRIPTS)]
    return gap.join(draw.sample(words.split(), draw.randint(2, 6))) + f"{gap}{number}{draw.choice(SIGNS)}"


def filled(path: Path, texts: list[str]) -> sqlite3.Connection:
    """Return lists on the disk with these tasks."""
    connection = open_lists(str(path))
    connection.execute("BEGIN")
    for number, text in enumerate(texts):
        connection.execute("INSERT INTO tasks VALUES (?, ?, NULL, ?, NULL, '')", (str(number), text, number))
        search.put(connection, search.ACTIVE, str(number), text)
    connection.execute("COMMIT")
    return connection


def _some(texts: list[str], script: int, size: Size, draw: random.Random) -> list[str]:
    ours = texts[script :: len(SCRIPTS)]
    return [draw.choice(ours) for _ in range(max(20, size.rounds * size.n // 3))]


def _line(connection: sqlite3.Connection, what: str, queries: list[str], *, there: bool) -> Line:
    took: list[float] = []
    hits = 0
    for query in queries:
        begun = time.process_time()
        found = search.matching(connection, search.ACTIVE, query, MOST_FOUND)
        if not found:
            search.near(connection, search.ACTIVE, query)
        took.append(1000 * (time.process_time() - begun))
        hits += bool(found)
    if there and hits < len(queries):
        raise RuntimeError(f"{what}: {len(queries) - hits} of {len(queries)} were not found")
    beside = f"of ten, nine take less than {quantiles(took, n=10)[-1]:.2f} ms"
    return Line(f"finding a task by step {what}", median(took), MOST_MS, "ms", beside=beside)
