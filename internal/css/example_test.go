package css_test

import (
	"fmt"

	"chaff/internal/css"
)

func Example() {
	var s css.Sheets
	s.Start(1000)
	s.Add([]byte("p{display:none}"))
	var style css.Style
	s.Match(&style, &css.Element{Name: []byte("p")}, &css.Steps{})
	fmt.Println(css.Usual().Inside(&style).HiddenBy(false) == css.ByStyle)
	// Output: true
}
