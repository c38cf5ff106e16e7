package css_test

import (
	"fmt"

	"chaff/internal/css"
)

func Example() {
	var s css.Sheets
	s.Start(1000)
	s.Add([]byte("p{display:none}"))
	s.Match(&css.Element{Name: []byte("p")}, 0)
	style := css.NewStyle()
	s.Apply(&style, nil)
	fmt.Println(css.NewAppearance().Inside(&style).Reasons() == css.ByStyle)
	// Output: true
}
