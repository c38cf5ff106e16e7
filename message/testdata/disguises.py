"""Counts, by regular expressions, in how many HTML messages of each folder the constructs stand that hide, show or reorder text.

    python3 message/testdata/disguises.py FOLDER...
"""
import email
import email.policy
import os
import re
import sys

CONSTRUCTS = {
    "style sheet": r"<style",
    "late style sheet": r"<body[^>]*>.*?<p.*?<style|</(?:p|td|div)>.*<style",
    "sheet: descendant": r"(?m)^\s*[^@{}/;:]*[\w\])] +[.#\w\[*][^{};]*\{",
    "sheet: child or sibling": r"[\w\])]\s*[>+~]\s*[.#\w\[*][^{};<>\"]*\{",
    "sheet: attribute": r"\w*\[[\w-]+[*^$~|]?=?[^\]{}]*\][^{}<>]*\{",
    "sheet: universal": r"[}\s,]\*\s*[{,]",
    "sheet: :not() :is() :where()": r":(?:not|is|where)\([^)]*\)[^{}<>]*\{",
    "sheet: :nth-*, first, last, only": r":(?:nth-[\w-]+\(|(?:first|last|only)-(?:child|of-type))",
    "sheet: last-*, only-*, empty, has": r":(?:nth-last-[\w-]+\(|(?:last|only)-(?:child|of-type)|empty\b|has\()",
    "sheet: @media": r"@media",
    "sheet: @media all or screen alone": r"@media\s+(?:only\s+)?(?:all|screen)\s*\{",
    "sheet: @media min-width": r"@media[^{]*min-(?:device-)?width",
    "sheet: @supports, @layer, @container": r"@(?:supports|layer|container)\b",
    "sheet: ::before or ::after with text": r"::?(?:before|after)[^{}]*\{[^}]*content\s*:\s*[\"'][^\"']*\w{3}",
    "sheet: display:none": r"<style.*?\{[^}]*display\s*:\s*none.*?</style",
    "sheet: !important": r"<style.*?!\s*important.*?</style",
    "escaped property name": r"[;\"'{\s][a-z-]*\\[0-9a-f]{1,6}\s?[a-z-]*\s*:",
    "transform": r"[;\"'{\s]transform\s*:",
    "transform: scale(0)": r"transform\s*:[^;}\"]*scale\w*\(\s*0?\.?0",
    "transform: translate by 3 digits": r"transform\s*:[^;}\"]*translate\w*\([^)]*-\d{3}",
    "clip-path": r"clip-path\s*:",
    "clip: rect": r"clip\s*:\s*rect",
    "filter: opacity": r"filter\s*:[^;}\"]*opacity",
    "calc()": r":\s*calc\(",
    "calc(0": r"calc\(\s*-?0\s*[a-z%]*\s*\)",
    "hsl()": r"\bhsla?\(",
    "hwb, lab, lch, oklab, oklch, color()": r":\s*(?:hwb|lab|lch|oklab|oklch|color)\(",
    "#rrggbbaa": r":\s*#[0-9a-f]{8}\b",
    "rgba()": r"\brgba\(",
    "-webkit-text-fill-color": r"-webkit-text-fill-color",
    "var()": r":\s*var\(",
    "content-visibility": r"content-visibility",
    "details": r"<details",
    "dialog": r"<dialog",
    "popover": r"<\w+[^>]*\spopover[\s=>]",
    "z-index: negative": r"z-index\s*:\s*-",
    "text-indent: 3 digits": r"text-indent\s*:\s*-\d{3}",
    "text-indent: 100% or more": r"text-indent\s*:\s*(?:\d{3,}%|\d{4,}px)",
    "margin shorthand off screen": r"margin\s*:[^;\"}]*-\d{3,}px",
    "max-height: 0": r"max-height\s*:\s*0",
    "mso-hide": r"mso-hide",
    "hidden attribute": r"<\w+[^>\"']*\shidden[\s=>]",
    "font-size: 0 or 1px": r"font-size\s*:\s*[01](?:px|pt)?\s*[;\"'!}]",
    "opacity: 0": r"[;\"'{\s]opacity\s*:\s*0(?:\.0\d*)?\s*[;\"'!}]",
    "visibility: hidden": r"visibility\s*:\s*hidden",
    "display: none": r"display\s*:\s*none",
    "bdo": r"<bdo",
    "bidi-override": r"bidi-override",
    "dir=rtl or direction: rtl": r"\bdir=[\"']?rtl|direction\s*:\s*rtl",
    "row-reverse": r"row-reverse",
    "float: right on span": r"<span[^>]*float\s*:\s*right",
    "writing-mode": r"writing-mode",
    "three cells of one letter": r"(?:<t[dh][^>]*>(?:<[^>]*>)*\s*[^\W\d_]\s*(?:<[^>]*>\s*)*?</t[dh]>\s*){3}",
    "three letters with br": r"(?:>\s*[^\W\d_]\s*<br[^>]*){3}",
    "all: initial or unset": r"[;\"'{\s]all\s*:\s*(?:initial|unset|revert)",
    "conditional comment": r"<!--\[if",
}

def without_comments(comment):
    """What is in a comment is not shown, unless it is a style sheet that is written as a comment."""
    text = comment.group(0)
    if "[if" in text[:9]:
        return "<!--[if"
    return text if "{" in text and "<style" not in text else ""


def html_of(path):
    """Returns the HTML of a message in lower case."""
    with open(path, "rb") as f:
        m = email.message_from_bytes(f.read(), policy=email.policy.compat32)
    texts = []
    for part in m.walk():
        if part.is_multipart():
            continue
        text = (part.get_payload(decode=True) or b"").decode("latin-1").lower()
        if part.get_content_type() == "text/html" or "<html" in text[:1000]:
            texts.append(text)
    return re.sub(r"(?s)<!--.*?-->", without_comments, "\n".join(texts))


for folder in sys.argv[1:]:
    counts, html, total = dict.fromkeys(CONSTRUCTS, 0), 0, 0
    for root, _, files in os.walk(folder):
        for name in files:
            total += 1
            try:
                text = html_of(os.path.join(root, name))
            except Exception:
                continue
            if not text:
                continue
            html += 1
            for construct, pattern in CONSTRUCTS.items():
                if re.search(pattern, text[:300000], re.S):
                    counts[construct] += 1
    print(f"{folder}: {total} messages, {html} with HTML")
    for construct, n in counts.items():
        print(f"{n:6} {construct}")
