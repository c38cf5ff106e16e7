"""Prints the words that a reader of a message could find in it, as Python's email package decodes it.

    python3 recall.py [PATH...]

Each PATH is a message or a folder of messages; without any, paths are read from stdin, one a line. For each message one
line is printed: its path, a tab, and its words in their order, with a blank between them. A word is three or more of
the letters A to Z, in lower case; it ends at anything else.

The words are those of the header fields of the message and of the messages attached to it (but not of fields that
describe the content, Content-* and MIME-Version), and of all parts that are text; of HTML its text and the texts that
stand for images. Only what comes with Python is used.
"""

import email
import email.header
import html.parser
import os
import re
import sys

# Nobody sees these in a word: soft hyphen, zero-width characters, direction marks, byte order mark.
INVISIBLE = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\0]")
WORD = re.compile("[A-Za-z]{3,}")
# HTML is also sent as plain text. Mail readers would show its source; what it says is asked for, not its markup.
HTML = re.compile("<(html|body)[\\s/>]", re.IGNORECASE)
SNIFFED = 1024
NOT_TEXT = {"application", "audio", "font", "image", "model", "video"}

# Elements that are shown within a line, so that they may stand inside of a word. Those that HTML does not know are
# shown so too.
APART = set(
    """address area article aside blockquote body br button caption center dd details dialog dir div dl dt embed
    fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe img input isindex
    legend li listing main map marquee menu nav noframes object ol optgroup option p plaintext pre section select summary
    table tbody td textarea tfoot th thead title tr ul video xmp""".split()
)


class Visible(html.parser.HTMLParser):
    """Gathers the text of HTML without scripts and styles."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.texts = []
        self.hidden = False

    def handle_starttag(self, tag, attrs):
        if tag in APART:
            self.texts.append("\n")
        self.texts += [f" {value} " for name, value in attrs if name == "alt" and value]
        self.hidden = self.hidden or tag in ("script", "style")

    def handle_endtag(self, tag):
        if tag in APART:
            self.texts.append("\n")
        if tag in ("script", "style"):
            self.hidden = False

    def handle_startendtag(self, tag, attrs):
        hidden = self.hidden
        self.handle_starttag(tag, attrs)
        self.hidden = hidden

    def handle_data(self, data):
        if not self.hidden:
            self.texts.append(data)


def visible(text):
    parser = Visible()
    parser.feed(text)
    parser.close()
    return "".join(parser.texts)


def decoded(data, charset):
    """Decodes text: from the charset that is declared, else from UTF-8, else from windows-1252."""
    for name in (charset, "utf-8"):
        try:
            return data.decode(name)
        except (LookupError, TypeError, ValueError):
            pass
    return data.decode("windows-1252", "replace")


def field(value):
    """Decodes the value of a header field."""
    value = str(value).encode("utf-8", "surrogateescape")
    value = re.sub(rb"\r?\n", b"", value).decode("utf-8", "surrogateescape")
    try:
        pieces = email.header.decode_header(value)
    except (email.errors.HeaderParseError, ValueError):
        return value
    texts = []
    for piece, charset in pieces:
        texts.append(piece if isinstance(piece, str) else decoded(piece, charset))
    return "".join(texts)


def texts(message):
    """Yields the header fields and the texts of a message and of those attached to it."""
    for name, value in message.raw_items():
        if not name.lower().startswith("content-") and name.lower() != "mime-version":
            yield field(value)
    yield from body(message)


def body(part):
    if part.get_content_maintype() == "message" and part.is_multipart():
        for attached in part.get_payload():
            yield from texts(attached)
    elif part.is_multipart():
        for inner in part.get_payload():
            yield from body(inner)
    elif part.get_content_maintype() not in NOT_TEXT:
        text = decoded(part.get_payload(decode=True) or b"", part.get_content_charset())
        is_html = part.get_content_subtype() == "html" or HTML.search(text, 0, SNIFFED)
        yield visible(text) if is_html else text


def words(raw):
    for text in texts(email.message_from_bytes(raw)):
        yield from (word.lower() for word in WORD.findall(INVISIBLE.sub("", text)))


def files(path):
    if not os.path.isdir(path):
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders.sort()
        yield from (os.path.join(folder, name) for name in sorted(names))


def main():
    for path in sys.argv[1:] or (line.rstrip("\n") for line in sys.stdin):
        for name in files(path):
            with open(name, "rb") as f:
                print(name, " ".join(words(f.read())), sep="\t")


main()
