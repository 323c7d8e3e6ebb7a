"""Read a short reply so many times, piece by piece, with sayso's reader of blocks."""

from bench.reply import FEW, MOSTLY_BLOCKS, pieces, reply
from bench.serving import serve
from bench.streaming import known, read_gathered


def main() -> None:
    """Read the reply n times; the answer is how many blocks were found."""
    operations, parts = known(), pieces(reply(FEW, MOSTLY_BLOCKS))
    serve(lambda n: sum(read_gathered(operations, parts)[1] for _ in range(n)))


if __name__ == "__main__":
    main()
