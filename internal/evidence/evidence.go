// Package evidence names the kinds of evidence that a term can be. Models bound the sum of each kind.
package evidence

// Group is a kind of evidence. Every term belongs to one group, which follows from its text.
type Group uint8

// The groups of evidence.
const (
	Words     Group  = iota // words of the text
	Pairs                   // pairs of neighbouring words of the text
	Subject                 // words and pairs of the subject
	Links                   // hosts, domains and words of links
	Structure               // how the header and the parts are written
	Fields                  // words of the other header fields
	Grams                   // byte 4-grams, which have cells instead of terms
	Groups    = iota        // the number of groups
)

// String returns the name of the group.
func (g Group) String() string {
	names := [Groups]string{"words", "pairs", "subject", "links", "structure", "header fields", "bytes"}
	if int(g) < len(names) {
		return names[g]
	}
	return "other"
}
