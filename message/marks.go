package message

import (
	"fmt"
	"iter"
)

// Mark is one kind of deception in the HTML of a message. [Mark.String] is its name; it is what a classifier sees.
type Mark uint8

// The marks.
const (
	HiddenText      Mark = iota // text that is not shown, for any of the reasons below
	HiddenByStyle               // display:none, visibility:hidden, opacity:0
	HiddenByColour              // text in the colour of its background
	HiddenBySize                // text, or a box around it, of no size or next to none
	HiddenOffScreen             // text far to the left of or above the screen
	CommentInWord               // a comment between two letters
	TagInWord                   // an element that does not exist, or that shows nothing, between two letters
	BreakInWord                 // wbr or a soft hyphen between two letters
	NumericEntity               // a letter or digit of ASCII written by its number, as &#86;
	markKinds                   // how many there are
)

// String returns the name of a mark, such as "hidden-text".
func (m Mark) String() string {
	switch m {
	case HiddenText:
		return "hidden-text"
	case HiddenByStyle:
		return "hidden-by-style"
	case HiddenByColour:
		return "hidden-by-colour"
	case HiddenBySize:
		return "hidden-by-size"
	case HiddenOffScreen:
		return "hidden-off-screen"
	case CommentInWord:
		return "comment-in-word"
	case TagInWord:
		return "tag-in-word"
	case BreakInWord:
		return "break-in-word"
	case NumericEntity:
		return "numeric-entity"
	}
	return fmt.Sprintf("mark-%d", uint8(m))
}

// Marks is a set of marks. The zero value is the empty set.
type Marks uint32

// Has reports whether m is in the set.
func (s Marks) Has(m Mark) bool { return s&(1<<m) != 0 }

// All yields the members of the set in the order of the constants.
func (s Marks) All() iter.Seq[Mark] {
	return func(yield func(Mark) bool) {
		for m := range markKinds {
			if s.Has(m) && !yield(m) {
				return
			}
		}
	}
}

// add puts m into the set.
func (s *Marks) add(m Mark) { *s |= 1 << m }
