package message_test

import (
	"fmt"

	"chaff/message"
)

func Example() {
	raw := []byte(`From: Ann <ann@shop.example>
Subject: =?utf-8?q?Caf=C3=A9?=
Content-Type: text/html

<p>Fr<b>ee</b> beans, see <a href="https://shop.example/beans">our shop</a>
`)
	d := message.NewDecoder(message.DefaultOptions())
	m := d.Decode(raw)
	fmt.Printf("%s\n", m.Get("subject"))
	for _, p := range m.Parts {
		fmt.Printf("%s:%s", p.Type, p.Text)
	}
	for _, link := range m.Links {
		fmt.Printf("%s\n", link.URL)
	}
	// Output:
	// Café
	// text/html:
	// Free beans, see our shop
	// https://shop.example/beans
}
