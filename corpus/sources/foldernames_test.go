package sources

import (
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// TestNamesOfFoldersInTheLanguagesOfMailPrograms has the names of the folders for junk, trash, drafts, sent mail and the
// archive as programs write them.
func TestNamesOfFoldersInTheLanguagesOfMailPrograms(t *testing.T) {
	languages := map[string][5]string{
		"English":                {"Junk E-Mail", "Deleted Items", "Drafts", "Sent Items", "Archive"},
		"German":                 {"Spamverdacht", "Gelöschte Elemente", "Entwürfe", "Gesendete Elemente", "Archiv"},
		"French":                 {"Courrier indésirable", "Éléments supprimés", "Brouillons", "Éléments envoyés", "Archives"},
		"Spanish":                {"Correo no deseado", "Elementos eliminados", "Borradores", "Elementos enviados", "Archivo"},
		"Italian":                {"Posta indesiderata", "Posta eliminata", "Bozze", "Posta inviata", "Archivio"},
		"Portuguese":             {"Lixo Eletrônico", "Itens Excluídos", "Rascunhos", "Itens Enviados", "Arquivo"},
		"Dutch":                  {"Ongewenste e-mail", "Verwijderde items", "Concepten", "Verzonden items", "Archief"},
		"Swedish":                {"Skräppost", "Borttagna objekt", "Utkast", "Skickade objekt", "Arkiv"},
		"Norwegian":              {"Søppelpost", "Slettede elementer", "Kladd", "Sendte elementer", "Arkiv"},
		"Danish":                 {"Uønsket post", "Slettet post", "Kladder", "Sendt post", "Arkiv"},
		"Finnish":                {"Roskaposti", "Poistetut", "Luonnokset", "Lähetetyt", "Arkisto"},
		"Polish":                 {"Wiadomości-śmieci", "Elementy usunięte", "Kopie robocze", "Elementy wysłane", "Archiwum"},
		"Czech":                  {"Nevyžádaná pošta", "Odstraněná pošta", "Koncepty", "Odeslaná pošta", "Archiv"},
		"Hungarian":              {"Levélszemét", "Törölt elemek", "Piszkozatok", "Elküldött elemek", "Archívum"},
		"Romanian":               {"E-mail nedorit", "Elemente șterse", "Schițe", "Elemente trimise", "Arhivă"},
		"Turkish":                {"İstenmeyen E-posta", "Silinmiş Öğeler", "Taslaklar", "Gönderilmiş Öğeler", "Arşiv"},
		"Turkish, with two dots": {"i\u0307stenmeyen e-posta", "silinmiş öğeler", "taslaklar", "gönderilmiş öğeler", "arşiv"},
		"Greek":                  {"Ανεπιθύμητη αλληλογραφία", "Διαγραμμένα", "Πρόχειρα", "Απεσταλμένα", "Αρχειοθήκη"},
		"Russian":                {"Нежелательная почта", "Удаленные", "Черновики", "Отправленные", "Архив"},
		"Ukrainian":              {"Небажана пошта", "Видалені", "Чернетки", "Надіслані", "Архів"},
		"Chinese, simplified":    {"垃圾邮件", "已删除邮件", "草稿箱", "已发送邮件", "归档"},
		"Chinese, traditional":   {"垃圾郵件", "刪除的郵件", "草稿", "寄件備份", "封存"},
		"Japanese":               {"迷惑メール", "削除済みアイテム", "下書き", "送信済みアイテム", "アーカイブ"},
		"Korean":                 {"정크 메일", "지운 편지함", "임시 보관함", "보낸 편지함", "보관함"},
		"Arabic":                 {"البريد العشوائي", "العناصر المحذوفة", "المسودات", "العناصر المرسلة", "الأرشيف"},
		"Hebrew":                 {"דואר זבל", "פריטים שנמחקו", "טיוטות", "פריטים שנשלחו", "ארכיון"},
		"Gmail, in English":      {"[Gmail].Spam", "[Gmail].Trash", "[Gmail].Drafts", "[Gmail].Sent Mail", "Archive"},
		"Gmail, in German":       {"[Google Mail].Spam", "[Gmail].Papierkorb", "[Gmail].Entwürfe", "[Gmail].Gesendet", "Archiv"},
		"below the inbox":        {"INBOX.Junk", "INBOX.Trash", "INBOX.Drafts", "INBOX.Sent", "INBOX.Archives.2004"},
		"with capitals":          {"SPAM", "TRASH", "DRAFTS", "SENT", "ARCHIVE"},
		"GMX, in modified UTF-7": {"Spamverdacht", "Gel&APY-scht", "Entw&APw-rfe", "Gesendet", "Archiv"},
	}
	want := [5]string{"spam", "deleted mail", "drafts", "sent mail", "archive"}
	for language, names := range languages {
		t.Run(language, func(t *testing.T) {
			for i, name := range names {
				for _, form := range []string{name, norm.NFD.String(name), encodeMUTF7(t, name)} {
					if strings.Contains(name, "&") {
						form = name
					}
					why := want[i]
					if name == "INBOX.Archives.2004" {
						why = ""
					}
					checkLabel(t, "."+form, [5]string{Spam, LeftOut, LeftOut, Ham, Ham}[i], why)
				}
			}
		})
	}
}

func TestNamesOfOtherFolders(t *testing.T) {
	for why, names := range map[string][]string{
		"mail to be sent": {"Outbox", "queue", "Postausgang", "Boîte d'envoi", "Boîte d’envoi", "Bandeja de salida", "Исходящие", "发件箱", "送信トレイ", "보낼 편지함", "Utkorgen"},
		"unsure mail":     {"Unsure", "unsure-bogofilter", "Junk Suspects", "Spam.Unsure", "Quarantine", "QUARANTAINE", "Quarantäne"},
		"deleted mail":    {"EXPUNGED"},                                // of the plugin lazy_expunge of Dovecot
		"drafts":          {"postponed", "postponed-msgs", "draftbox"}, // of mutt, Pine and Balsa
		"templates":       {"Templates", "Vorlagen", "Modèles", "Plantillas", "Шаблоны", "テンプレート", "Šablony", "Şablonlar"},
	} {
		for _, name := range names {
			checkLabel(t, "."+name, LeftOut, why)
		}
	}
	for _, name := range []string{"INBOX", "Inbox", "Posteingang", "Boîte de réception", "All Mail", "Alle Nachrichten", "Входящие", "收件箱"} {
		if !UseOf([]string{name}).Incoming {
			t.Errorf("%s is not taken for mail as it came in", name)
		}
	}
	for _, name := range []string{"Brossa", "Baztergarria", "Непотріб", "Uønsket", "Önemsiz", "Søppel", "Nechtěná", "Correo lixo", "Brukalas", "Ђубре"} { // of Evolution and Geary
		checkLabel(t, "."+name, Spam, "spam")
	}
	for _, name := range []string{"Zakarrontzia", "Smeti", "Сметніца", "Müll", "Szemét", "垃圾", "Messaggi eliminati", "Smazané položky", "wastebin", "šiukšlinė"} { // of these and KMail
		checkLabel(t, "."+name, LeftOut, "deleted mail")
	}
	for _, name := range []string{"spam-bogofilter", "almost-certainly-spam", "caughtspam", "Missed spam", "LearnSpam", "train-spam", "spamtrap"} { // of filters
		checkLabel(t, "."+name, Spam, "spam")
	}
	for _, name := range []string{"Spamassassin", "Spam report", "LearnHam", "junkyard", "Project", "Sentinel", "Archivists", "Kunden", "Todos"} {
		if use := UseOf([]string{name}); use != (Use{Label: Ham}) {
			t.Errorf("%s: got %v, want ordinary ham", name, use)
		}
	}
}

func TestASecondFolderAndACopyOfOneHaveItsUse(t *testing.T) {
	for _, mark := range []string{"-1", "1", " 2", " (2)", " 2004", ".bak", "-old", ".sync-conflict-20240101-120000-ABCDEFG", " (conflicted copy 2024-01-01)", " (John's conflicted copy 2024-01-01)"} {
		for name, want := range map[string]Use{"Junk Email": {Label: Spam, Reason: "spam"}, "Trash": {Label: LeftOut, Reason: "deleted mail"}, "Lists": {Label: Ham}} {
			if use := UseOf([]string{name + mark}); use != want {
				t.Errorf("%s: got %v, want %v", name+mark, use, want)
			}
		}
	}
	for _, name := range []string{"2004", "Junk (false positives)", "Spam (not)", "Trash cans", "spam-l", "old", "(2)"} {
		if use := UseOf([]string{name}); use != (Use{Label: Ham}) {
			t.Errorf("%s: got %v, want ordinary ham", name, use)
		}
	}
}

func TestAFolderInAFolderThatIsNotHamIsNotHam(t *testing.T) {
	checkLabel(t, ".Trash.Sent", LeftOut, "in a folder of deleted mail")
	checkLabel(t, ".Expunged.INBOX", LeftOut, "in a folder of deleted mail")
	checkLabel(t, ".Spamtrap.INBOX", Spam, "in a folder of spam") // of an account
	checkLabel(t, ".Spam.Archive", Spam, "in a folder of spam")
	checkLabel(t, ".Junk.2004", Spam, "in a folder of spam")
	checkLabel(t, ".Junk.Not spam", LeftOut, "in a folder of spam")
	checkLabel(t, ".Спам.Не спам", LeftOut, "in a folder of spam")
	checkLabel(t, ".Spam.Kein Spam", LeftOut, "in a folder of spam")
	checkLabel(t, ".Junk.false-positives", LeftOut, "in a folder of spam")
	checkLabel(t, ".Junk.Sent", LeftOut, "in a folder of spam")
	checkLabel(t, ".Trash.Junk.2004", LeftOut, "in a folder of deleted mail")
	checkLabel(t, ".Trash.Spam", Spam, "spam")
	checkLabel(t, ".Spam.Trash", LeftOut, "deleted mail")
	checkLabel(t, ".Archive.Lists", Ham, "")
}

func TestTheNamesOfFoldersAreRead(t *testing.T) {
	names := folderNames()
	if len(names) < 840 {
		t.Errorf("there are only %d names", len(names))
	}
	sections := map[string]bool{}
	for name, section := range names {
		if sections[section] = true; name == "" || section == "" {
			t.Errorf("the name %q is in the section %q", name, section)
		}
	}
	if len(sections) != 9 {
		t.Errorf("got the sections %v, want 9", sections)
	}
}
