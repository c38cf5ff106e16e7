package tokenize

import (
	"slices"
	"testing"
)

func TestAmountsAndAddressesHaveClasses(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"no amounts at all, and none in mp3, x_1 or 3rd", []string{}},
		{"7 42 1234", []string{}}, // short numbers are terms themselves
		{"order 123456", []string{"class:number:6"}},
		{"1,234,567", []string{"class:number:7"}},
		{"1.234.567,89", []string{"class:number:7"}},
		{"12345.67", []string{"class:number:5"}},
		{"$5", []string{"class:money:$:1"}},
		{"($1,000.00)", []string{"class:money:$:4"}},
		{"US$500", []string{"class:money:$:3"}},
		{"USD 500", []string{"class:money:$:3"}},
		{"$ 500", []string{"class:money:$:3"}},
		{"500 USD", []string{"class:money:$:3"}},
		{"500USD", []string{"class:money:$:3"}},
		{"99 dollars", []string{"class:money:$:2"}},
		{"€20,50", []string{"class:money:€:2"}},
		{"20 €", []string{"class:money:€:2"}},
		{"20.000 EUR", []string{"class:money:€:5", "class:number:5"}},
		{"£9.99", []string{"class:money:£:1"}},
		{"¥5000", []string{"class:money:¥:4"}},
		{"人民币500元", []string{"class:money:¥:3"}},
		{"5000円", []string{"class:money:¥:4"}},
		{"Rs. 500", []string{"class:money:₹:3"}},
		{"500 руб.", []string{"class:money:₽:3"}},
		{"$10.5 million", []string{"class:money:$:2", "class:money:$:8"}},
		{"50%", []string{"class:percent"}},
		{"50 % off", []string{"class:percent"}},
		{"100 percent", []string{"class:percent"}},
		{"2002-12-25", []string{"class:date"}},
		{"12/25/02", []string{"class:date"}},
		{"25.12.2002", []string{"class:date"}},
		{"25 Dec 2002", []string{"class:date"}},
		{"December 25, 2002", []string{"class:date"}},
		{"25 décembre", []string{"class:date"}},
		{"2002年12月25日", []string{"class:date", "class:date"}},
		{"12:30", []string{"class:time"}},
		{"12:30:05,", []string{"class:time"}},
		{"5pm", []string{"class:time"}},
		{"5 pm", []string{"class:time"}},
		{"800-555-0123", []string{"class:phone"}},
		{"1-800-555-0123", []string{"class:phone"}},
		{"(800) 555-0123", []string{"class:phone"}},
		{"(800)555-0123", []string{"class:phone"}},
		{"+442079460958", []string{"class:phone"}},
		{"+44 20 7946 0958", []string{"class:phone"}},
		{"192.0.2.1 1.2.3 3/4", []string{}},
		{"2002-2003", []string{}},
		{"write to ann@mail.shop.example.", []string{"class:address", "address:shop.example"}},
		{"<ann@shop.example>", []string{"class:address", "address:shop.example"}},
		{"ann@localhost @home a@b@", []string{}},
	}
	tok := tokenizer(t, nil)
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			got := having(termsOfMessage(tok, textMessage(tt.text)), "class:", "address:")
			slices.Sort(got)
			slices.Sort(tt.want)
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
