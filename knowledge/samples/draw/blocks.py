"""A sample policy's source: front matter and Markdown read into blocks that can be drawn."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from html import escape
from pathlib import Path
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token
from ruamel.yaml import YAML

Layout = Literal["single", "two-column", "roman"]
LAYOUTS: tuple[Layout, ...] = ("single", "two-column", "roman")
LANDSCAPE = "{landscape}"
_CLAUSE = re.compile(r"(\d+(?:\.\d+)+)\s+(.*)", re.DOTALL)
_CLAUSE_START = re.compile(r"\n(?=\d+\.\d)")
_TAGS = {
    "strong_open": "<b>",
    "strong_close": "</b>",
    "em_open": "<i>",
    "em_close": "</i>",
    "hardbreak": "<br/>",
    "softbreak": "\n",
}


class SourceError(Exception):
    """A source cannot be drawn as it is; the message says which file and why."""


@dataclass(frozen=True, slots=True)
class Cover:
    """What the cover and the running lines say."""

    title: str
    reference: str
    owner: str
    version: str
    effective: str
    scope: str
    layout: Layout


@dataclass(frozen=True, slots=True)
class Heading:
    """A section (level 1) or sub heading (level 2)."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Clause:
    """A numbered clause."""

    number: str
    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph without a number."""

    text: str


@dataclass(frozen=True, slots=True)
class Item:
    """A list item; `depth` counts from 0, `mark` is a bullet or a number."""

    depth: int
    mark: str
    text: str


@dataclass(frozen=True, slots=True)
class Rows:
    """A table; the first row is its header."""

    rows: list[list[str]]
    landscape: bool


Block = Heading | Clause | Text | Item | Rows


@dataclass(frozen=True, slots=True)
class Document:
    """One version of a policy, ready to be drawn. Texts are reportlab paragraph markup."""

    cover: Cover
    blocks: list[Block]


def read(path: Path) -> Document:
    """Read one source. Raises SourceError where it cannot be drawn."""
    text = path.read_text(encoding="utf-8")
    try:
        _check_glyphs(text)
        _, front, body = text.split("---\n", 2)
        return Document(_cover(YAML(typ="safe").load(front)), list(_blocks(body)))
    except ValueError as error:
        raise SourceError(f"{path.name}: {error}") from error


def _check_glyphs(text: str) -> None:
    """The built-in PDF fonts hold the characters of Windows code page 1252 and no others."""
    try:
        text.encode("cp1252")
    except UnicodeEncodeError as error:
        raise ValueError(f"no glyph for {text[error.start : error.end]!r}") from error


def _cover(front: Mapping[str, object]) -> Cover:
    names = {field.name for field in fields(Cover)}
    if names != set(front):
        raise ValueError(f"front matter needs {sorted(names)}, has {sorted(front)}")
    values = {name: str(value) for name, value in front.items()}
    layout = next((known for known in LAYOUTS if known == values["layout"]), None)
    if layout is None:
        raise ValueError(f"unknown layout {values['layout']!r}")
    del values["layout"]
    return Cover(**values, layout=layout)


def _blocks(body: str) -> Iterator[Block]:
    landscape = False
    depth = -1
    marks: list[str] = []
    tokens = MarkdownIt("commonmark").enable("table").parse(body)
    for at, token in enumerate(tokens):
        match token.type:
            case "heading_open":
                yield Heading(int(token.tag[1:]), _markup(tokens[at + 1]))
            case "bullet_list_open" | "ordered_list_open":
                depth += 1
            case "bullet_list_close" | "ordered_list_close":
                depth -= 1
            case "list_item_open":
                marks.append(f"{token.info}." if token.info else "•")
            case "paragraph_open" if depth >= 0:
                yield Item(depth, marks.pop() if marks else "", _markup(tokens[at + 1]))
            case "paragraph_open":
                lines = _markup(tokens[at + 1])
                landscape = lines.endswith(LANDSCAPE)
                yield from _paragraphs(lines.removesuffix(LANDSCAPE).strip())
            case "table_open":
                yield Rows(_rows(tokens[at:]), landscape)
                landscape = False
            case "fence" | "code_block" | "html_block" | "blockquote_open":
                raise ValueError(f"cannot draw {token.type} near {token.content[:40]!r}")


def _paragraphs(lines: str) -> Iterator[Block]:
    for text in _CLAUSE_START.split(lines) if lines else ():
        if clause := _CLAUSE.match(text):
            yield Clause(clause[1], clause[2])
        else:
            yield Text(text)


def _rows(tokens: list[Token]) -> list[list[str]]:
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "table_close":
            break
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(_markup(token))
    return rows


def _markup(inline: Token) -> str:
    return "".join(_tag(child) for child in inline.children or ())


def _tag(token: Token) -> str:
    if token.type == "text":
        return escape(token.content, quote=False)
    if token.type in _TAGS:
        return _TAGS[token.type]
    raise ValueError(f"cannot draw {token.type} {token.content!r}")
