package tokenize

import (
	"slices"
	"strings"
	"testing"

	"chaff/message"
)

func TestTheLanguageOfAMessageIsTold(t *testing.T) {
	tok := tokenizer(t, func(o *Options) { o.Language = "auto" })
	for text, want := range map[string]string{
		"The minutes of the meeting are with you, and we will send the rest of it.":                  "english",
		"Nous avons reçu votre commande et elle est dans nos ateliers, avec les autres.":             "french",
		"A csomag már úton van, és nem kell fizetni, ha az átvétel megtörténik.":                     "hungarian",
		"Vi har sendt pakken til deg, og den er ikke på hytta, men fra i morgen kan du hente den.":   "norwegian",
		"Vi har skickat paketet till dig, och det är inte från oss utan från en vän.":                "swedish",
		"El pedido está en camino y no es necesario que usted pague una tasa por los gastos.":        "spanish",
		"Собрание будет во вторник, и мы ждём вас в зале, где были прошлый раз.":                     "russian",
		"Збори відбудуться у вівторок, і ми чекаємо на вас у залі, де були їхні друзі.":              "none",
		"Събранието ще бъде във вторник и чакаме всички в залата, където бяхме.":                     "none",
		"Die Sitzung ist nicht am Dienstag, sondern wir sehen uns mit den anderen im Saal.":          "none",
		"De vergadering is niet op dinsdag, maar wij zien u met de anderen in de zaal van het huis.": "none",
		"Il libro che ha ordinato non è più nel negozio, ma la libreria della piazza lo ha.":         "none",
		"O livro que você pediu não está mais na loja, mas a senhora pode retirar dos outros.":       "none",
		"Mødet er ikke på tirsdag, og vi skal noget andet efter det, hvad du kan se af planen.":      "none",
		"Kokous on tiistaina, ja se ei ole sama kuin ennen, mutta me olemme myös siellä.":            "none",
		"Spotkanie nie jest we wtorek, ale przy tym już po pracy, bo to za długo dla nas.":           "none",
		"Click: 12345": "english",
		"会议记录已经发给大家":   "english",
		"":             "english",
	} {
		t.Run(text, func(t *testing.T) {
			if got := tok.detectLanguage(textMessage(text)); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestEachMessageIsStemmedInItsOwnLanguage(t *testing.T) {
	tok := tokenizer(t, func(o *Options) { o.Language = "auto" })
	english := textMessage("The runners and the riders of the day are with us: running.")
	french := textMessage("Nous avons les voitures et vous avez les commandes dans une semaine.")
	for range 2 {
		if got := termsOfMessage(tok, english); !slices.Contains(got, "body:run") {
			t.Errorf("no English stem in %q", got)
		}
		if got := termsOfMessage(tok, french); !slices.Contains(got, "body:voitur") {
			t.Errorf("no French stem in %q", got)
		}
	}
}

func TestOnlyTheFirstWordsTellTheLanguage(t *testing.T) {
	tok := tokenizer(t, func(o *Options) { o.Language = "auto" })
	text := strings.Repeat("the ", maxLanguageWords) + strings.Repeat("les ", 10*maxLanguageWords)
	if got := tok.detectLanguage(textMessage(text)); got != "english" {
		t.Errorf("got %s, want english", got)
	}
	m := &message.Message{Header: []message.Field{{Name: []byte("subject"), Value: []byte("nous avons les commandes avec vous")}}}
	if got := tok.detectLanguage(m); got != "french" {
		t.Errorf("of a subject alone: got %s, want french", got)
	}
}

func TestTheListsOfStopWordsFitTheirBounds(t *testing.T) {
	lists := stopWordLists()
	if len(lists) > len(languageEvidence{}.stop) {
		t.Errorf("%d languages, room for %d", len(lists), len(languageEvidence{}.stop))
	}
	for _, l := range lists {
		for word := range strings.FieldsSeq(l.words) {
			if len(word) > maxStopWord {
				t.Errorf("%s: %q is longer than %d bytes", l.language, word, maxStopWord)
			}
		}
	}
}

func BenchmarkLanguage(b *testing.B) {
	tok := tokenizer(b, func(o *Options) { o.Language = "auto" })
	m := textMessage(strings.Repeat("The quarterly figures aren't final; please don't quote them before the 3rd of March. ", 50))
	b.SetBytes(int64(len(m.Parts[0].Text)))
	b.ReportAllocs()
	for b.Loop() {
		tok.detectLanguage(m)
	}
}
