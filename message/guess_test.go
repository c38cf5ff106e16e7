package message_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"

	"chaff/corpus/sample"
	"chaff/message"
	"chaff/test/tabletest"
)

// sampleTexts returns the texts of the sample mail that hold other characters than ASCII.
func sampleTexts(t *testing.T) []string {
	t.Helper()
	var all []string
	d := message.NewDecoder(message.DefaultOptions())
	for item, err := range sample.Source() {
		if err != nil {
			t.Fatal(err)
		}
		raw, err := sample.Message(item.Origin)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range d.Decode(raw).Parts {
			if text := string(p.Text); !isASCII(text) {
				all = append(all, text)
			}
		}
	}
	if len(all) < 50 {
		t.Fatalf("the sample has %d texts beyond ASCII, want at least 50", len(all))
	}
	return all
}

// moreTexts returns texts in the languages that the sample does not have.
func moreTexts() []string {
	return []string{
		"Dzień dobry,\nprzesyłam listę rzeczy, które trzeba zabrać na sobotnią wycieczkę.\nŚniadanie zjemy już w pociągu, więc weźcie też coś ciepłego do picia.\nDo zobaczenia,\nŁucja\n",
		"Dobrý den,\nposílám vám seznam věcí, které je třeba vzít na sobotní výlet.\nSnídani si dáme až ve vlaku, takže si vezměte také něco teplého k pití.\nTěším se,\nJiří\n",
		"Kedves Ágnes!\nElküldöm a szombati kirándulásra szükséges dolgok listáját.\nReggelizni már a vonaton fogunk, ezért hozzatok valami meleg innivalót is.\nŐszinte üdvözlettel: Gyöző, és a nővére is üdvözöl\n",
		"Merhaba,\ncumartesi günkü gezi için gereken şeylerin listesini gönderiyorum.\nKahvaltıyı artık trende yapacağız, bu yüzden sıcak içecek bir şey de alın.\nGörüşmek üzere, İpek\n",
		"Καλημέρα σας,\nσας στέλνω τον κατάλογο με τα πράγματα που χρειάζονται για την εκδρομή του Σαββάτου.\nΠρωινό θα φάμε στο τρένο, γι' αυτό πάρτε και κάτι ζεστό να πιείτε.\nΤα λέμε εκεί,\nΕλένη\n",
		"שלום לכולם,\nאני שולחת את רשימת הדברים שצריך לקחת לטיול בשבת.\nאת ארוחת הבוקר נאכל כבר ברכבת, אז כדאי להביא גם משהו חם לשתות.\nלהתראות,\nנועה\n",
		"مرحبا بكم،\nأرسل إليكم قائمة الأشياء التي نحتاج إليها في رحلة يوم السبت.\nسوف نتناول الفطور في القطار، لذلك خذوا معكم شيئا ساخنا للشرب.\nإلى اللقاء،\nليلى\n",
		"Добрый день,\nпосылаю вам список вещей, которые нужно взять в поездку в субботу.\nЗавтракать будем уже в поезде, так что захватите что-нибудь горячее попить.\nДо встречи, Юля\n",
		"Добрий день,\nнадсилаю вам список речей, які треба взяти на суботню подорож.\nСнідати будемо вже в потязі, тому візьміть із собою щось тепле випити.\nДо зустрічі, Їжакевич\n",
		"สวัสดีค่ะ\nดิฉันส่งรายการสิ่งของที่ต้องเตรียมสำหรับการเดินทางวันเสาร์มาให้ค่ะ\nเราจะกินอาหารเช้ากันบนรถไฟ กรุณาเตรียมเครื่องดื่มร้อนมาด้วย\nแล้วพบกันนะคะ มาลี\n",
		"안녕하세요,\n토요일 소풍에 가져갈 물건 목록을 보냅니다.\n아침은 기차에서 먹을 테니 따뜻한 마실 것도 챙겨 오세요.\n그럼 토요일에 뵙겠습니다.\n",
		"大家好：\n星期六去郊游要带的东西，我列了一张单子发给你们。\n早饭在火车上吃，所以请带一点热的饮料。\n到时候见，小林\n",
		"大家好：\n星期六去郊遊要帶的東西，我列了一張單子寄給你們。\n早飯在火車上吃，所以請帶一點熱的飲料。\n到時候見，小林\n",
		"皆さん、こんにちは。\n土曜日の遠足に持っていくものの一覧を送ります。\n朝ご飯は電車の中で食べますので、温かい飲み物も用意してください。\nそれでは、また。\n",
		"Bonjour à tous,\nvoici la liste des choses à prendre pour la sortie de samedi.\nNous déjeunerons déjà dans le train, prévoyez donc aussi une boisson très chaude.\nÀ bientôt, Zoé\n",
	}
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// isIn reports whether nine letters beyond ASCII in ten belong to a script. Han is that of Chinese only if there are no
// letters of Japanese.
func isIn(text string, script *unicode.RangeTable) bool {
	all, in := 0, 0
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf || !unicode.IsLetter(r):
			continue
		case unicode.Is(script, r), script == unicode.Hiragana && unicode.In(r, unicode.Katakana, unicode.Han):
			in++
		case script == unicode.Han && unicode.Is(unicode.Hiragana, r):
			return false
		}
		all++
	}
	return all > 0 && in*10 >= all*9 && (script != unicode.Hiragana || containsScript(text, script))
}

func containsScript(text string, script *unicode.RangeTable) bool {
	for _, r := range text {
		if unicode.Is(script, r) {
			return true
		}
	}
	return false
}

// encode returns text in a charset, without the characters that this does not have, and whether they are very few.
func encode(t *testing.T, text, name string) (encoded []byte, ok bool) {
	t.Helper()
	enc, err := htmlindex.Get(name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	all, lost := 0, 0
	encoder := enc.NewEncoder()
	for _, r := range text {
		b, err := encoder.Bytes([]byte(string(r)))
		if r >= utf8.RuneSelf {
			all++
		}
		if err != nil {
			lost++
			continue
		}
		encoded = append(encoded, b...)
	}
	return encoded, lost*20 <= all
}

// TestCharsetsAreGuessed encodes texts in the charsets of their scripts, declares none, and compares what is read with
// what is read if the charset is declared. Whole texts must be read right, but for one that is garbled before it is
// encoded; of single lines, of which some have no more than two characters, four in five.
func TestCharsetsAreGuessed(t *testing.T) {
	const enough = 0.8 // of the lines
	tests := []struct {
		charset string
		script  *unicode.RangeTable
	}{
		{"windows-1252", unicode.Latin}, {"windows-1250", unicode.Latin}, {"iso-8859-2", unicode.Latin},
		{"windows-1254", unicode.Latin}, {"windows-1251", unicode.Cyrillic}, {"koi8-r", unicode.Cyrillic},
		{"koi8-u", unicode.Cyrillic},
		{"iso-8859-5", unicode.Cyrillic}, {"windows-1253", unicode.Greek}, {"iso-8859-7", unicode.Greek},
		{"windows-1255", unicode.Hebrew}, {"iso-8859-8", unicode.Hebrew}, {"windows-1256", unicode.Arabic},
		{"iso-8859-6", unicode.Arabic}, {"gb18030", unicode.Han}, {"big5", unicode.Han},
		{"windows-874", unicode.Thai}, {"euc-kr", unicode.Hangul}, {"shift_jis", unicode.Hiragana}, {"euc-jp", unicode.Hiragana},
	}
	samples := append(sampleTexts(t), moreTexts()...)
	d := message.NewDecoder(message.DefaultOptions())
	for _, test := range tests {
		t.Run(test.charset, func(t *testing.T) {
			whole, wholeRight, lines, linesRight := 0, 0, 0, 0
			count := func(text []byte, all, right *int) {
				if isASCII(string(text)) || utf8.Valid(text) {
					return
				}
				*all++
				want := texts(d.Decode([]byte("Content-Type: text/plain; charset=" + test.charset + "\n\n" + string(text))))
				got := texts(d.Decode([]byte("\n" + string(text))))
				if got == want {
					*right++
				}
			}
			for _, text := range samples {
				encoded, ok := encode(t, text, test.charset)
				if !ok || !isIn(text, test.script) {
					continue
				}
				count(encoded, &whole, &wholeRight)
				for line := range bytes.Lines(encoded) {
					count(line, &lines, &linesRight)
				}
			}
			t.Logf("%d of %d texts, %d of %d lines", wholeRight, whole, linesRight, lines)
			if whole == 0 || wholeRight < whole-whole/50 {
				t.Errorf("%d of %d texts are read right, want all", wholeRight, whole)
			}
			if lines == 0 || float64(linesRight) < enough*float64(lines) {
				t.Errorf("%d of %d lines are read right, want four in five", linesRight, lines)
			}
		})
	}
}

// TestSignsBeforeWordsAreGuessedAsSigns guards against characters of two bytes made of a sign and the letter behind it.
func TestSignsBeforeWordsAreGuessedAsSigns(t *testing.T) {
	tabletest.Strings(t, func(in string) string { return texts(decode("\n" + in)) }, [][3]string{
		{"bullets", "\xb7Merchant accounts\n\xb7Credit cards", "·Merchant accounts ·Credit cards"},
		{"a price", "\xa3Five a month", "£Five a month"},
		{"a quotation", "\x93Hello\x94 he said", "“Hello” he said"},
		{"Spanish", "\xbfQu\xe9 tal, se\xf1or Garc\xeda? \xa1La informaci\xf3n est\xe1 aqu\xed, despu\xe9s de la edici\xf3n!",
			"¿Qué tal, señor García? ¡La información está aquí, después de la edición!"},
		{"a letter of Latin that stands alone", "La camera con il balcone \xe8 libera, \xe8 libera", "La camera con il balcone è libera, è libera"},
	})
}
