package tokenize

import (
	"slices"
	"strings"
	"testing"

	"chaff/message"
)

// termsOfMessage returns the terms of a message made by hand.
func termsOfMessage(tok *Tokenizer, m *message.Message) []string {
	var terms []string
	tok.Terms(m, func(t *Term) { terms = append(terms, t.Text()) })
	return terms
}

// textMessage returns a message of one part of plain text.
func textMessage(text string) *message.Message {
	return &message.Message{Parts: []message.Part{{Type: []byte("text/plain"), Text: []byte(text)}}}
}

// having returns the terms that start with one of the prefixes.
func having(terms []string, prefixes ...string) []string {
	return slices.DeleteFunc(slices.Clone(terms), func(term string) bool {
		return !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(term, p) })
	})
}

func TestDisguisedWordsAreMarkedAndCountedAsMeant(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string // the terms of body and marks
	}{
		{"characters without width inside a word", "vi\u200ba\u2060gra", []string{"body:viagra", "mark:zero-width"}},
		{"one of which is a soft hyphen", "vi\u200b\u00adagra", []string{"body:viagra", "mark:zero-width"}},
		{"none behind a sign, or beside a letter of another script", "(\u200bfree PDF\u200cها", []string{"body:(", "body:free", "body:pdfها"}},
		{"control characters inside a word", "vi\x01ag\x7fra", []string{"body:viagra", "mark:zero-width"}},
		{"a character without width between words is none", "free \u200b offer\u200b!", []string{"body:free", "body:offer", "body:!"}},
		{"a soft hyphen is honest typesetting", "down\u00adload", []string{"body:download"}},
		{"a joiner is part of Persian spelling", "می\u200cخواهم", []string{"body:میخواهم"}},
		{"a joiner is part of emoji", "👩\u200d🔧", []string{"body:👩", "body:🔧"}},
		{"Cyrillic letters in a Latin word", "Vіаgrа", []string{"body:viagra", "mark:homoglyph"}},
		{"Greek letters in a Latin word", "Οffer", []string{"body:offer", "mark:homoglyph"}},
		{"small capitals", "ᴠɪᴀɢʀᴀ", []string{"body:viagra", "mark:homoglyph"}},
		{"small capitals with accents", "ᴜ\u0301ʟᴛɪᴍᴏ", []string{"body:ultimo", "mark:homoglyph"}},
		{"a Cyrillic word stays Cyrillic", "сор", []string{"body:сор"}},
		{"a mixed word with a letter like no Latin one stays as it is", "PDFфайл", []string{"body:pdfфайл"}},
		{"Turkish and German letters are Latin", "kadın größe", []string{"body:kadın", "body:größe"}},
		{"letters spaced out", "V i a g r a now", []string{"body:v", "body:i", "body:a", "body:g", "body:r", "body:a", "body:now", "body:viagra", "mark:spaced-letters"}},
		{"a spaced word before a comma", "c a s h, now", []string{"body:c", "body:a", "body:s", "body:h", "body:,", "body:cash", "body:now", "mark:spaced-letters"}},
		{"two words spaced out", "b u y i  n o w x", []string{"body:b", "body:u", "body:y", "body:i", "body:n", "body:buyi", "body:o", "body:w", "body:x", "body:nowx", "mark:spaced-letters"}},
		{"letters with points", "V.I.A.G.R.A!", []string{"body:v.i.a.g.r.a", "body:!", "body:viagra", "mark:spaced-letters"}},
		{"letters with hyphens", "(v-i-a-g)", []string{"body:(", "body:v", "body:-", "body:i", "body:-", "body:a", "body:-", "body:g", "body:)", "body:viag", "mark:spaced-letters"}},
		{"Cyrillic letters with points", "д.о.м.а", []string{"body:д.о.м.а", "body:дома", "mark:spaced-letters"}},
		{"three letters are initials", "U.S.A. x y z", []string{"body:u.s.a", "body:.", "body:x", "body:y", "body:z"}},
		{"a row of one letter is a form", "x x x x x", []string{"body:x", "body:x", "body:x", "body:x", "body:x"}},
		{"a host name is no word spaced out", "a.b.c.d.example.com", []string{"body:a.b.c.d.example.com"}},
		{"full-width letters", "ＦＲＥＥ offer", []string{"body:free", "body:offer", "mark:full-width"}},
		{"mathematical letters", "𝐅𝐫𝐞𝐞", []string{"body:free", "mark:full-width"}},
		{"one letter of mathematics is a formula", "ℓ ™ №", []string{"body:l", "body:tm", "body:no"}},
		{"full-width letters before accents", "ＦＲＥＥ cafés", []string{"body:free", "body:café", "mark:full-width"}},
		{"full-width letters are honest beside Chinese", "ＡＢＣ 会议", []string{"body:abc", "body:会议"}},
		{"text shown in another order", "\u202egnp.exe", []string{"body:exe.png", "mark:direction-override"}},
		{"text overridden from left to right", "\u202dshop\u202c", []string{"body:shop", "mark:direction-override"}},
		{"text embedded from right to left", "\u202bshop\u202c", []string{"body:shop", "mark:direction-override"}},
		{"text embedded from left to right", "\u202ashop\u202c", []string{"body:shop", "mark:direction-override"}},
		{"an embedding is honest beside Hebrew", "\u202ashop\u202c שלום", []string{"body:shop", "body:שלום"}},
		{"a digit for a letter", "V1agra", []string{"body:v1agra", "body:viagra", "mark:letter-digit"}},
		{"two digits for letters", "m0rtg4ge", []string{"body:m0rtg4ge", "body:mortgag", "mark:letter-digit"}},
		{"digits for a third of the letters", "v1ag0r", []string{"body:v1ag0r", "body:viagor", "mark:letter-digit"}},
		{"a digit for a letter before a sign", "V1agra!", []string{"body:v1agra", "body:viagra", "body:!", "mark:letter-digit"}},
		{"short words, digits at the end and one letter in upper case are codes", "h1z viagr4 vI4gra", []string{"body:h1z", "body:viagr4", "body:vi4gra"}},
		{"a sign beside fewer than three letters is of no address", "bo@shop ann@sh", []string{"body:bo", "body:@", "body:shop", "body:boashop", "body:ann", "body:@", "body:sh", "body:annash", "mark:letter-digit"}},
		{"a sign for a letter", "c@sh, pa$$word", []string{"body:c", "body:@", "body:sh", "body:,", "body:cash", "body:pa", "body:$", "body:$", "body:word", "body:password", "mark:letter-digit"}},
		{"letters in circles and squares", "🅥🅘🅐🅖🅡🅐 🆅🅸🅰🅶 ⒱⒤⒜⒢ 🄰🄱", []string{"body:viagra", "body:viag", "body:viag", "body:ab", "mark:full-width"}},
		{"one letter in a square is a sign", "Ⓜ 🅿 Ⓥiagra", []string{"body:m", "body:p", "body:viagra"}},
		{"ordinals, Roman numerals, raised letters, brackets and signs of several letters are none in another form", "1ª ⅴⅹ xʰʰ ［x］ ℡℻",
			[]string{"body:1a", "body:vx", "body:xhh", "body:[", "body:x", "body:]", "body:telfax"}},
		{"digits in circles", "❶❽⓿⓿", []string{"body:1800", "mark:full-width"}},
		{"letters that would be flags", "🇻🇮🇦🇬🇷🇦", []string{"body:viagra", "mark:full-width"}},
		{"letters that would be flags, spaced out", "🇨 🇦 🇸 🇭", []string{"body:c", "body:a", "body:s", "body:h", "body:cash", "mark:spaced-letters"}},
		{"letters that are kept from being flags", "🇩\u200b🇪", []string{"body:de", "mark:zero-width", "mark:full-width"}},
		{"flags are flags, also of a part of a country", "🇩🇪 🏴\U000E0067\U000E0062\U000E007F", []string{"body:🇩🇪", "body:🏴"}},
		{"letters struck through", "V̶i̶a̶g̶r̶a̶", []string{"body:viagra", "mark:struck-letters"}},
		{"Cyrillic letters struck through", "д\u0336ом", []string{"body:дом", "mark:struck-letters"}},
		{"letters with enclosing marks", "V\u20ddi\u20dea\u20e3gra", []string{"body:viagra", "mark:struck-letters"}},
		{"a price struck through is honest", "1\u03360\u03360\u0336", []string{"body:100"}},
		{"lines below letters", "V\u0332i\u0332a\u0332", []string{"body:via"}},
		{"stress in Russian", "за\u0301мок", []string{"body:замок"}},
		{"Canadian syllabics among Latin letters", "ᐯIᗩGᖇᗩ", []string{"body:viagra", "mark:homoglyph"}},
		{"Canadian syllabics that look like a word", "ᐯᗩᒪᑌᗰ", []string{"body:ᐯᗩᒪᑌᗰ", "body:valum", "mark:homoglyph"}},
		{"Canadian syllabics beside honest ones", "ᐯᗩᒪᑌᗰ ᐃᓄᒃᑎᑐᑦ", []string{"body:ᐯᗩᒪᑌᗰ", "body:valum", "body:ᐃᓄᒃᑎᑐᑦ"}},
		{"and behind them", "ᐃᓄᒃᑎᑐᑦ ᐯᗩᒪᑌᗰ", []string{"body:ᐃᓄᒃᑎᑐᑦ", "body:ᐯᗩᒪᑌᗰ", "body:valum"}},
		{"but not beside another script", "ᐯᗩᒪᑌᗰ день", []string{"body:ᐯᗩᒪᑌᗰ", "body:valum", "body:день", "mark:homoglyph"}},
		{"few syllabics say too little", "ᑎᒪᑭ", []string{"body:ᑎᒪᑭ"}},
		{"letters of two other scripts", "Οрt οсеаη οсе", []string{"body:opt", "body:οсеаη", "body:oce", "mark:homoglyph"}},
		{"turned letters in a word", "viɐgra frǝǝ", []string{"body:viagra", "body:free", "mark:homoglyph"}},
		{"a word upside down", "ɐɹƃɐıʌ", []string{"body:ɐɹƃɐıʌ", "body:viagra", "mark:turned-letters"}},
		{"letters of other scripts and digits", "Vі4grа", []string{"body:vi4gra", "body:viagra", "mark:homoglyph"}},
		{"letters with middle dots", "V·I·A·G·R·A", []string{"body:v·i·a·g·r·a", "body:viagra", "mark:spaced-letters"}},
		{"letters with bullets", "C•A•S•H", []string{"body:c", "body:•", "body:a", "body:•", "body:s", "body:•", "body:h", "body:cash", "mark:spaced-letters"}},
		{"letters with two signs each", "c*-a*-s*-h", []string{"body:c", "body:*", "body:-", "body:a", "body:*", "body:-", "body:s", "body:*", "body:-", "body:h", "body:cash", "mark:spaced-letters"}},
		{"letters with no-break spaces", "c\u00a0a\u00a0s\u00a0h", []string{"body:c", "body:a", "body:s", "body:h", "body:cash", "mark:spaced-letters"}},
		{"letters with blanks of Hangul and Braille", "c\u3164a\u3164s\u3164h free\u2800money", []string{"body:c", "body:a", "body:s", "body:h", "body:free", "body:cash", "body:money", "mark:spaced-letters"}},
		{"a middle dot between words is a menu", "A · B · C · D", []string{"body:a", "body:·", "body:b", "body:·", "body:c", "body:·", "body:d"}},
		{"variation selectors inside a word", "Mic\U000e0139ros\U000e0139oft vi\ufe0fagra", []string{"body:microsoft", "body:viagra", "mark:zero-width"}},
		{"one disguise below another", "𝐕.𝐈.𝐀.𝐆 𝐅\u200b𝐫𝐞𝐞", []string{"body:v.i.a.g", "body:viag", "body:free", "mark:zero-width", "mark:spaced-letters", "mark:full-width"}},
		{"signs for letters below another disguise", "c\u200b@sh", []string{"body:c", "body:@", "body:sh", "body:cash", "mark:letter-digit"}},
		{"words shown in another order", "\u202eargaiv ruoy\u202c now", []string{"body:your", "body:viagra", "body:now", "mark:direction-override"}},
		{"letters spaced out and shown in another order", "\u202eh s a c\u202c", []string{"body:c", "body:a", "body:s", "body:h", "body:cash", "mark:spaced-letters", "mark:direction-override"}},
		{"an override ends with its line", "\u202eeerf\noffer", []string{"body:free", "body:offer", "mark:direction-override"}},
		{"numbers, codes and names are what they are", "mp3 3dogs foo_bars win32 i18n 4you abc3def k5TqWe ann@localhost wow!", []string{"body:mp3", "body:3dogs", "body:foo_bars", "body:win32", "body:i18n", "body:4you",
			"body:abc3def", "body:k5tqwe", "body:ann", "body:@", "body:localhost", "body:wow", "body:!"}},
	}
	tok := tokenizer(t, nil)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := having(termsOfMessage(tok, textMessage(tt.text)), "body:", "mark:"); !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestAMarkIsEmittedOnceForAMessage(t *testing.T) {
	m := textMessage("V1agra m0ney V i a g r a c h e a p")
	m.Header = []message.Field{{Name: []byte("Subject"), Value: []byte("V1agra")}}
	m.Marks = 1<<message.HiddenText | 1<<message.CommentInWord
	got := having(termsOfMessage(tokenizer(t, nil), m), "mark:")
	if want := []string{"mark:hidden-text", "mark:comment-in-word", "mark:spaced-letters", "mark:letter-digit"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := having(termsOfMessage(tokenizer(t, nil), textMessage("plain")), "mark:"); len(got) != 0 {
		t.Errorf("the marks of one message are found in the next: %q", got)
	}
}

func TestTheNameOfASenderIsUnmaskedToo(t *testing.T) {
	m := &message.Message{Header: []message.Field{{Name: []byte("From"), Value: []byte("Pаypаl <x@shop.example>")}}}
	got := termsOfMessage(tokenizer(t, nil), m)
	for _, want := range []string{"from:paypal", "mark:homoglyph"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	m.Header[0].Value = []byte("Apple <🅐🅟🅟🅛🅔🅘🅓@𝐢𝐝.𝐚𝐩𝐩𝐥𝐞.🅒\u200b🅞🅜>")
	got = termsOfMessage(tokenizer(t, nil), m)
	for _, want := range []string{"from:appleid@id.apple.com", "mark:full-width", "mark:zero-width"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
}

func TestMessagesOfPicturesOnlyAreMarked(t *testing.T) {
	html := func(text string, images int) *message.Message {
		return &message.Message{Parts: []message.Part{{Type: []byte("text/html"), Text: []byte(text), Images: images}}}
	}
	tests := []struct {
		name string
		m    *message.Message
		want []string
	}{
		{"text", html("Click here", 0), []string{}},
		{"pictures beside text", html(strings.Repeat("word ", 40), 7), []string{}},
		{"pictures with next to no text", html("Click here", 1), []string{"mark:image-only"}},
		{"an image is attached to nothing", &message.Message{Parts: []message.Part{{Type: []byte("image/gif")}}}, []string{"mark:image-only"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := having(termsOfMessage(tokenizer(t, nil), tt.m), "mark:"); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestScriptsAreTerms(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"Latin is no term", "Straße, café, naïve words and łódź", []string{}},
		{"Cyrillic", "добрый день всем", []string{"script:cyrillic"}},
		{"Greek", "καλημέρα σας", []string{"script:greek"}},
		{"Hebrew", "שלום לכולם", []string{"script:hebrew"}},
		{"Arabic", "السلام عليكم", []string{"script:arabic"}},
		{"Thai", "สวัสดีครับ", []string{"script:thai"}},
		{"Korean", "안녕하세요 여러분", []string{"script:hangul"}},
		{"Chinese", "大家好，明天见，请带上饮料", []string{"script:han"}},
		{"Japanese has two", "皆さん、こんにちは。土曜日の遠足に持って行く物を買う", []string{"script:kana", "script:han"}},
		{"Armenian is another one", "բարեւ ձեզ բոլորին", []string{"script:other"}},
		{"a few letters are a name or a formula", "the angle α and Москва", []string{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := having(termsOfMessage(tokenizer(t, nil), textMessage(tt.text)), "script:"); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestHiddenTextAndAttachedHeadersHaveTagsOfTheirOwn(t *testing.T) {
	m := &message.Message{
		Attached: []message.Field{
			{Name: []byte("Subject"), Value: []byte("Two offers")}, {Name: []byte("FROM"), Value: []byte("Ann <ann@shop.example>")},
			{Name: []byte("X-Mailer"), Value: []byte("M")}, {Name: []byte("X-Spam-Flag"), Value: []byte("YES")},
		},
		Parts: []message.Part{{Type: []byte("text/html"), Text: []byte("Offers"), Hidden: []byte("Minutes of meetings")}},
	}
	want := []string{"attached-subject:two", "attached-subject:offer", "attached-from:ann", "attached-from:ann@shop.example", "attached-from:@shop.example",
		"attached-from:@.shop.example", "type:text/html", "body:offer", "hidden:minut", "hidden:of", "hidden:meet"}
	if got := termsOfMessage(tokenizer(t, nil), m); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	without := func(o *Options) { o.IgnoreHeaders = []string{"subject", "from"} }
	if got := having(termsOfMessage(tokenizer(t, without), m), "attached-"); len(got) != 0 {
		t.Errorf("ignored fields of an attached message are looked at: %q", got)
	}
}

func TestTokensBeyondTheLimitAreLeftOut(t *testing.T) {
	m := textMessage("one two V1agra four five")
	m.Links = []message.Link{{URL: []byte("http://shop.example/")}}
	count := func(limit int) (terms []string, cut message.Repairs) {
		tok := tokenizer(t, func(o *Options) { o.MaxTokens = limit })
		cut = tok.Terms(m, func(t *Term) { terms = append(terms, t.Text()) })
		return terms, cut
	}
	all, cut := count(DefaultOptions().MaxTokens)
	if cut != 0 {
		t.Errorf("%v is reported of a message within the limit", cut)
	}
	if _, cut = count(len(all) - 1); cut != 0 { // the last term is a mark, which counts in any case
		t.Errorf("%v is reported of a message of exactly the limit", cut)
	}
	if _, cut = count(len(all) - 2); !cut.Has(message.CutTokens) {
		t.Error("nothing is reported of a message beyond the limit")
	}
	got, cut := count(5)
	if want := []string{"type:text/plain", "body:one", "body:two", "body:v1agra", "body:viagra", "mark:letter-digit"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if want := message.Repairs(1 << message.CutTokens); cut != want {
		t.Errorf("reported %v, want %v", cut, want)
	}
}
