"""Parse a query with lark, which no other module imports."""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Protocol

from lark import Lark, Token, Tree
from lark.exceptions import LarkError
from msgspec import Struct

from sayso.core.quotes import quoted
from sayso.providers.mail.query.parser import (
    FIELDS,
    MOST,
    VALUES,
    AllOf,
    AnyOf,
    Not,
    Query,
    QueryContext,
    Term,
    check,
    mailboxes_apart,
    query_error,
    read_operator,
    too_long,
    unknown,
    words,
)


class _LarkParser(Protocol):
    def lex(self, text: str) -> Iterator[Token]: ...

    def parse(self, text: str) -> Tree[Token]: ...


def read(text: str, context: QueryContext) -> Query:
    """Return the parsed query. Raises `ProposalError` that says what is wrong or not understood."""
    parser = _parser()
    check(_pieces(parser, text))
    try:
        tree = parser.parse(text)
    except LarkError:
        raise query_error(
            "the query cannot be read; put text that is not meant as a query in quotation marks"
        ) from None
    reading = _TreeReader(context)
    (inner,) = tree.children
    term = reading.term(inner)
    if _size(term) > MOST:
        raise too_long()
    return Query(text, term, mailboxes_apart(term))


def _pieces(parser: _LarkParser, text: str) -> tuple[Token, ...]:
    try:
        return tuple(parser.lex(text))
    except LarkError:
        # Every other character is part of a word or a sign.
        raise query_error("a quotation mark is not closed") from None


@cache
def _parser() -> _LarkParser:
    grammar = files("sayso.providers.mail.query").joinpath("query.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="basic")


def _size(term: Term) -> int:
    match term:
        case AllOf(terms) | AnyOf(terms):
            return sum(_size(one) for one in terms) or 1
        case Not(inner):
            return _size(inner)
        case _:
            return 1


class _TreeReader(Struct, frozen=True):
    context: QueryContext
    operator: str = ""
    """The operator whose value is being read; empty outside of an operator."""

    def term(self, part: Tree[Token] | Token) -> Term:
        if isinstance(part, Token):
            raise TypeError(part.type)
        inner = [one for one in part.children if not (isinstance(one, Token) and one.type in _SIGNS)]
        match part.data:
            case "text":
                return self._text(str(part.children[0]))
            case "operator":
                return self._operator(str(part.children[0]), part.children[1])
            case "no":
                return Not(self.term(inner[0]))
            case "any" | "braces":
                return _one_or(AnyOf, [self.term(one) for one in inner])
            case _:
                return _one_or(AllOf, [self.term(one) for one in inner])

    def _operator(self, written: str, value: Tree[Token] | Token) -> Term:
        operator = written.removesuffix(":").lower()
        if self.operator:
            raise query_error(f"{quoted(written)} cannot stand within the brackets of {quoted(f'{self.operator}:')}")
        if isinstance(value, Tree) and value.data in {"group", "braces"} and operator not in _GROUPED:
            raise (
                query_error(f"{quoted(written)} takes one value and no brackets")
                if operator in VALUES
                else unknown(written)
            )
        return _TreeReader(self.context, operator).term(value)

    def _text(self, written: str) -> Term:
        text = written[1:-1] if written[0] in _QUOTES else written
        return read_operator(self.operator, text, self.context) if self.operator else words("text", text, self.context)


_SIGNS = frozenset({"OR", "AND", "MINUS"})
_QUOTES = '"“'
_GROUPED = frozenset({*FIELDS, "in", "label"})


def _one_or(kind: type[AllOf] | type[AnyOf], terms: Sequence[Term]) -> Term:
    return terms[0] if len(terms) == 1 else kind(tuple(terms))
