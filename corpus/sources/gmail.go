package sources

import (
	"cmp"
	"fmt"
	"mime"
	"strings"

	"chaff/corpus"
)

// gmailLabel returns what the labels say that Gmail gives a message: [Spam], [Ham], or [LeftOut] for mail that was deleted, sent or not sent
// yet. They are in the language of the account, as names of folders are. The value may be encoded (RFC 2047).
func gmailLabel(value string) string {
	if decoded, err := new(mime.WordDecoder).DecodeHeader(value); err == nil {
		value = decoded
	}
	label := Ham
	for name := range strings.SplitSeq(value, ",") {
		switch says, why := labelOf(strings.Trim(name, "\" \t")); {
		case says == LeftOut || why == sentMail:
			return LeftOut
		case says == Spam:
			label = Spam
		}
	}
	return label
}

// openGmail opens mail that Gmail has exported, with so many messages of each label. It yields ham and spam.
func (p *place) openGmail(counts map[string]int) Mail {
	note := fmt.Sprintf("%s: %s with X-Gmail-Labels, %s", p.path, p.format, strings.Join(gmailCounts(counts, ""), ", "))
	if p.format != Mbox {
		note += "; mail without these labels is left out"
	}
	return Mail{Notes: []string{note}, Source: func(yield func(Item, error) bool) {
		for item, err := range p.inMbox() {
			if err == nil && item.Label == "" && p.format != Mbox { // of another program
				continue
			}
			if item.Label = cmp.Or(item.Label, Ham); item.Label != LeftOut && !yield(item, err) {
				return
			}
		}
	}}
}

// countGmail counts how many messages have which label, if the first that is in an mbox has labels of Gmail.
func (p *place) countGmail() map[string]int {
	counts := map[string]int{}
	if p.format != Mbox && p.format != Folder && p.format != Archive {
		return nil
	}
	for item, err := range p.inMbox() {
		switch {
		case err != nil:
		case item.Label == "" && len(counts) == 0:
			return nil
		case item.Label != "" || p.format == Mbox:
			counts[cmp.Or(item.Label, Ham)]++
		}
	}
	return counts
}

// gmailCounts says how many messages have which label, apart from one.
func gmailCounts(counts map[string]int, but string) (said []string) {
	for _, label := range []string{Ham, Spam, LeftOut} {
		if n := counts[label]; n > 0 && label != but {
			said = append(said, fmt.Sprintf("%d %s", n, strings.Replace(label, LeftOut, "in Sent, Drafts or Trash", 1)))
		}
	}
	return said
}

// inMbox lists what is in an mbox, of which Gmail exports one or several in a folder or archive, beside other files.
func (p *place) inMbox() Source {
	return corpus.Select(p.list(""), func(item Item, err error) bool {
		place, _ := item.Content.(location)
		return err != nil || place.size > 0
	})
}
