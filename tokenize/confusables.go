package tokenize

// lookAlikes maps letters to the lower-case ASCII letter that they look like.
//
// Source: confusables.txt of Unicode 10.0.0 (UTS #39, Unicode Security Mechanisms), the single letters of alphabets whose prototype is an
// ASCII letter. The map leaves out what NFKC folds, such as mathematical and full-width letters, and letters of living orthographies:
// dotless i, iota, gamma, v with hook and long s. Departures: a letter that looks like a capital I is an i, not an l, and small
// capitals are included. So are letters that Unicode calls turned or reversed, and the alphabet that text generators make of Canadian
// syllabics: ᗩᗷᑕᗪEᖴGᕼIᒍKᒪᗰᑎOᑭᑫᖇᔕTᑌᐯᗯ᙭Yᘔ.
func lookAlikes() map[rune]byte {
	letters := make(map[rune]byte, 320)
	for _, l := range []struct {
		latin byte
		like  string
	}{
		{'a', "ɑΑαАаᎪᗅᴀꓮɐⱯᗩ"},
		{'b', "ƄʙΒВЬᏏᏴᖯᗷꓐꞴ\U00010301"},
		{'c', "СсᏟᴄⲤⲥꓚꮯᑕ\U00010302\U00010415\U0001043d"},
		{'d', "ԁᎠᏧᑯᗞᗪᴅꓒꓓ"},
		{'e', "ΕЕеҽᎬᴇⴹꓰꬲƎǝɘ\U000118a6\U000118ae"},
		{'f', "ϜքᖴẝꓝꜰꞘꞙꬵ\U000118a2\U000118c2"},
		{'g', "ƍɡɢԌցᏀᏳᶃꓖ"},
		{'h', "ʜΗНһհᎻᏂᕼⲎꓧɥ"},
		{'i', "ɪΙιІіӀӏᎥⲒⵏꓲꙇꭵᴉ\U000118c3"},
		{'j', "ͿϳЈјᎫᒍᴊꓙꞲ"},
		{'k', "ΚКᏦᴋⲔꓗʞ"},
		{'l', "ʟᏞᒪⳐꓡ\U00010309\U0001041b\U000118a3\U000118b2"},
		{'m', "ΜϺМᎷᗰᴍⲘꓟ\U00010311"},
		{'n', "ɴΝոռⲚꓠᑎ"},
		{'o', "ΟοσОоՕօჿᴏᴑⲞⲟⵔꓳꬽ\U00010404\U0001042c\U000104c2\U000104ea\U000118b5\U000118c8\U000118d7"},
		{'p', "ΡρРрᏢᑭᴘⲢⲣꓑ"},
		{'q', "ꞯԛգզⵕᑫ"},
		{'r', "ƦʀгᎡᏒᖇᴦⲅꓣꭇꭈꮁɹ\U000104b4"},
		{'s', "ƽЅѕՏᏕᏚꓢꜱꮪᔕ\U00010420\U00010448\U000118c1"},
		{'t', "ΤТᎢᴛⲦꓔʇ\U00010315\U000118bc"},
		{'u', "υՍսᑌᴜꓴꞟꭎꭒ\U000104ce\U000104f6\U000118b8\U000118d8"},
		{'v', "νѴѵᏙᐯᴠⴸꓦꮩɅʌ\U000118a0\U000118c0"},
		{'w', "ɯѡԜԝաᎳᏔᴡꓪꮃʍᗯ"},
		{'x', "ΧХхᕁᕽⲬⵝꓫꞳ᙭\U00010317"},
		{'y', "ʏΥγУуҮүყᎩᎽᶌỿⲨꓬꭚʎ\U000118a4\U000118dc"},
		{'z', "ΖᏃᴢꓜꮓᘔ\U000118a9\U000118c4"},
	} {
		for _, r := range l.like {
			letters[r] = l.latin
		}
	}
	return letters
}
