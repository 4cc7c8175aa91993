r"""TeX formulas become a line of text: "$10.5 \pm 2.1$" is "10.5 ± 2.1".

Not a TeX engine: it knows the commands that carry meaning in formulas of papers, drops those that only set type, and
keeps the text of all others. The preamble with which Springer wraps every formula (`\documentclass` …
`\begin{document}`) is left out. In time linear in the formula.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from litloop.reading.formula_notation import fraction, index, power, root

_MOST_NESTED = 60  # groups inside each other; what is deeper is read without its structure
_BEGIN, _END = "\\begin{document}", "\\end{document}"
_TOKEN = re.compile(r"\\[A-Za-z]+\*?[ \t\r\n]*|\\(?s:.)|[{}^_&~$'\[\]]|[^\\{}^_&~$'\[\]]+")
_COMMENT = re.compile(r"(?<![\\\d])(?<!\d[ }])%.*")  # "5%" and "50 %" are per cent
_UNICODE = re.compile(r"\\unicode(?:\[[^\]]{0,60}\])?\{\s*(?:x([0-9A-Fa-f]{1,6})|(\d{1,7}))\s*\}")

# Relations and operations, set with space around them.
_RELATIONS = {
    "pm": "±", "mp": "∓", "times": "×", "div": "÷", "cdot": "·", "le": "≤", "leq": "≤", "leqslant": "≤", "ge": "≥",
    "geq": "≥", "geqslant": "≥", "lt": "<", "gt": ">", "ne": "≠", "neq": "≠", "approx": "≈", "simeq": "≃",
    "cong": "≅", "sim": "∼", "equiv": "≡", "propto": "∝", "ll": "≪", "gg": "≫", "in": "∈", "notin": "∉",
    "subset": "⊂", "subseteq": "⊆", "cup": "∪", "cap": "∩", "to": "→", "rightarrow": "→", "longrightarrow": "→",
    "leftarrow": "←", "Rightarrow": "⇒", "Leftrightarrow": "⇔", "leftrightarrow": "↔", "rightleftharpoons": "⇌",
    "mid": "|", "wedge": "∧", "vee": "∨", "lesssim": "≲", "gtrsim": "≳", "ast": "∗", "mapsto": "↦", "perp": "⊥",
    "parallel": "∥", "otimes": "⊗", "oplus": "⊕",
}  # fmt: skip
_SIGNS = {
    "infty": "∞", "circ": "°", "degree": "°", "textdegree": "°", "prime": "′", "partial": "∂", "nabla": "∇",
    "sum": "∑", "prod": "∏", "int": "∫", "ldots": "…", "cdots": "…", "dots": "…", "forall": "∀", "exists": "∃",
    "emptyset": "∅", "uparrow": "↑", "downarrow": "↓", "ell": "ℓ", "hbar": "ℏ", "bullet": "•", "dagger": "†",
    "ddagger": "‡", "lbrace": "{", "rbrace": "}", "langle": "⟨", "rangle": "⟩", "vert": "|", "Vert": "‖",
    "lvert": "|", "rvert": "|", "textmu": "µ", "upmu": "µ", "micro": "µ", "AA": "Å", "colon": ":", "percent": "%",
    "Delta": "Δ", "Gamma": "Γ", "Lambda": "Λ", "Omega": "Ω", "Phi": "Φ", "Pi": "Π", "Psi": "Ψ", "Sigma": "Σ",
    "Theta": "Θ", "Xi": "Ξ", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε",
    "varepsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ", "vartheta": "ϑ", "iota": "ι", "kappa": "κ",
    "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "upsilon": "υ",
    "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω",
}  # fmt: skip
_NAMED = frozenset({
    "log", "ln", "exp", "sin", "cos", "tan", "max", "min", "lim", "arg", "det", "dim", "sup", "inf", "Pr", "mod",
    "deg", "sinh", "cosh", "tanh", "arctan",
})  # fmt: skip
_ACCENTS = {
    "hat": "\u0302", "widehat": "\u0302", "bar": "\u0304", "overline": "\u0304", "tilde": "\u0303",
    "widetilde": "\u0303", "dot": "\u0307", "ddot": "\u0308", "vec": "\u20d7",
}  # fmt: skip
_SPACES = frozenset({"quad", "qquad", "enspace", "thinspace", "space", "enskip", "hspace", "hskip", "newline", "cr"})
_SPACE_SIGNS = frozenset(" ,;:>\n\t\r~")
# Commands whose argument is no part of what is read.
_WITHOUT_ARGUMENT = frozenset({
    "label", "tag", "hspace", "vspace", "color", "textcolor", "phantom", "hphantom", "vphantom", "setlength",
    "usepackage", "documentclass", "begin", "end", "ref", "cite",
})  # fmt: skip
_WITH_COLUMNS = frozenset({"array", "tabular", "alignat", "subarray"})


def tex_text(source: str) -> str:
    """The formulas of `source` on one line, everything else in it as it stands."""
    begin = source.find(_BEGIN)
    if begin >= 0:
        end = source.find(_END, begin)
        source = source[begin + len(_BEGIN) : end if end >= 0 else len(source)]
    source = _UNICODE.sub(lambda m: _char(int(m[1], 16) if m[1] else int(m[2])), _COMMENT.sub("", source))
    text = _Reader(source).read()
    text = re.sub(r"(\d)\s*\{,\}\s*(?=\d)", r"\1,", text)
    return " ".join(text.split())


def _char(code: int) -> str:
    return chr(code) if 0x20 <= code < 0x110000 and not 0xD800 <= code < 0xE000 else " "


class _Reader:
    """Goes through the tokens once, a group at a time."""

    def __init__(self, source: str) -> None:
        self._tokens = [match.group() for match in _TOKEN.finditer(source)]
        self._at = 0
        self._depth = 0

    def read(self) -> str:
        parts: list[str] = []
        while self._at < len(self._tokens):
            parts.append(self._until("}"))  # a closing brace without its opening one is dropped
        return "".join(parts)

    def _until(self, closing: str) -> str:
        parts: list[str] = []
        for piece in self._take():
            if piece == closing:
                break
            parts.append(self._read(piece))
        return "".join(parts)

    def _take(self) -> Iterator[str]:
        while self._at < len(self._tokens):
            self._at += 1
            yield self._tokens[self._at - 1]

    def _read(self, piece: str) -> str:
        if piece == "{":
            return self._group()
        if piece == "^":
            return power(self._argument())
        if piece == "_":
            return index(self._argument())
        if piece[0] == "\\":
            return self._command(piece[1:])
        return {"$": "", "&": " ", "~": " ", "'": "′"}.get(piece, piece)

    def _group(self) -> str:
        if self._depth >= _MOST_NESTED:
            return ""  # the brace is skipped; what it encloses is read by the group around it
        self._depth += 1
        text = self._until("}")
        self._depth -= 1
        return text

    def _argument(self) -> str:
        """The next group, command or character."""
        self._skip_spaces()
        if self._at >= len(self._tokens) or self._depth >= _MOST_NESTED:
            return ""
        piece = self._tokens[self._at]
        if piece == "}":
            return ""
        self._at += 1
        if piece[0] not in "\\{}^_&~$'[]" and len(piece) > 1:
            self._at -= 1
            self._tokens[self._at] = piece[1:]
            return piece[0]
        self._depth += 1
        text = self._read(piece)
        self._depth -= 1
        return text

    def _skip_spaces(self) -> None:
        if self._at < len(self._tokens):
            piece = self._tokens[self._at]
            if piece[0].isspace():
                self._tokens[self._at] = piece.lstrip()
                if not self._tokens[self._at]:
                    self._at += 1

    def _option(self) -> str:
        """The text of `[…]`, if that comes next."""
        if self._at < len(self._tokens) and self._tokens[self._at] == "[" and self._depth < _MOST_NESTED:
            self._at += 1
            self._depth += 1
            text = self._until("]")
            self._depth -= 1
            return text
        return ""

    def _command(self, name: str) -> str:
        stripped = name.strip().removesuffix("*")
        if stripped in _RELATIONS:
            return f" {_RELATIONS[stripped]} "
        if stripped in _SIGNS:
            return _SIGNS[stripped]
        if stripped in _NAMED:
            return f"{stripped} "
        if stripped in {"frac", "dfrac", "tfrac", "cfrac"}:
            return fraction(self._argument(), self._argument()) + self._space_before_word()
        if stripped == "sqrt":
            degree = self._option()
            return root(self._argument(), degree)
        if stripped in _ACCENTS:
            base = self._argument().strip()
            return base + _ACCENTS[stripped] if len(base) == 1 else base
        if stripped in {"left", "right", "middle"}:
            return self._delimiter()
        return self._other(stripped, name)

    def _other(self, stripped: str, name: str) -> str:
        if stripped in _WITHOUT_ARGUMENT:
            self._option()
            if self._next() == "{" and self._argument() in _WITH_COLUMNS and self._next() == "{":
                self._argument()
            return " "
        if stripped in _SPACES or not stripped or stripped in _SPACE_SIGNS:
            return " "
        if stripped == "\\":
            return "; " if self._at < len(self._tokens) else ""
        if not stripped[0].isalpha():
            return "" if stripped in "!/-()[]|@" and stripped != "|" else {"|": "‖"}.get(stripped, stripped)
        if stripped in {"binom", "dbinom", "tbinom"}:
            return f"C({self._argument()}, {self._argument()})"
        if stripped == "overset":
            above = self._argument()
            return self._argument() + power(above)
        if stripped == "not":
            return "not "
        return ""  # a face, a size or a command of no meaning here: its argument is read as it comes

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _space_before_word(self) -> str:
        following = self._next()
        return " " if following[:1].isalnum() or following[1:2].isalpha() else ""

    def _delimiter(self) -> str:
        self._skip_spaces()
        if self._at < len(self._tokens) and self._tokens[self._at].startswith("."):
            self._argument()
        return ""
