package message

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// canonicalName returns the name of the charset with a label in lower case, by the Encoding Standard of the WHATWG that browsers follow. It
// returns "" for an unknown label.
func canonicalName(label string) string {
	enc, err := htmlindex.Get(label)
	if err != nil {
		return ""
	}
	name, err := htmlindex.Name(enc)
	if err != nil || enc == encoding.Replacement {
		return "replacement"
	}
	return name
}

// encodingOf returns the encoding with a canonical name, nil if there is none: "replacement" has no text.
func encodingOf(name string) encoding.Encoding {
	enc, err := htmlindex.Get(name)
	if err != nil || enc == encoding.Replacement {
		return nil
	}
	return enc
}

// codePage returns the code page of DOS with a label such as "ibm437", nil if there is none. Those of mainframes have other numbers.
func codePage(label string) encoding.Encoding {
	number := strings.TrimPrefix(label, "ibm")
	if n, err := strconv.Atoi(number); err != nil || n < 437 || n > 865 {
		return nil
	}
	for _, enc := range charmap.All {
		if fmt.Sprint(enc) == "IBM Code Page "+number {
			return enc
		}
	}
	return nil
}
