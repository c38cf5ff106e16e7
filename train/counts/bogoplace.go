package counts

import (
	"os"
	"strings"
)

// placeOfBogofilter returns where a token of bogofilter stands, by its prefix:
//
//	subj:  from:  to:  rtrn:  rcvd:    words of Subject, From, To and Cc, Return-Path, Received
//	head:  mime:                       words and names of the other fields, of the message and of its parts
//	url:  ip:                          numeric hosts of links, and of the route
func placeOfBogofilter(text string) place {
	tag, word, tagged := strings.Cut(text, ":")
	if !tagged || word == "" {
		tag, word = "", text
	}
	switch tag {
	case "subj":
		return place{kind: subjectWord, text: word}
	case "from":
		return place{kind: addressWord, field: "From", text: word}
	case "to":
		return place{kind: addressWord, field: "To", text: word}
	case "rtrn", "rcvd", "ip":
		return place{kind: routeWord, text: word}
	case "head", "mime":
		switch {
		case isEncoding(word) || isCharset(word):
			return place{kind: partWord, text: word}
		case tag == "head" && isFieldName(word):
			return place{kind: fieldName, text: word}
		case tag == "head":
			return place{kind: otherField, text: word}
		}
		return place{kind: otherPart, text: word}
	case "url":
		return place{kind: linkHost, text: word}
	}
	if isMarkup(text) {
		return place{kind: markup, text: text}
	}
	if isHost(text) {
		return place{kind: linkHost, text: text}
	}
	return place{kind: bodyWord, text: text}
}

func isFieldName(word string) bool {
	if len(word) > 2 && (word[:2] == "X-" || word[:2] == "x-") {
		return true
	}
	switch strings.ToLower(word) {
	case "from", "to", "cc", "subject", "reply-to", "date", "message-id", "in-reply-to", "references", "mime-version", "content-type",
		"content-transfer-encoding", "content-disposition", "user-agent", "importance", "priority", "organization", "organisation", "precedence", "sender", "errors-to",
		"list-id", "list-unsubscribe", "list-post", "list-help", "list-subscribe", "list-archive", "list-owner", "return-path", "delivered-to":
		return true
	}
	return false
}

func isCharset(word string) bool {
	word = strings.ToLower(word)
	for _, p := range [...]string{"iso-8859-", "windows-12", "us-ascii", "utf-8", "koi8-", "gb2312", "gbk", "gb18030", "big5", "euc-", "shift_jis", "iso-2022-", "ks_c_5601"} {
		if strings.HasPrefix(word, p) {
			return true
		}
	}
	return false
}

func isMarkup(word string) bool {
	if os.Getenv("NOMARK") == "" {
		return false
	}
	switch strings.ToLower(word) {
	case "http", "https", "mailto", "href", "src", "img", "nbsp", "amp", "quot", "html", "head", "body", "font", "color", "size", "face", "width", "height", "border",
		"align", "valign", "bgcolor", "cellpadding", "cellspacing", "arial", "helvetica", "verdana", "serif", "sans-serif", "style", "alt", "gif", "jpg", "htm", "text-align", "font-size", "font-family":
		return true
	}
	return false
}
