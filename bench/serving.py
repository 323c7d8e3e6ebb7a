"""Do as many as one line of standard input says, and answer with one line that says what it took."""

import json
import sys
import time
from collections.abc import Callable


def serve(work: Callable[[int], object]) -> None:
    """Answer until standard input ends; the first answer says that everything is set up.

    Whatever a library prints meanwhile goes to standard error.
    """
    answers, sys.stdout = sys.stdout, sys.stderr
    print(json.dumps({"ready": True}), file=answers, flush=True)
    for line in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        found = work(int(line))
        took = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "found": found}
        print(json.dumps(took), file=answers, flush=True)
