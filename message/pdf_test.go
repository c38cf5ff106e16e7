package message_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"chaff/message"
)

// smallPDF shows a text and has a link.
const smallPDF = "%PDF-1.4\n1 0 obj<</Type/Annot/A<</S/URI/URI(http://pay.example/)>>>>endobj\n" +
	"2 0 obj<</Length 20>>stream\nBT /F1 12 Tf 10 10 Td (Pay now) Tj ET\nendstream endobj\n"

func TestPDFsUnpackToALimit(t *testing.T) {
	var raw strings.Builder
	raw.WriteString("Content-Type: application/pdf\nContent-Transfer-Encoding: quoted-printable\n\n%PDF-1.4\n")
	bomb := strings.NewReplacer("\n", "=0A", "\r", "=0D", "=", "=3D").Replace(deflatedText(strings.Repeat("BT (word) Tj ET\n", 512<<10)))
	for i := range 20 {
		fmt.Fprintf(&raw, "%d 0 obj<</Filter/Fl>>stream\n%s\nendstream endobj\n", i, bomb)
	}
	o := message.DefaultOptions()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m := message.NewDecoder(o).Decode([]byte(raw.String()))
	runtime.ReadMemStats(&after)
	check(t, m, o, raw.Len())
	const most = 80 << 20 // growing slices included
	if len(m.Parts[0].Text) == 0 && len(m.Parts[0].Hidden) == 0 {
		t.Error("nothing was unpacked")
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > most {
		t.Errorf("%d bytes of PDF took %d of memory, want at most %d", raw.Len(), took, most)
	}
}
