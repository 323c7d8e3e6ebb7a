"""Every step comes by its kill points in their order, and faults come out as sentences."""

from pathlib import Path
from typing import cast

import pytest

from sayso.core.codec import Codec, step_json
from sayso.core.errors import ProviderError
from sayso.core.plan import CannotUndo
from sayso.providers.files.local.apply import KILL_POINTS
from sayso.providers.files.steps import STEPS, Rename, Steps
from tests.providers.files.local.desk import Desk
from tests.providers.files.local.dying import scene

NAMES = [step.step.removeprefix("file.") for step in STEPS]


@pytest.mark.parametrize("name", NAMES)
async def test_a_step_comes_by_each_of_its_kill_points(name: str, tmp_path: Path):
    step, expects, _ = await scene(name, Desk(tmp_path))
    seen: list[str] = []

    await Desk(tmp_path, kill=seen.append).do(step, expects)

    assert list(dict.fromkeys(seen)) == [label for label in KILL_POINTS if label.startswith(f"files.{name}.")]


@pytest.mark.parametrize("name", NAMES)
async def test_a_step_that_fails_before_anything_began_changes_nothing(name: str, tmp_path: Path):
    step, expects, _ = await scene(name, Desk(tmp_path))
    path = str(getattr(step, step.paths[-1]))
    elsewhere = Codec(STEPS, ()).step({**step_json(step), step.paths[-1]: path + "/no/x"})
    assert not isinstance(elsewhere, CannotUndo)
    desk = Desk(tmp_path)

    with pytest.raises(ProviderError):
        await desk.backend.apply(cast("Steps", elsewhere), expects)

    assert not Path(path + "/no").exists()


async def test_a_name_that_is_too_long_is_said(desk: Desk):
    source = desk.file("a")

    with pytest.raises(ProviderError, match="too long") as said:
        await desk.do(Rename(str(source), str(desk.documents / ("x" * 256))))

    assert said.value.code == "path.too_long"
    assert source.exists()
