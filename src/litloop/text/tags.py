"""Tags in titles and abstracts: only names that HTML, JATS and MathML have are markup.

"Patients with <or =5 lesions" and "x <alpha> y" are text: whatever merely looks like a tag stays.
"""

from __future__ import annotations

import re

# A tag has well-formed attributes: "a <b and c> d" in a formula is text.
ATTRIBUTES = r"""(?:\s+[\w:.-]+(?:\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'<>]+)))*\s*/?"""

_HTML = """
a abbr acronym article aside b bdi bdo big blockquote body br caption center cite code col colgroup dd del dfn div dl
dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 head header hr html i img ins kbd li main mark meta nobr ol p pre
q s samp section small span strike strong sub sup table tbody td tfoot th thead title tr tt u ul var wbr
"""
# JATS, and what PubMed, Wiley, Elsevier and Springer write.
_PUBLISHERS = """
abstract abstracttext alternatives article-title bold bolditalic bold-italic break citation def disp-formula
disp-formula-group dispformula disp-quote email emphasis ext-link fc fig fn formula graphic inf inline-formula
inline-graphic inlineformula italic label list list-item monospace named-content overline ovl para private-char roman
sans-serif sc scp sec simple-para smallcaps small-caps styled-content subscript subtitle superscript tex tex-math
trans-title underline uri xref
"""
_MATHML = """
annotation annotation-xml maction math menclose merror mfenced mfrac mi mlabeledtr mmultiscripts mn mo mover mpadded
mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none
semantics
"""
_NAMES = (_HTML + _PUBLISHERS + _MATHML).split()
_ANY = "|".join(sorted(map(re.escape, _NAMES), key=len, reverse=True))
_TAG = re.compile(rf"</?(?:(?:jats|mml|m|ce|sb|xhtml|xocs):[a-z][\w.-]*|{_ANY}){ATTRIBUTES}>", re.IGNORECASE)


def without_tags(text: str) -> str:
    """The text without tags of HTML, JATS and MathML; what they enclose stays."""
    return _TAG.sub("", text) if "<" in text else text
