package lesson

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestEachLessonFitsAScreenAndTakesASecond(t *testing.T) {
	pictures := 0
	for _, l := range All() {
		t.Run(l.Name, func(t *testing.T) {
			began := time.Now()
			text, picture, err := l.Show(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if picture != nil {
				pictures++
				if svg := picture.Plot().SVG(); !bytes.HasPrefix(svg, []byte("<?xml")) {
					t.Errorf("the picture is %.40q", svg)
				}
			}
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("it takes %v", took)
			}
			lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			if len(lines) > 24 {
				t.Errorf("%d lines", len(lines))
			}
			for _, line := range lines {
				if utf8.RuneCountInString(line) > 80 {
					t.Errorf("%d columns: %s", utf8.RuneCountInString(line), line)
				}
			}
			t.Log("\n" + text)
		})
	}
	if pictures != 6 { // as docs/lectures.md says
		t.Errorf("%d lessons have a picture", pictures)
	}
}

func TestTheCodeOfEachLessonIsWhereItSays(t *testing.T) {
	names := map[string]bool{}
	for _, l := range All() {
		if names[l.Name] {
			t.Errorf("two lessons are named %s", l.Name)
		}
		names[l.Name] = true
		for _, place := range strings.Split(l.Code, ", ") {
			file, name, _ := strings.Cut(place, " ")
			source, err := os.ReadFile(filepath.Join("..", "..", file))
			if _, method, is := strings.Cut(name, "."); is {
				name = method
			}
			if err != nil || !bytes.Contains(source, []byte(name)) {
				t.Errorf("%s: %s is not in %s (%v)", l.Name, name, file, err)
			}
		}
	}
}

var update = flag.Bool("update", false, "write the table of lessons into docs/lectures.md")

func TestThePageOfTheLecturesHasAllLessons(t *testing.T) {
	const begin, end = "<!-- lessons -->\n", "<!-- end of lessons -->"
	path := filepath.Join("..", "..", "docs", "lectures.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(page), begin)
	shown, after, found := strings.Cut(rest, end)
	if !found {
		t.Fatalf("%s has no place for the table", path)
	}
	var table strings.Builder
	table.WriteString("\n| `chaff lesson` | lecture | formula | code |\n|---|---|---|---|\n")
	for _, l := range All() {
		var code []string
		for _, place := range strings.Split(l.Code, ", ") {
			file, name, _ := strings.Cut(place, " ")
			if name == "" {
				name = filepath.Base(file)
			}
			code = append(code, fmt.Sprintf("[%s](../%s)", name, file))
		}
		fmt.Fprintf(&table, "| `%s`: %s | %s | `%s` | %s |\n", l.Name, l.Title, l.Source, strings.ReplaceAll(l.Formula, "|", `\|`), strings.Join(code, ", "))
	}
	table.WriteString("\n")
	if shown == table.String() {
		return
	}
	if !*update {
		t.Fatalf("%s has another table; go test ./evaluate/lesson -update writes it", path)
	}
	if err := os.WriteFile(path, []byte(before+begin+table.String()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
