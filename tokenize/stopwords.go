package tokenize

import "strings"

// maxStopWord is the length in bytes of the longest stop word.
const maxStopWord = 12

// stopWordLists returns frequent words of each language that can be detected. Words that are frequent in many languages are left out of most
// lists, and a and i of all, since they are English words. Of two languages with the same number of words the first wins.
func stopWordLists() []struct{ language, words string } {
	return []struct{ language, words string }{
		{"english", "the and of to in is you that it for on with are this be have from your not will at as or we can was by our"},
		{"french", "le la les de des du et est une un pour dans vous nous que qui sur avec pas au aux votre ce cette sont par plus ne"},
		{"hungarian", "az és hogy nem egy is meg ez de csak már van ha vagy mint volt azt még el kell lesz minden ezt ki"},
		{"norwegian", "og det er på som en av for til med at har ikke den vi jeg de om du kan fra et skal hva eller deg noe etter"},
		{"spanish", "el la los las de del y que en es un una por para con se su no lo como más al este está sus pero usted"},
		{"swedish", "och det är på som en av för till med att har inte den vi jag de om du kan från ett ska eller dig efter"},
		{"german", "der die das und ist nicht ein eine zu den von mit für auf sie ich wir im dem sich es auch an als wird bei ihre haben"},
		{"dutch", "de het een en van is dat niet te op voor met zijn in er aan je wij ook om als bij naar uw deze kan wordt worden"},
		{"italian", "il lo la gli le di del della e che è un una per con non si da nel sono come più al questo alla dei anche ha"},
		{"portuguese", "o os as de do da dos das e que em um uma para com não se por no na mais como ao você seu sua é está são"},
		{"danish", "og det er på som en af for til med at har ikke den vi jeg de om du kan fra et skal hvad eller dig noget efter"},
		{"finnish", "ja on ei että se oli hän mutta ovat kun tämä joka myös sekä voi niin jos tai nyt vain ole olen mukaan kuin"},
		{"polish", "w na z do się nie to że jest o jak za od po ale dla przez są tak lub oraz przy tym już może"},
	}
}

// stopWords returns the languages of each stop word.
func stopWords() map[string]languageSet {
	sets := make(map[string]languageSet)
	for i, l := range stopWordLists() {
		for word := range strings.FieldsSeq(l.words) {
			sets[word] |= 1 << i
		}
	}
	return sets
}
