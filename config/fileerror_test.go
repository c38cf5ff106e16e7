package config

import "testing"

func TestAFaultInAFileHasItsLine(t *testing.T) {
	for _, tt := range []struct{ name, file, text, want string }{
		{"a value is missing in TOML", "a.toml", "model = \"votes\"\nseed = \n", `, line 2, column 8: incomplete number: seed =`},
		{"a mapping in a mapping of YAML", "a.yaml", "seed: 1\nmodel: b: c\n", `, line 2: mapping values are not allowed in this context: model: b: c`},
		{"the first line of YAML", "a.yml", "model: b: c\n", `, line 1: mapping values are not allowed in this context: model: b: c`},
		{"a comma too many in JSON", "a.json", "{\n \"seed\": 1,\n}\n", `, line 3, column 1: invalid character '}' looking for beginning of object key string: }`},
		{"the end is missing in JSON", "b.json", "{\"seed\": 1", `, line 1, column 10: unexpected end of JSON input: {"seed": 1`},
		{"a long line is cut", "b.toml", "seed = \"0123456789012345678901234567890123456789012345678901234567890123456789\n", `, line 1, column 79: basic strings cannot have new lines: seed = "0123456789012345678901234567890123456789012345678901...`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := written(t, tt.file, tt.text)
			_, err := Load(Sources{File: path})
			if want := "configuration " + path + tt.want; err == nil || len(err.Error()) < len(want) || err.Error()[:len(want)] != want {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
	if _, err := Load(Sources{File: t.TempDir()}); err == nil {
		t.Error("a folder was read as a configuration")
	}
}
