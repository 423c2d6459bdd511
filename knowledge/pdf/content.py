"""What a page draws: glyphs with their places, and the ruled lines around them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from pypdf import PageObject
from pypdf.generic import (
    ArrayObject,
    ContentStream,
    DictionaryObject,
    RectangleObject,
    StreamObject,
)

from knowledge.pdf.fonts import GlyphFont

Matrix = tuple[float, float, float, float, float, float]
_IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
_MAX_DEPTH = 12
_MAX_GLYPHS = 200_000
_THIN = 2.5
_HAIR = 0.07
_PAINT = {b"S", b"s", b"f", b"F", b"f*", b"B", b"B*", b"b", b"b*"}
_SHORT_ACTUAL_TEXT = 4
_ASKEW, _STRAIGHT = 3.0, 0.05


@dataclass(slots=True)
class Glyph:
    """A drawn character: its text, left and right edge, baseline and size, in points.

    It runs in direction `angle`, in degrees, and off that by `askew`.
    """

    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool
    known: bool
    space: bool
    angle: int
    askew: float = 0.0


@dataclass(frozen=True, slots=True)
class Rule:
    """A ruled line, horizontal (y0 == y1) or vertical (x0 == x1), in points."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def horizontal(self) -> bool:
        return self.y0 == self.y1


@dataclass(slots=True)
class Drawing:
    """A page as drawn, upright: x runs to the right, y upwards, from the lower left corner.

    `problem` says why the page could not be followed.
    """

    width: float
    height: float
    glyphs: list[Glyph] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    problem: str | None = None


@dataclass(slots=True)
class _State:
    """The part of the graphics state that q saves and Q brings back."""

    matrix: Matrix
    font: GlyphFont | None = None
    size: float = 0.0
    spacing: float = 0.0
    word_spacing: float = 0.0
    stretch: float = 1.0
    leading: float = 0.0
    rise: float = 0.0


@dataclass(slots=True)
class _Marked:
    """Marked content: the text that it stands for, if it says so, and where its glyphs begin."""

    actual: str | None
    first: int
    running: bool = False


def draw(page: PageObject) -> Drawing:
    """Follow a page's content stream, as far as a reader sees it: what is cropped is left out."""
    left, bottom, right, top = _visible(page)
    width, height = right - left, top - bottom
    turned: dict[int, Matrix] = {
        0: (1, 0, 0, 1, -left, -bottom),
        90: (0, -1, 1, 0, -bottom, width + left),
        180: (-1, 0, 0, -1, width + left, height + bottom),
        270: (0, 1, -1, 0, height + bottom, -left),
    }
    angle = int(page.get("/Rotate", 0) or 0) % 360
    drawing = Drawing(*((height, width) if angle in (90, 270) else (width, height)))
    contents = page.get("/Contents")
    contents = contents.get_object() if contents is not None else None
    if isinstance(contents, (ArrayObject, StreamObject)):
        painter = _Painter(drawing, page.pdf)
        stream = ContentStream(contents, page.pdf, "bytes")
        painter.run(stream, _resources(page), turned.get(angle, turned[0]), 0)
    _turn_upright(drawing)
    drawing.glyphs = [
        glyph
        for glyph in drawing.glyphs
        if -1 <= glyph.x0 <= drawing.width and -1 <= glyph.y <= drawing.height
    ]
    return drawing


def _visible(page: PageObject) -> tuple[float, float, float, float]:
    """The crop box within the media box: left, bottom, right and top."""
    (left, right), (bottom, top) = _sides(page.mediabox)
    (crop_left, crop_right), (crop_bottom, crop_top) = _sides(page.cropbox)
    inner = (
        max(left, crop_left),
        max(bottom, crop_bottom),
        min(right, crop_right),
        min(top, crop_top),
    )
    if inner[0] < inner[2] and inner[1] < inner[3]:
        return inner
    return left, bottom, right, top


def _sides(box: RectangleObject) -> tuple[list[float], list[float]]:
    """A box may name any two opposite corners."""
    return (
        sorted((float(box.left), float(box.right))),
        sorted((float(box.bottom), float(box.top))),
    )


class _Painter:
    """Runs content streams, a page's and those of the forms on it."""

    def __init__(self, drawing: Drawing, pdf: Any) -> None:
        self._drawing = drawing
        self._pdf = pdf
        self._fonts: dict[int, GlyphFont | None] = {}
        self._forms: set[int] = set()
        self._seen: dict[tuple[str, float, int], list[float]] = {}
        self._marked: list[_Marked] = []

    def run(
        self, stream: ContentStream, resources: DictionaryObject, matrix: Matrix, depth: int
    ) -> None:
        state = _State(matrix)
        saved: list[_State] = []
        text = line = _IDENTITY
        path: list[Rule] = []
        point = (0.0, 0.0)
        for operands, operator in stream.operations:
            if len(self._drawing.glyphs) > _MAX_GLYPHS:
                return
            if operator == b"q":
                saved.append(_copy(state))
            elif operator == b"Q":
                state = saved.pop() if saved else _State(matrix)
            elif operator == b"cm":
                state.matrix = _times(_matrix(operands), state.matrix)
            elif operator == b"BT":
                text = line = _IDENTITY
            elif operator == b"Tf":
                state.font = self._font(resources, operands)
                state.size = _number(operands, 1, state.size)
            elif operator == b"Tc":
                state.spacing = _number(operands, 0, state.spacing)
            elif operator == b"Tw":
                state.word_spacing = _number(operands, 0, state.word_spacing)
            elif operator == b"Tz":
                state.stretch = _number(operands, 0, 100.0) / 100
            elif operator == b"TL":
                state.leading = _number(operands, 0, state.leading)
            elif operator == b"Ts":
                state.rise = _number(operands, 0, state.rise)
            elif operator in (b"Td", b"TD"):
                x, y = _number(operands, 0), _number(operands, 1)
                if operator == b"TD":
                    state.leading = -y
                text = line = _times((1, 0, 0, 1, x, y), line)
            elif operator == b"Tm":
                text = line = _matrix(operands)
            elif operator == b"T*":
                text = line = _times((1, 0, 0, 1, 0, -state.leading), line)
            elif operator == b"Tj":
                text = self._show(state, text, operands[:1])
            elif operator == b"TJ":
                items = operands[0] if operands else []
                text = self._show(state, text, items if isinstance(items, list) else [])
            elif operator in (b"'", b'"'):
                if operator == b'"' and len(operands) >= 3:
                    state.word_spacing = _number(operands, 0, state.word_spacing)
                    state.spacing = _number(operands, 1, state.spacing)
                line = _times((1, 0, 0, 1, 0, -state.leading), line)
                text = self._show(state, line, operands[-1:])
            elif operator in (b"BDC", b"BMC"):
                self._marked.append(self._begin(resources, operands))
            elif operator == b"EMC":
                self._end()
            elif operator == b"Do":
                self._form(resources, operands, state.matrix, depth)
            elif operator == b"m":
                point = (_number(operands, 0), _number(operands, 1))
            elif operator == b"l":
                there = (_number(operands, 0), _number(operands, 1))
                path += _lines(state.matrix, [point, there])
                point = there
            elif operator in (b"c", b"v", b"y"):
                point = (_number(operands, -2), _number(operands, -1))
            elif operator == b"re":
                path += _rectangle(state.matrix, operands)
            elif operator in _PAINT:
                self._drawing.rules += path
                path = []
            elif operator == b"n":
                path = []

    def _font(self, resources: DictionaryObject, operands: list[Any]) -> GlyphFont | None:
        fonts = _entry(resources, "/Font")
        resource = _entry(fonts, str(operands[0])) if operands else DictionaryObject()
        key = id(resource)
        if key not in self._fonts:
            try:
                self._fonts[key] = GlyphFont(resource) if resource else None
            except (ValueError, TypeError, KeyError, AttributeError, IndexError):
                # A font that is broken beyond reading: its text counts as unreadable.
                self._fonts[key] = None
        return self._fonts[key]

    def _show(self, state: _State, text: Matrix, items: list[Any]) -> Matrix:
        for item in items:
            if isinstance(item, (int, float)):
                shift = -float(item) / 1000 * state.size * state.stretch
                text = _times((1, 0, 0, 1, shift, 0), text)
                continue
            data = getattr(item, "original_bytes", item)
            if not isinstance(data, bytes):
                continue
            text = self._show_string(state, text, data)
        return text

    def _show_string(self, state: _State, text: Matrix, data: bytes) -> Matrix:
        running = any(marked.running for marked in self._marked)
        if state.font is None:
            codes = [(("" if byte > 32 else " "), 0.5, byte <= 32, byte <= 32) for byte in data]
        else:
            codes = [(c.text, c.width, c.known, c.space) for c in state.font.codes(data)]
        for characters, width, known, space in codes:
            advance = width * state.size * state.stretch
            here = _times(_times((1, 0, 0, 1, 0, state.rise), text), state.matrix)
            if not running:
                self._place(here, characters, advance, known, space, state)
            step = advance + state.spacing * state.stretch
            if space:
                step += state.word_spacing * state.stretch
            text = _times((1, 0, 0, 1, step, 0), text)
        return text

    def _place(
        self, here: Matrix, text: str, advance: float, known: bool, space: bool, state: _State
    ) -> None:
        a, b, c, d, x, y = here
        size = state.size * math.hypot(c, d)
        angle, askew = _direction(math.degrees(math.atan2(b, a)))
        if angle in (0, 180):
            ends = sorted((x, x + advance * a))
        else:
            ends = [x, x + advance * math.hypot(a, b)]
        if not space and self._drawn_before(text, x, y, abs(size)):
            return
        bold = state.font is not None and state.font.bold
        self._drawing.glyphs.append(
            Glyph(text, ends[0], ends[1], y, abs(size), bold, known, space, angle, askew)
        )

    def _drawn_before(self, text: str, x: float, y: float, size: float) -> bool:
        """A word drawn twice, a hair apart, is a printer's bold, not two words."""
        places = self._seen.setdefault((text, round(size, 1), round(y)), [])
        if any(abs(x - other) < _HAIR * size for other in places):
            return True
        places.append(x)
        return False

    def _begin(self, resources: DictionaryObject, operands: list[Any]) -> _Marked:
        properties: Any = operands[1] if len(operands) > 1 else None
        if isinstance(properties, str):
            properties = _entry(_entry(resources, "/Properties"), properties)
        first = len(self._drawing.glyphs)
        if not isinstance(properties, DictionaryObject):
            return _Marked(None, first)
        actual = properties.get("/ActualText")
        running = operands[0] == "/Artifact" and properties.get("/Type") == "/Pagination"
        return _Marked(_text(actual), first, running)

    def _end(self) -> None:
        if not self._marked:
            return
        marked = self._marked.pop()
        glyphs = self._drawing.glyphs[marked.first :]
        if marked.actual is None or not glyphs:
            return
        unclear = any(not glyph.known or not readable(glyph.text) for glyph in glyphs)
        if not unclear and len(marked.actual) > _SHORT_ACTUAL_TEXT:
            return
        first, last = glyphs[0], glyphs[-1]
        first.text, first.known, first.x1 = marked.actual, True, max(last.x1, first.x1)
        first.space = bool(marked.actual) and marked.actual.isspace()
        del self._drawing.glyphs[marked.first + 1 :]

    def _form(
        self, resources: DictionaryObject, operands: list[Any], matrix: Matrix, depth: int
    ) -> None:
        form = _entry(_entry(resources, "/XObject"), str(operands[0])) if operands else None
        if not isinstance(form, StreamObject) or form.get("/Subtype") != "/Form":
            return
        key = id(form)
        if key in self._forms or depth >= _MAX_DEPTH:
            return
        self._forms.add(key)
        own = form.get("/Matrix")
        matrix = _times(_matrix(list(own)), matrix) if own else matrix
        inner = _entry(form, "/Resources") or resources
        self.run(ContentStream(form, self._pdf, "bytes"), inner, matrix, depth + 1)
        self._forms.discard(key)


def readable(text: str) -> bool:
    """Whether a glyph's text is made of characters: none private, half, for control or lost."""
    return all(
        c in "\t\n\r"
        or not (c < " " or "\x7f" <= c < "\xa0" or "\ud800" <= c <= "\uf8ff" or c == "\ufffd")
        for c in text
    )


def _turn_upright(drawing: Drawing) -> None:
    """Keep the text that runs in the page's main direction, and turn it so that it runs right."""
    counts: dict[int, int] = {}
    for glyph in drawing.glyphs:
        counts[glyph.angle] = counts.get(glyph.angle, 0) + 1
    main = max(counts, key=lambda angle: counts[angle], default=0)
    drawing.glyphs = [glyph for glyph in drawing.glyphs if glyph.angle == main]
    _straighten(drawing.glyphs)
    if main == 180:
        for glyph in drawing.glyphs:
            glyph.x0, glyph.x1 = drawing.width - glyph.x1, drawing.width - glyph.x0
            glyph.y = drawing.height - glyph.y
        drawing.rules = []
    elif main in (90, 270):
        for glyph in drawing.glyphs:
            length = glyph.x1 - glyph.x0
            if main == 90:
                x, y = glyph.y, drawing.width - glyph.x0
            else:
                x, y = drawing.height - glyph.y, glyph.x0
            glyph.x0, glyph.x1, glyph.y = x, x + length, y
        drawing.rules = [
            _turned_rule(rule, main, drawing.width, drawing.height) for rule in drawing.rules
        ]
        drawing.width, drawing.height = drawing.height, drawing.width


def _direction(degrees: float) -> tuple[int, float]:
    """The nearest quarter turn, and how far off it is, for text that a scan set a little askew.

    Other text, a watermark across the page, keeps its own direction.
    """
    quarter = round(degrees / 90) * 90
    if abs(degrees - quarter) <= _ASKEW:
        return quarter % 360, degrees - quarter
    return round(degrees) % 360, 0.0


def _straighten(glyphs: list[Glyph]) -> None:
    askew = median(glyph.askew for glyph in glyphs) if glyphs else 0.0
    if abs(askew) < _STRAIGHT:
        return
    cosine, sine = math.cos(math.radians(askew)), math.sin(math.radians(askew))
    for glyph in glyphs:
        x, y = glyph.x0, glyph.y
        shift = x * cosine + y * sine - x
        glyph.x0, glyph.x1, glyph.y = x + shift, glyph.x1 + shift, y * cosine - x * sine


def _turned_rule(rule: Rule, angle: int, width: float, height: float) -> Rule:
    if angle == 90:
        xs, ys = sorted((rule.y0, rule.y1)), sorted((width - rule.x0, width - rule.x1))
    else:
        xs, ys = sorted((height - rule.y0, height - rule.y1)), sorted((rule.x0, rule.x1))
    return Rule(xs[0], ys[0], xs[1], ys[1])


def _lines(matrix: Matrix, points: list[tuple[float, float]]) -> list[Rule]:
    (x0, y0), (x1, y1) = (_applied(matrix, point) for point in points)
    if abs(y1 - y0) < 0.5 and abs(x1 - x0) > 1:
        return [Rule(min(x0, x1), y0, max(x0, x1), y0)]
    if abs(x1 - x0) < 0.5 and abs(y1 - y0) > 1:
        return [Rule(x0, min(y0, y1), x0, max(y0, y1))]
    return []


def _rectangle(matrix: Matrix, operands: list[Any]) -> list[Rule]:
    x, y, w, h = (_number(operands, at) for at in range(4))
    (x0, y0), (x1, y1) = _applied(matrix, (x, y)), _applied(matrix, (x + w, y + h))
    x0, x1, y0, y1 = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
    if y1 - y0 <= _THIN:
        return [Rule(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2)] if x1 - x0 > _THIN else []
    if x1 - x0 <= _THIN:
        return [Rule((x0 + x1) / 2, y0, (x0 + x1) / 2, y1)]
    return [
        Rule(x0, y0, x1, y0),
        Rule(x0, y1, x1, y1),
        Rule(x0, y0, x0, y1),
        Rule(x1, y0, x1, y1),
    ]


def _resources(page: PageObject) -> Any:
    holder: Any = page
    for _ in range(_MAX_DEPTH):
        resources = _entry(holder, "/Resources")
        if resources:
            return resources
        parent = _entry(holder, "/Parent")
        if not parent:
            break
        holder = parent
    return DictionaryObject()


def _entry(holder: Any, key: str) -> Any:
    value = holder.get(key) if isinstance(holder, DictionaryObject) else None
    value = value.get_object() if value is not None else None
    return value if isinstance(value, DictionaryObject) else DictionaryObject()


def _text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bytes):
        return value.decode("utf-16" if value[:2] in (b"\xfe\xff", b"\xff\xfe") else "latin-1")
    return str(value)


def _copy(state: _State) -> _State:
    return _State(
        state.matrix,
        state.font,
        state.size,
        state.spacing,
        state.word_spacing,
        state.stretch,
        state.leading,
        state.rise,
    )


def _number(operands: list[Any], at: int, default: float = 0.0) -> float:
    try:
        return float(operands[at])
    except (IndexError, TypeError, ValueError):
        return default


def _matrix(operands: list[Any]) -> Matrix:
    a, b, c, d, e, f = (_number(operands, at, _IDENTITY[at]) for at in range(6))
    return a, b, c, d, e, f


def _times(m: Matrix, n: Matrix) -> Matrix:
    return (
        m[0] * n[0] + m[1] * n[2],
        m[0] * n[1] + m[1] * n[3],
        m[2] * n[0] + m[3] * n[2],
        m[2] * n[1] + m[3] * n[3],
        m[4] * n[0] + m[5] * n[2] + n[4],
        m[4] * n[1] + m[5] * n[3] + n[5],
    )


def _applied(matrix: Matrix, point: tuple[float, float]) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    x, y = point
    return a * x + c * y + e, b * x + d * y + f
