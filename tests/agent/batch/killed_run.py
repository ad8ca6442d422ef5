"""A batch of twelve questions in a process of its own: killed_run.py DATA_DIR OUT."""

import sys
import time
from pathlib import Path

from agent.batch import Question
from agent.batch.local import LocalEngine
from agent.models.scripted import Request, Turn
from tests.support.desk import SIMPLE, open_desk, said, sql


def play(request: Request) -> Turn:
    time.sleep(0.1)
    return said("There are 19 units.", "E1") if request.output else sql()


def main(data_dir: str, out: str) -> None:
    desk = open_desk(Path(data_dir))
    desk.play(*[play] * 24)
    asked = [Question(f"q{n}", SIMPLE) for n in range(12)]
    LocalEngine().run(desk.agent, asked, Path(out), concurrency=2)
    desk.agent.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
