"""Guidance phrases: known sentences that state no fact, so they need no source.

Each phrase must match from its first word to its last. There is no free slot in any of them, so
that "Please contact HR within 5 days for more help" is no guidance phrase.
"""

from __future__ import annotations

import re

_HR = (
    r"(?:hr|human resources|(?:the |your )?(?:local |regional )?(?:hr|human resources|people)"
    r"(?: (?:team|department|desk|helpdesk|business partner|representative|contact))?"
    r"|your (?:line )?manager)"
)
_WHO = rf"{_HR}(?: (?:or|and) {_HR})?"
_ASK = (
    r"(?:contact|ask|e-?mail|message|consult|call|reach out to|get in touch with|check with"
    r"|speak (?:to|with)|talk to)"
)
_WHAT = (
    r"(?:help|information|details?|guidance|assistance|advice|support|questions?|clarification"
    r"|queries|doubts?)"
)
_MORE = r"(?:(?:any|some) )?(?:(?:more|further|additional|other|specific) )?"
_WHEN = (
    rf"(?: (?:if you (?:have|need|want|would like) {_MORE}{_WHAT}"
    rf"|(?:for|with) {_MORE}{_WHAT}"
    r"|(?:if|when|where) (?:you are |you're )?(?:unsure|in doubt)"
    r"|(?:about|on|with) (?:this|that|it)))*"
)
_POLITE = r"(?:please|kindly|you can(?: also| always)?|you may(?: also)?|feel free to|do)"
_PHRASES = (
    rf"(?:{_POLITE} )?(?:{_POLITE} )?{_ASK} {_WHO}{_WHEN}",
    rf"(?:if|should) you (?:have|need|want) {_MORE}{_WHAT},? (?:{_POLITE} )?{_ASK} {_WHO}{_WHEN}",
    rf"{_HR} (?:can|will|would) (?:be (?:able|happy) to )?help(?: you)?(?: (?:further|with this))?",
    rf"(?:please )?(?:let me know|ask(?: me)?(?: again)?|feel free to ask)"
    rf"(?: if you (?:have|need) {_MORE}{_WHAT})?",
    r"(?:i )?hope (?:this|that) helps",
    r"(?:you're|you are) welcome|(?:sure|of course|certainly|thanks|thank you|hello|hi)"
    r"(?: (?:for|there)(?: (?:your|the) question)?)?",
    r"here(?:'s| is| are) (?:what (?:i found|the (?:policy|policies|sources?) says?)"
    r"|the (?:answer|details|rules|main points|key points))",
    r"(?:in (?:summary|short)|to summari[sz]e)",
    r"(?:i (?:could not|couldn't|cannot|can't) find|the sources (?:given )?(?:do not|don't) "
    r"(?:contain|give|hold)) (?:an answer|the answer|this|that|any information|anything)"
    r"(?: (?:about|on) (?:this|that))?(?: in the (?:policies|sources|documents))?(?: given)?",
)
_GUIDANCE = re.compile("|".join(f"(?:{phrase})" for phrase in _PHRASES), re.IGNORECASE)


def is_guidance(sentence: str) -> bool:
    """Whether the whole sentence is a known phrase that states no fact."""
    bare = " ".join(sentence.replace("’", "'").split()).strip(" .!?:…*_")
    return _GUIDANCE.fullmatch(bare) is not None
