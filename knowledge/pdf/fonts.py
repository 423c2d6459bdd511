"""Fonts of a PDF: character codes as text and advance widths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pypdf.generic import DictionaryObject
from pypdf.generic._font import Font

_BOLD_WORDS = ("bold", "black", "heavy", "demi")
_FORCE_BOLD, _SERIF, _FIXED = 1 << 18, 1 << 1, 1 << 0
# WinAnsi draws a bullet for the codes that it leaves free.
_PICTURES = {"ü": "✓", "û": "✗", "þ": "☑", "ý": "☒", "\uf0fc": "✓", "\uf0fb": "✗"}
_FREE_WIN_ANSI = dict.fromkeys((0x7F, 0x81, 0x8D, 0x8F, 0x90, 0x9D), "•")


@dataclass(frozen=True, slots=True)
class Code:
    """One character code: its text, its width in units of the font size, whether it can be read."""

    text: str
    width: float
    known: bool
    space: bool


class GlyphFont:
    """A font resource as it is needed to read text: what each code says and how wide it is."""

    def __init__(self, resource: DictionaryObject) -> None:
        self._font = Font.from_font_resource(resource)
        self._composite = isinstance(self._font.encoding, str)
        self._scale = _scale(resource)
        self._readable = self._font.interpretable and not _blind(resource)
        self._substitute = _substitute_widths(resource, self._font)
        self._win_ansi = "WinAnsi" in str(resource.get("/Encoding", ""))
        self._codes: dict[int, Code] = {}
        self._pictures = any(word in self._font.name.lower() for word in ("wingding", "webding"))
        descriptor = self._font.font_descriptor
        name = f"{self._font.name} {descriptor.name} {descriptor.weight}".lower()
        self.bold = any(word in name for word in _BOLD_WORDS) or bool(
            int(descriptor.flags) & _FORCE_BOLD
        )

    def codes(self, data: bytes) -> Iterator[Code]:
        """The codes of a shown string, in order."""
        if self._composite:
            units: Iterator[int] = (
                int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2)
            )
            if self._font.encoding != "utf-16-be":
                text = data.decode(str(self._font.encoding), "replace")
                units = (ord(character) for character in text)
        else:
            units = iter(data)
        for unit in units:
            code = self._codes.get(unit)
            if code is None:
                code = self._codes[unit] = self._code(unit)
            yield code

    def _code(self, unit: int) -> Code:
        raw = chr(unit)
        font = self._font
        if isinstance(font.encoding, dict):
            character = font.encoding.get(unit, raw)
            free = character == raw and raw not in font.character_map
            if self._win_ansi and free and unit in _FREE_WIN_ANSI:
                character = _FREE_WIN_ANSI[unit]
            named = len(character) > 1 and character.startswith("/")
        else:
            character, named = raw, False
        text = str(font.character_map.get(character, character))
        known = self._readable and not (named and text == character)
        if self._pictures and text.strip():
            text, known = _PICTURES.get(raw, "•"), True
        space = text.isspace() or (raw == font.space_char and not text.strip())
        width = self._width(raw, text, space)
        return Code("" if not known else text, width, known, space)

    def _width(self, raw: str, text: str, space: bool) -> float:
        if self._substitute is not None:
            return sum(self._substitute.get(c, 500.0) for c in text) / 1000
        widths = self._font.character_widths
        if space and not widths.get(raw):
            return float(self._font.space_width) * self._scale
        return float(widths.get(raw, widths["default"])) * self._scale


def _scale(resource: DictionaryObject) -> float:
    matrix: Any = resource.get("/FontMatrix")
    if resource.get("/Subtype") == "/Type3" and matrix:
        return abs(float(matrix[0])) or 0.001
    return 0.001


def _blind(resource: DictionaryObject) -> bool:
    """Whether the codes are glyph numbers that nothing ties to characters."""
    return (
        resource.get("/Subtype") == "/Type0"
        and "/ToUnicode" not in resource
        and str(resource.get("/Encoding", "")).startswith("/Identity")
    )


def _substitute_widths(resource: DictionaryObject, font: Font) -> dict[str, float] | None:
    """The widths that a viewer falls back on for a simple font that states none."""
    from pypdf._codecs.core_font_metrics import CORE_FONT_METRICS

    if resource.get("/Subtype") not in ("/Type1", "/MMType1", "/TrueType"):
        return None
    if "/Widths" in resource or font.name in CORE_FONT_METRICS:
        return None
    flags, name = int(font.font_descriptor.flags), font.name.lower()
    bold = any(word in name for word in _BOLD_WORDS)
    if flags & _FIXED or "courier" in name:
        standard = "Courier"
    elif flags & _SERIF or "times" in name or "serif" in name.replace("sans", ""):
        standard = "Times-Bold" if bold else "Times-Roman"
    else:
        standard = "Helvetica-Bold" if bold else "Helvetica"
    return CORE_FONT_METRICS[standard].character_widths
