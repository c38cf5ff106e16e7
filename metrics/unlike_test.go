package metrics

import "testing"

func TestUsual(t *testing.T) {
	values := make([]float64, 200) // 0.000 to 0.199, the greatest first
	for i := range values {
		values[i] = float64(199-i) / 1000
	}
	u := NewUsual(values)
	if u.Messages != 200 || !close9(u.Mean, 0.0995) || !close9(u.Deviation*u.Deviation*1e6, (200*200-1)/12.) || !close9(u.High, 0.197) {
		t.Errorf("got %+v", u)
	}
	if u.IsUnlike(0.21) || !u.IsUnlike(0.22) {
		t.Error("a message is unlike the others only above what one in a hundred exceeds")
	}
	if few := NewUsual(values[:19]); few != (Usual{}) || few.IsUnlike(1) {
		t.Errorf("19 messages say what is usual: %+v", few)
	}
}

func TestUnlikeTakesManyMessagesThatDeviate(t *testing.T) {
	usual := Usual{Messages: 100, Mean: 0.2, Deviation: 0.1, High: 0.5}
	for _, test := range []struct {
		name     string
		messages int
		novelty  float64
		usual    Usual
		want     string
	}{
		{"too few", 19, 0.9, usual, ""},
		{"enough", 20, 0.31, usual,
			"20 messages are unlike the mail that the model learned: 31% of their terms are new to it, where 20% is usual; its guarantee does not hold for them"},
		{"within a deviation", 1000, 0.29, usual, ""},
		{"less new than usual", 1000, 0, usual, ""},
		{"nothing is known to be usual", 1000, 0.9, Usual{}, ""},
		{"mail that is all alike", 1000, 0.21, Usual{Messages: 100, Mean: 0.2, High: 0.2}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var u Unlike
			for range test.messages {
				u.Add(test.novelty, test.usual)
			}
			if got := u.String(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	var u Unlike
	for range 200 {
		u.Add(0.9, usual)
	}
	for u.Messages() >= 20 {
		u.Fade()
	}
	for range 200 {
		u.Add(0.2, usual)
	}
	if u.String() != "" {
		t.Errorf("messages of long ago still count: %s", &u)
	}
}
