package message

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"chaff/internal/ascii"
)

// guesses returns the guesser. Most messages need none.
var guesses = sync.OnceValue(newGuesser)

// guesser finds the likeliest charset of a sample of text. Each charset gets points: many for bytes that are common letters
// in it, few or less than none for what its texts do not contain. If no other charset wins, it is windows-1252, as in mail
// readers. TestCharsetsAreGuessed measures it.
//
// The letters of an alphabet are listed by frequency, which gives their points. As with logarithms of probabilities, the sum
// says how likely the text is. Frequencies of pairs of letters would need tables a hundred times larger.
type guesser []guessable

// guessable is a charset that may be guessed.
type guessable struct {
	name              string
	isLatin, isDouble bool // its letters occur beside those of ASCII; its characters have two bytes
	// score returns the points of text in the charset, and whether all characters beyond ASCII are frequent ones.
	score func(text []byte) (points int, frequent bool)
}

const (
	fallback      = "windows-1252"
	fallbackBonus = 8  // points in advance for the likeliest charset
	enoughPoints  = 16 // the points that another script needs: about three letters or one common character

	pointsUnlisted = -5  // a letter that the languages of the charset do not use
	pointsSymbol   = 1   // a quotation mark, a dash, a sign of currency
	pointsOdd      = -4  // any other symbol
	pointsControl  = -12 // a control character, or an undefined byte
	pointsMixed    = -7  // letters of two scripts side by side, or two letters beyond ASCII side by side in a Latin script
	pointsCase     = -8  // a capital letter after a small one
)

// singleTable is a single-byte charset.
type singleTable struct {
	isLatin bool
	runes   [256]rune
	points  [256]int8
	class   [256]byte // 'a' for a small letter, 'A' for a capital one, '-' for one without case, 0 for what is no letter
}

func newGuesser() (g guesser) {
	var western *singleTable
	for _, a := range alphabets {
		for _, name := range a.charsets {
			if ranges := pairs[name]; ranges != nil {
				g = append(g, guessable{name, false, true, newDoubleTable(name, ranges, a.letters).score})
				continue
			}
			t := newSingleTable(name, a)
			for c := range t.points {
				if western != nil && t.isLatin && t.runes[c] == western.runes[c] { // what two Latin charsets share does not tell them apart
					t.points[c] = western.points[c]
				}
			}
			western = cmp.Or(western, t)
			g = append(g, guessable{name, a.isLatin, false, t.score})
		}
	}
	return g
}

func newSingleTable(name string, a alphabet) *singleTable {
	t := &singleTable{isLatin: a.isLatin}
	ranks := map[rune]int{}
	for _, r := range a.letters {
		ranks[r] = len(ranks)
	}
	charset := encodingOf(name).(*charmap.Charmap)
	for c := range t.runes {
		r := charset.DecodeByte(byte(c)) // U+FFFD if there is none
		if c >= utf8.RuneSelf {
			t.points[c] = int8(pointsOf(r, ranks))
		}
		t.runes[c] = r
		switch {
		case unicode.IsLower(r):
			t.class[c] = 'a'
		case unicode.IsUpper(r):
			t.class[c] = 'A'
		case unicode.IsLetter(r), unicode.IsMark(r):
			t.class[c] = '-'
		}
	}
	return t
}

// pointsOf returns the points of a character beyond ASCII by the ranks of letters: 9 for the first, 2 for the thirtieth.
func pointsOf(r rune, ranks map[rune]int) int {
	const symbols = "\u00a0“”‘’„«»‹›–—…•€£°©®™§·¿¡"
	rank, listed := ranks[unicode.ToLower(r)]
	switch {
	case listed:
		points := int(math.Round(9 - 2*math.Log2(float64(rank)/3+1)))
		if unicode.IsUpper(r) {
			points = max(points-3, pointsSymbol+1)
		}
		return points
	case r == utf8.RuneError || unicode.IsControl(r):
		return pointsControl
	case unicode.IsLetter(r):
		return pointsUnlisted
	case strings.ContainsRune(symbols, r):
		return pointsSymbol
	}
	return pointsOdd
}

// score returns the points of text in the charset. A single letter is probably a symbol of another charset, and
// counts for nothing.
func (t *singleTable) score(text []byte) (score int, frequent bool) {
	pending := 0
	last, lastHigh := byte(0), false
	frequent = true
	for _, c := range text {
		high := c >= utf8.RuneSelf
		class := t.class[c]
		points := int(t.points[c])
		frequent = frequent && (!high || class != 0 && points > 0)
		switch {
		case class == 0:
			score += points
			pending = 0
		case last == 0:
			pending = points
		default:
			score += pending + points
			pending = 0
			if (high || lastHigh) && t.isLatin == (high && lastHigh) {
				score += pointsMixed
			}
			if (high || lastHigh) && class == 'A' && last == 'a' {
				score += pointsCase
			}
		}
		last, lastHigh = class, high
	}
	return score, frequent
}

// charset returns the name of the likeliest charset of text.
func (g guesser) charset(text []byte) string {
	text = text[lengthOfASCII(text):]
	text = text[:min(len(text), sampleBytes)]
	all, alone := 0, 0 // bytes beyond ASCII, and those between bytes of ASCII: most are in Latin alphabets, few in charsets of two bytes a character
	for i, c := range text {
		if c < utf8.RuneSelf {
			continue
		}
		all++
		if (i == 0 || text[i-1] < utf8.RuneSelf) && (i+1 == len(text) || text[i+1] < utf8.RuneSelf) {
			alone++
		}
	}
	best, name := 0, fallback
	for _, c := range g {
		if c.isDouble && alone*2 > all {
			break
		}
		score, _ := c.score(text)
		if c.name == fallback {
			score += fallbackBonus
		}
		if score > best && (c.isLatin || score >= enoughPoints) {
			best, name = score, c.name
		}
	}
	return name
}

const (
	pointsCommon   = 16  // one of the common characters
	pointsKana     = 14  // a Japanese letter
	pointsUsual    = 5   // a character of the common levels of the charset
	pointsRare     = -4  // any other
	pointsHalfKana = -2  // a half-width Japanese letter, which is obsolete
	pointsBroken   = -12 // an undefined pair of bytes
)

// doubleTable is a charset of two bytes a character.
type doubleTable struct {
	name   string
	rows   []rows
	common [1 << 16 / 64]uint64 // the set of common characters, by their two bytes
}

func newDoubleTable(name string, ranges []rows, common string) *doubleTable {
	t := &doubleTable{name: name, rows: ranges}
	encoded, _ := encodingOf(name).NewEncoder().Bytes([]byte(common))
	for character := range slices.Chunk(encoded, 2) {
		at := binary.BigEndian.Uint16(character)
		t.common[at/64] |= 1 << (at % 64)
	}
	return t
}

// score returns the points of text in the charset, and whether no character is rare or broken. If most follow an ASCII letter, the text is in a
// Latin alphabet, and they are not frequent.
func (t *doubleTable) score(text []byte) (score int, frequent bool) {
	all, odd := 0, 0
	frequent = true
	last := byte(0)
	for len(text) > 0 {
		lead := text[0]
		if lead < utf8.RuneSelf {
			last = lead
			text = text[1:]
			continue
		}
		var points int
		length := 2
		switch {
		case t.name == "shift_jis" && 0xa1 <= lead && lead <= 0xdf:
			points, length = pointsHalfKana, 1
		case len(text) == 1: // the sample ends inside of a character
			return score, frequent && odd*2 <= all
		default:
			points = t.points(lead, text[1])
			if at := uint16(lead)<<8 | uint16(text[1]); t.common[at/64]&(1<<(at%64)) != 0 {
				points = pointsCommon
			}
		}
		if points == pointsBroken {
			length = 1
		}
		score += points
		frequent = frequent && points > 0
		all++
		if ascii.IsLetter(last) {
			odd++
		}
		trail := text[length-1]
		text = text[length:]
		if ascii.IsLetter(trail) && len(text) > 0 && ascii.IsLetter(text[0]) {
			score += pointsMixed // probably a symbol before a word, such as a bullet
		}
		last = lead
	}
	return score, frequent && odd*2 <= all
}

// points returns the points of a character that is not common.
func (t *doubleTable) points(lead, trail byte) int {
	for _, r := range t.rows {
		if r.limits[0] <= lead && lead <= r.limits[1] && r.limits[2] <= trail && trail <= r.limits[3] {
			return r.points
		}
	}
	return pointsBroken
}

// rows is a range of pairs of bytes, and the points of its characters.
type rows struct {
	limits string // the least and the greatest first byte, and the same of the second
	points int
}

// pairs is the rows of charsets. The first that has a pair counts.
var pairs = map[string][]rows{
	"shift_jis": {
		{"\x82\x82\x9f\xf1", pointsKana}, {"\x83\x83\x40\x7e", pointsKana}, {"\x83\x83\x80\x96", pointsKana},
		{"\x88\x98\x40\x7e", pointsUsual}, {"\x88\x98\x80\xfc", pointsUsual}, {"\x81\x9f\x40\x7e", pointsRare},
		{"\x81\x9f\x80\xfc", pointsRare}, {"\xe0\xef\x40\x7e", pointsRare}, {"\xe0\xef\x80\xfc", pointsRare},
	},
	"big5": {
		{"\xa4\xc6\x40\x7e", pointsUsual}, {"\xa4\xc6\xa1\xfe", pointsUsual}, {"\xa1\xf9\x40\x7e", pointsRare}, {"\xa1\xf9\xa1\xfe", pointsRare},
	},
	"euc-jp": {
		{"\xa4\xa4\xa1\xf3", pointsKana}, {"\xa5\xa5\xa1\xf6", pointsKana}, {"\xb0\xcf\xa1\xfe", pointsUsual}, {"\xa1\xfe\xa1\xfe", pointsRare},
	},
	"euc-kr": {{"\xb0\xc8\xa1\xfe", pointsUsual}, {"\xa1\xfe\xa1\xfe", pointsRare}},
	"gb18030": { // GB 2312, and what GBK added
		{"\xb0\xd7\xa1\xfe", pointsUsual}, {"\xa1\xfe\xa1\xfe", pointsRare}, {"\x81\xfe\x40\xfe", pointsRare},
	},
}

// alphabet is the letters beyond ASCII of some languages, by descending frequency, or the common characters of one that has thousands of them.
type alphabet struct {
	charsets []string
	isLatin  bool // the letters occur beside those of ASCII
	letters  string
}

// alphabets is the alphabets of charsets. Of equal scores the first wins.
var alphabets = []alphabet{
	{[]string{fallback}, true, "éäüöáóíàãçñèåêøúßâæôîëïùòìõûœý"},
	{[]string{"windows-1250", "iso-8859-2"}, true, "áéíěšřčžýłąęóżöüůúśćőńăâîţşűďťňźäđôľëß"},
	{[]string{"windows-1250", "iso-8859-2"}, true, "áéöóőíüúű"}, // Hungarian, whose ő and ű are õ and û in windows-1252
	{[]string{"windows-1254"}, true, "ışüçöğiâîû"},
	{[]string{"windows-1251", "koi8-u", "iso-8859-5"}, false, "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфёіїєъ"},
	{[]string{"windows-1253", "iso-8859-7"}, false, "αοιετνσρκπηυμλςγδθφχωάίόέύήώβξζψϊϋΐΰ"},
	{[]string{"windows-1255", "iso-8859-8"}, false, "יוהלאתרמבשנעקדחםספגכןצטזךףץ"},
	{[]string{"windows-1256", "iso-8859-6"}, false, "اليمونرتبةعدسفهكقحأجشطصىخإضذئءثغزآؤظ"},
	{[]string{"windows-874"}, false, "านรก่เอง้มยลวดีัทสตะิปบคหแ์ใจพชขไุโู็ผืซถธึณศำษ"},
	{[]string{"gb18030"}, false, "\u3000，。、：！？（）“”的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去" +
		"之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动" +
		"两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便" +
		"位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市眼体别处总才场师书比住员" +
		"件安表原车应路期系计或司利受果及今务制解各任清物记接特望直服题建度统请交让认算收钱元网邮址费客户品价送您店"},
	{[]string{"big5"}, false, "\u3000，。、：！？（）「」的一是不了在人有我他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之" +
		"過家學對可她裡後小麼心多天而能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動" +
		"兩長知民樣現分將外但身些與高意進把法此實回二理美點月明其種聲全工己話兒者向情部正名定女問力機給等幾很業最間新什打便" +
		"位因重被走電四第門相次東政海口使教西再平真聽世氣信北少關並內加化由卻代軍產入先山五太水萬市眼體別處總才場師書比住員" +
		"件安表原車應路期系計或司利受果及今務制解各任清物記接特望直服題建度統請交讓認算收錢元網郵址費客戶品價送您店"},
	{[]string{"euc-kr"}, false, "이다는에의가고을하지로한사은를어기리도자대아서시해인나있들그정일수라게보부구제주여전만상과것원장국동면년오었니" +
		"경관공우성신중방조세모무요스안비으했소위음계발화래까생치말실내러용미연물습합입드및매할문분금회건간선반출적"},
	{[]string{"shift_jis", "euc-jp"}, false, "\u3000、。ー「」（）！？・日一国人年大十二本中長出三時行見月後前生五間上東四今金九入学高円子外八六下来気小" +
		"七山話女北午百書先名千水半男西電校語土木聞食車何南万毎白天母火友父会新事社者動的分合目手発田部地内対立方民作用"},
}
