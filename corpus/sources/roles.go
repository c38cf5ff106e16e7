package sources

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// roleOf decides by the place of a folder in a mailbox, such as [INBOX Spam].
func roleOf(parts []string) (role Role, why string) {
	last := len(parts) - 1
	role, why = roleOfName(parts[last])
	if role != Ham {
		return role, why
	}
	for _, p := range parts[:last] {
		if role, of := roleOfName(p); role != Ham {
			return LeftOut, "in a folder of " + of
		}
	}
	return Ham, why
}

// isIncoming knows the names of the folders that hold mail as it came in, which
// nobody need have looked at: the inbox, and "All Mail" of Gmail.
func isIncoming(name string) bool {
	switch foldName(name) {
	case "inbox", "posteingang", "boîtederéception", "bandejadeentrada", "postainarrivo", "caixadeentrada",
		"postvakin", "inkorgen", "inkorg", "innboks", "indbakke", "saapuneet", "odebrane", "skrzynkaodbiorcza",
		"doručenápošta", "beérkezőlevelek", "gelenkutusu", "εισερχόμενα", "входящие", "вхідні",
		"收件箱", "收件匣", "受信トレイ", "받은편지함", "البريدالوارد", "דוארנכנס",
		"allmail", "allenachrichten", "touslesmessages", "tuttiiposta", "tuttiimessaggi", "todososemails",
		"alleberichten", "allaemail", "alemail", "allepost", "kaikkiviestit", "wszystkie", "všechnyzprávy",
		"összeslevél", "toatemesajele", "tümpostalar", "όλαταμηνύματα", "всяпочта", "усяпошта", "所有邮件", "所有郵件",
		"すべてのメール", "전체보관함", "كلالبريد", "כלהדואר":
		return true
	}
	return false
}

// foldName writes the names alike that differ only in case, blanks, hyphens,
// underscores, apostrophes, or in how accents are put together.
func foldName(name string) string {
	// QUIRK: the small letter of the Turkish İ is an i with a dot of its own.
	lower := strings.ReplaceAll(strings.ToLower(norm.NFC.String(name)), "i\u0307", "i")
	return strings.NewReplacer(" ", "", "\u00a0", "", "\u3000", "", "-", "", "_", "", "'", "", "’", "").Replace(lower)
}

// roleOfName knows the names that mail programs and providers give to folders with
// a job: Thunderbird, Outlook, Apple Mail, Gmail, GMX, Roundcube and others, in
// the languages they speak. A name means the same in every language that has it.
func roleOfName(name string) (role Role, why string) {
	name = foldName(name)
	switch {
	case isSpamName(name):
		return Spam, "spam"
	case isTrashName(name):
		return LeftOut, "deleted mail"
	case isDraftsName(name):
		return LeftOut, "drafts"
	case isOutboxName(name):
		return LeftOut, "mail to be sent"
	case isTemplatesName(name):
		return LeftOut, "templates"
	case isSentName(name):
		return Ham, "sent mail"
	case isArchiveName(name):
		return Ham, "archive"
	}
	return Ham, ""
}

func isSpamName(name string) bool {
	switch name {
	case "junk", "junkemail", "junkmail", "junkbox", "spam", "spams", "spammail", "spammails", "spambox", "spamfolder",
		"bulk", "bulkmail", "probablyspam", "maybespam", // English, and most languages
		"spamverdacht", "spamordner", "unerwünscht", "unerwünschteemails", "unerwünschtewerbung", // German
		"courrierindésirable", "courrierindesirable", "courriersindésirables", "indésirable", "indésirables", "indesirables", "pourriel", "pourriels", // French
		"correonodeseado", "nodeseado", "nodeseados", "correobasura", // Spanish
		"postaindesiderata", "indesiderata", "indesiderati", // Italian
		"lixoeletrônico", "lixoeletrónico", "lixoelectrónico", "correioindesejado", "indesejado", "emailsindesejados", // Portuguese
		"ongewenst", "ongewenstemail", "ongewensteemail", "ongewenstepost", "ongewensteberichten", // Dutch
		"skräppost", "skräp", // Swedish
		"søppelpost", "uønsketepost", "uønskedeepost", // Norwegian
		"uønsketpost", "uønsketmail", "uønskedemails", // Danish
		"roskaposti",                                         // Finnish
		"niechciane", "niechcianapoczta", "wiadomościśmieci", // Polish
		"nevyžádanápošta", "nevyžádané", "nevyžiadanápošta", // Czech, Slovak
		"levélszemét", "kéretlen", "kéretlenlevelek", // Hungarian
		"emailnedorit", "mesajenedorite", "nedorite", "nesolicitate", "mesajenesolicitate", // Romanian
		"istenmeyen", "istenmeyeneposta", "gereksiz", "gereksizeposta", "önemsizeposta", // Turkish
		"ανεπιθύμητα", "ανεπιθύμητηαλληλογραφία", "ενοχλητικά", // Greek
		"спам", "нежелательнаяпочта", "нежелательные", // Russian
		"небажанапошта", "небажані", "небажаніповідомлення", // Ukrainian
		"垃圾邮件", "垃圾郵件", "垃圾電郵", "垃圾電子郵件", "垃圾信件", "垃圾信匣", // Chinese
		"迷惑メール", "迷惑メールフォルダ", "スパム", "スパムメール", "ジャンクメール", // Japanese
		"스팸", "스팸메일", "스팸편지함", "스팸메일함", "스팸함", "정크", "정크메일", // Korean
		"البريدالعشوائي", "رسائلعشوائية", "الرسائلالعشوائية", "البريدغيرالهام", "البريدغيرالمرغوب", "غيرالمرغوب", "البريدالمزعج", "سخام", // Arabic
		"דוארזבל", "זבל", "ספאם": // Hebrew
		return true
	}
	return false
}

func isTrashName(name string) bool {
	switch name {
	case "trash", "trashcan", "deleted", "deleteditems", "deletedmessages", "deletedmail", "bin", "wastebasket", "recyclebin", // English
		"papierkorb", "gelöscht", "gelöschteelemente", "gelöschteobjekte", "gelöschtenachrichten", // German
		"corbeille", "poubelle", "supprimés", "élémentssupprimés", "messagessupprimés", // French
		"papelera", "papeleradereciclaje", "eliminados", "elementoseliminados", "mensajeseliminados", "elementosborrados", // Spanish
		"cestino", "postaeliminata", "elementieliminati", "eliminati", // Italian
		"lixeira", "lixo", "reciclagem", "excluídos", "itensexcluídos", "itenseliminados", "itensapagados", // Portuguese
		"prullenbak", "prullenmand", "verwijderd", "verwijderdeitems", "verwijderdeberichten", // Dutch
		"papperskorgen", "papperskorg", "borttaget", "borttagna", "borttagnaobjekt", // Swedish
		"papirkurv", "papirkurven", "papirkorg", "slettet", "slettede", "slettedeelementer", "slettedemeldinger", "slettetpost", // Norwegian, Danish
		"roskakori", "poistetut", "poistetutviestit", "poistetutkohteet", // Finnish
		"kosz", "usunięte", "usunięteelementy", "elementyusunięte", "usuniętewiadomości", // Polish
		"koš", "odstraněnápošta", "odstraněné", "odstraněnépoložky", "smazané", // Czech
		"kôš", "odstránené", "odstránenápošta", "vymazané", // Slovak
		"kuka", "lomtár", "törölt", "töröltelemek", // Hungarian
		"coșdegunoi", "coşdegunoi", "gunoi", "elementeșterse", "mesajeșterse", "articoleșterse", // Romanian
		"çöp", "çöpkutusu", "çöpsepeti", "silinmişöğeler", "silinenler", // Turkish
		"κάδος", "κάδοςαπορριμμάτων", "κάδοςανακύκλωσης", "απορρίμματα", "διαγραμμένα", "διεγραμμένα", // Greek
		"корзина", "удаленные", "удалённые", "удаленныесообщения", // Russian
		"кошик", "смітник", "видалені", "видаленіелементи", // Ukrainian
		"已删除", "已删除邮件", "已删除项目", "废纸篓", "回收站", "垃圾桶", "垃圾箱", // Chinese, simplified
		"已刪除", "已刪除的郵件", "已刪除郵件", "已刪除項目", "已刪除的項目", "刪除的郵件", "回收桶", "資源回收筒", // Chinese, traditional
		"ごみ箱", "ゴミ箱", "削除済み", "削除済みアイテム", "削除済みメール", "削除済みメッセージ", // Japanese
		"휴지통", "지운편지함", "지운메일함", "삭제된항목", "삭제된편지함", "삭제된메시지", // Korean
		"المهملات", "سلةالمهملات", "المحذوفات", "العناصرالمحذوفة", "الرسائلالمحذوفة", // Arabic
		"אשפה", "האשפה", "סלמיחזור", "סלהמיחזור", "פריטיםשנמחקו", "נמחקו": // Hebrew
		return true
	}
	return false
}

func isDraftsName(name string) bool {
	switch name {
	case "draft", "drafts", "draftmessages", // English
		"entwurf", "entwürfe", // German
		"brouillon", "brouillons", // French
		"borrador", "borradores", // Spanish
		"bozza", "bozze", // Italian
		"rascunho", "rascunhos", // Portuguese
		"concepten",        // Dutch
		"utkast",           // Swedish, Norwegian
		"kladd", "kladder", // Norwegian, Danish
		"luonnos", "luonnokset", // Finnish
		"szkice", "kopierobocze", "wersjerobocze", "robocze", // Polish
		"koncepty", "rozepsané", "rozpísané", // Czech, Slovak
		"piszkozat", "piszkozatok", "vázlatok", // Hungarian
		"ciorne", "schițe", "schiţe", // Romanian
		"taslak", "taslaklar", // Turkish
		"πρόχειρο", "πρόχειρα", // Greek
		"черновики", "чернетки", // Russian, Ukrainian
		"草稿", "草稿箱", "草稿夾", "草稿匣", // Chinese
		"下書き",                         // Japanese
		"임시보관함", "임시보관", "임시저장", "초안", // Korean
		"المسودات", "مسودات", "مسودة", // Arabic
		"טיוטה", "טיוטות": // Hebrew
		return true
	}
	return false
}

func isOutboxName(name string) bool {
	switch name {
	case "outbox", "unsent", "unsentmessages", // English
		"postausgang", "boîtedenvoi", "bandejadesalida", "postainuscita", // German, French, Spanish, Italian
		"caixadesaída", "postvakuit", "utkorg", "utkorgen", "utboks", "udbakke", // Portuguese, Dutch, Swedish, Norwegian, Danish
		"lähtevät", "skrzynkanadawcza", "doodesłania", // Finnish, Polish
		"poštakodeslání", "kodeslání", "naodoslanie", "poštanaodoslanie", // Czech, Slovak
		"postázandó", "postázandóüzenetek", "kimenőlevelek", "deexpediat", "gidenkutusu", // Hungarian, Romanian, Turkish
		"εξερχόμενα", "исходящие", "вихідні", // Greek, Russian, Ukrainian
		"发件箱", "寄件匣", "待发送", "送信トレイ", "送信待ち", "보낼편지함", // Chinese, Japanese, Korean
		"صندوقالصادر", "البريدالصادر", "علبةالصادر", "דואריוצא", "תיבתדואריוצא": // Arabic, Hebrew
		return true
	}
	return false
}

func isTemplatesName(name string) bool {
	switch name {
	case "template", "templates", "vorlagen", "modèles", "plantillas", "modelli", "modelos", // English, German, French, Spanish, Italian, Portuguese
		"sjablonen", "mallar", "maler", "skabeloner", "mallit", "viestipohjat", // Dutch, Swedish, Norwegian, Danish, Finnish
		"szablony", "šablony", "šablóny", "sablonok", "șabloane", "şabloane", "şablonlar", // Polish, Czech, Slovak, Hungarian, Romanian, Turkish
		"πρότυπα", "шаблоны", "шаблони", // Greek, Russian, Ukrainian
		"模板", "範本", "テンプレート", "ひな形", "템플릿", "서식", "قوالب", "القوالب", "תבניות": // Chinese, Japanese, Korean, Arabic, Hebrew
		return true
	}
	return false
}

func isSentName(name string) bool {
	switch name {
	case "sent", "sentitems", "sentmail", "sentmails", "sentmessages", "sentemail", // English
		"gesendet", "gesendeteelemente", "gesendeteobjekte", "gesendetenachrichten", // German
		"envoyé", "envoyés", "élémentsenvoyés", "messagesenvoyés", "courriersenvoyés", // French
		"enviado", "enviados", "elementosenviados", "mensajesenviados", "correoenviado", "correosenviados", // Spanish
		"inviata", "inviati", "postainviata", "elementiinviati", // Italian
		"enviadas", "itensenviados", "mensagensenviadas", "emailsenviados", // Portuguese
		"verzonden", "verzondenitems", "verzondenberichten", // Dutch
		"skickat", "skickade", "skickadeobjekt", "skickademeddelanden", // Swedish
		"sendt", "sendte", "sendteelementer", "sendtpost", "sendtemeldinger", // Norwegian, Danish
		"lähetetyt", "lähetetytviestit", "lähetetytkohteet", // Finnish
		"wysłane", "elementywysłane", "wysłanewiadomości", // Polish
		"odeslané", "odeslanápošta", "odoslané", "odoslanápošta", // Czech, Slovak
		"elküldött", "elküldöttelemek", "elküldöttlevelek", "elküldöttüzenetek", // Hungarian
		"trimise", "mesajetrimise", "elementetrimise", // Romanian
		"gönderilmiş", "gönderilmişöğeler", "gönderilen", "gönderilenler", "gönderilmişpostalar", // Turkish
		"απεσταλμένα", "σταλμένα", "σταλθέντα", // Greek
		"отправленные", "отправлено", "надіслані", "відправлені", // Russian, Ukrainian
		"已发送", "已发送邮件", "已发邮件", "已发送项目", "已發送", "已傳送郵件", "寄件備份", // Chinese
		"送信済み", "送信済みメール", "送信済みアイテム", "送信済みトレイ", // Japanese
		"보낸편지함", "보낸메일함", "보낸편지", "보낸항목", // Korean
		"المرسل", "المرسلة", "البريدالمرسل", "العناصرالمرسلة", "الرسائلالمرسلة", // Arabic
		"נשלחו", "דוארשנשלח", "פריטיםשנשלחו": // Hebrew
		return true
	}
	return false
}

func isArchiveName(name string) bool {
	switch name {
	case "archive", "archives", "archived", "archiv", "archivés", "archivo", "archivados", "archivio", // English, German, French, Spanish, Italian
		"arquivo", "arquivos", "arquivadas", "archief", "gearchiveerd", "arkiv", "arkiverat", // Portuguese, Dutch, Swedish, Norwegian, Danish
		"arkisto", "archiwum", "archív", "archívum", "archivált", "arhivă", "arhiva", "arşiv", // Finnish, Polish, Slovak, Hungarian, Romanian, Turkish
		"αρχείο", "αρχειοθήκη", "архив", "архів", // Greek, Russian, Ukrainian
		"归档", "存档", "封存", "典藏", "アーカイブ", "보관함", "보관", "أرشيف", "الأرشيف", "ארכיון": // Chinese, Japanese, Korean, Arabic, Hebrew
		return true
	}
	return false
}
