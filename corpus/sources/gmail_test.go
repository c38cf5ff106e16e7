package sources

import (
	"maps"
	"mime"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"chaff/test/tabletest"
)

func TestLabelsOfGmail(t *testing.T) {
	rows := [][3]string{
		{"the inbox", "Inbox,Unread", "ham"},
		{"no label", "", "ham"},
		{"a label of the user", "Important,Work/Spam filters", "ham"},
		{"spam", "Spam,Category Promotions,Unread", "spam"},
		{"spam that was deleted", "Spam,Trash", "left out"},
		{"sent", "Sent,Opened", "left out"},
		{"a draft", "Drafts", "left out"},
		{"in quotes", `"Category: a","Spam"`, "spam"},
		{"encoded and folded", "=?UTF-8?Q?=D0=A1=D0=BF=D0?= =?UTF-8?Q?=B0=D0=BC,=D0=92=D0=B0=D0=B6=D0=BD=D0=BE?=", "spam"},
		{"in base64", mime.BEncoding.Encode("UTF-8", "Nicht gelesen,Entwürfe"), "left out"},
		{"in an unknown charset", "=?x-a?Q?Spam?=", "ham"},
	}
	for language, labels := range map[string][3]string{
		"German": {"Spam", "Papierkorb", "Gesendet"}, "French": {"Spam", "Corbeille", "Messages envoyés"}, "Swedish": {"Skräppost", "Papperskorgen", "Skickat"},
		"Norwegian": {"Søppelpost", "Papirkurv", "Sendt"}, "Finnish": {"Roskaposti", "Roskakori", "Lähetetyt"}, "Russian": {"Спам", "Корзина", "Отправленные"},
		"Ukrainian": {"Спам", "Кошик", "Надіслані"}, "Greek": {"Ανεπιθύμητα", "Κάδος απορριμμάτων", "Απεσταλμένα"}, "Turkish": {"Spam", "Çöp Kutusu", "Gönderilmiş Postalar"},
		"Chinese": {"垃圾邮件", "已删除邮件", "已发邮件"}, "Japanese": {"迷惑メール", "ゴミ箱", "送信済み"}, "Korean": {"스팸함", "휴지통", "보낸편지함"},
		"Thai": {"จดหมายขยะ", "ถังขยะ", "จดหมายที่ส่งแล้ว"}, "Hebrew": {"ספאם", "אשפה", "נשלח"}, "Vietnamese": {"Thư rác", "Thùng rác", "Đã gửi"},
		"Italian": {"Spam", "Cestino", "Inviati"}, "Spanish": {"Spam", "Papelera", "Enviados"}, "Portuguese": {"Spam", "Lixeira", "E-mails enviados"},
	} {
		for i, want := range []string{"spam", "left out", "left out"} {
			rows = append(rows, [3]string{language + ": " + labels[i], mime.QEncoding.Encode("UTF-8", "Label,"+labels[i]), want})
		}
	}
	tabletest.Strings(t, gmailLabel, rows)
}

// TestMailOfGmailIsWhatItsLabelsSay reads an mbox of Google Takeout.
func TestMailOfGmailIsWhatItsLabelsSay(t *testing.T) {
	const name = "All mail Including Spam and Trash.mbox"
	path := filepath.Join("..", "..", "test", "cases", "14-gmail-labels", name)
	mail, err := OpenLabelled(path, Options{})
	must(t, err)
	if want := path + ": mbox with X-Gmail-Labels, 2 ham, 2 spam, 2 in Sent, Drafts or Trash"; mail.Notes[0] != want {
		t.Errorf("got %q, want %q", mail.Notes, want)
	}
	var got []string
	for _, item := range itemsOf(t, mail.Source) {
		_, number, _ := strings.Cut(item.Origin, name)
		got = append(got, item.Label+number)
	}
	check(t, "", got, []string{"ham#1", "spam#2", "ham#3", "spam#4"})
}

func TestOnlyGmailGivesLabels(t *testing.T) {
	const from, end = "From 1@xxx Thu Aug 22 12:36:23 +0000 2002\n", "From: a\n\nb\n\n"
	root := tree(t, map[string]string{
		"folded": from + "X-GM-THRID: 1\nX-Gmail-Labels: Important,\n =?UTF-8?Q?Spam,?=\n\tUnread\n" + end + from + end,
		"later":  from + "X-Gmail-Labels: Important,\nSubject: a\n Spam\n" + end,
		"twice":  from + "X-Gmail-Labels: Spam\nX-Gmail-Labels: Trash\n" + end,
		"sender": from + "Received: by b\nX-Gmail-Labels: Spam\n" + end,
		"second": from + end + from + "X-Gmail-Labels: Spam\n" + end,
		"long":   from + "X-Gmail-Labels: " + strings.Repeat("a,\n ", maxLabels) + "Spam\n" + end,
	})
	for name, want := range map[string]map[string]int{
		"folded": {"spam": 1, "ham": 1}, "later": {"ham": 1}, "twice": {"spam": 1}, "sender": nil, "second": nil, "long": {"ham": 1},
	} {
		p, err := find(system{}, filepath.Join(root, name), nil)
		must(t, err)
		if counts := p.countGmail(); !maps.Equal(counts, want) {
			t.Errorf("%s: got %v, want %v", name, counts, want)
		}
	}
}

// Google packs what it exports into a folder in an archive, with a page about it and the files of other programs. A mailbox without labels is not ham.
func TestLabelsOfGmailCountInFoldersAndArchives(t *testing.T) {
	const from, end = "From 1@xxx Thu Aug 22 12:36:23 +0000 2002\n", "From: a\n\nb\n\n"
	const name, mbox = "Takeout/Mail/All mail.mbox", from + "X-Gmail-Labels: Spam\n" + end + from + "X-Gmail-Labels: Inbox\n" + end + from + "X-Gmail-Labels: Trash\n" + end
	const page, other, junk = "Takeout/archive_browser.html", "Takeout/Drive/letter.eml", "Takeout/junk.mbox"
	entries := []entry{{name: other, text: "From: a\n\nb\n"}, {name: page, text: "<html>"}, {name: name, text: mbox}, {name: junk, text: from + end + from + end}}
	files := map[string]string{}
	for _, e := range entries {
		files[e.name] = e.text
	}
	paths := map[string]string{"folder": filepath.Join(tree(t, files), "Takeout")}
	for kind, archive := range inBoth(t, entries...) {
		paths[kind] = filepath.Join(tree(t, map[string]string{"all": archive}), "all")
	}
	for about, path := range paths {
		mail, err := OpenLabelled(path, Options{})
		must(t, err)
		if want := "with X-Gmail-Labels, 1 ham, 1 spam, 1 in Sent, Drafts or Trash; mail without these labels is left out"; !strings.HasSuffix(mail.Notes[0], want) {
			t.Errorf("%s: got %q, want %q", about, mail.Notes, want)
		}
		var got []string
		for _, item := range itemsOf(t, mail.Source) {
			got = append(got, item.Label)
		}
		check(t, about, got, []string{Spam, Ham})
		mail, err = OpenLabelled(path, Options{Label: Ham})
		if must(t, err); len(mail.Warnings) != 1 || !strings.Contains(mail.Warnings[0], "X-Gmail-Labels has 1 spam and 1 in Sent, Drafts or Trash, and --ham takes them for ham") {
			t.Errorf("%s: got %q", about, mail.Warnings)
		}
	}
}

// FuzzLabelsOfGmail requires that the order of labels, and labels of the user, do not count.
func FuzzLabelsOfGmail(f *testing.F) {
	f.Add("Spam,Trash", "Inbox")
	f.Add("=?UTF-8?Q?Спам?=", "\" Drafts\"")
	f.Fuzz(func(t *testing.T, one, other string) {
		label := gmailLabel(one + "," + other)
		if !slices.Contains([]string{"ham", "spam", "left out"}, label) {
			t.Errorf("got %q", label)
		}
		if strings.Contains(one+","+other, "=?") {
			return
		}
		for _, again := range []string{other + "," + one, "My Label," + one + "," + other} {
			if got := gmailLabel(again); got != label {
				t.Errorf("%q: got %q, want %q", again, got, label)
			}
		}
	})
}
