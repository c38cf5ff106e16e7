package tokenize

import "testing"

func TestTheFieldOfATermAndTheSettingThatLeavesItOut(t *testing.T) {
	tests := []struct{ term, field, setting string }{
		{"header:X-Foo", "x-foo", "ignore_headers=x-foo"},
		{"x-foo:17", "x-foo", "ignore_headers=x-foo"},
		{"value:x-foo:1:7", "x-foo", "ignore_headers=x-foo"},
		{"shape:x-foo:9", "x-foo", "ignore_headers=x-foo"},
		{"shape:message-id:<9", "message-id", "ignore_headers=message-id"},
		{"shape:boundary:=_9", "content-type", "ignore_headers=content-type"},
		{"mime:text/plain;charset", "content-type", "ignore_headers=content-type"},
		{"step:from host", "received", "ignore_headers=received"},
		{"zone:+0100", "date", "ignore_headers=date"},
		{"same:reply-to:no", "reply-to", "ignore_headers=reply-to"},
		{"missing:to", "to", "ignore_headers=to"},
		{"order:X-Foo>Subject", "x-foo", "ignore_headers=x-foo"},
		{"order:^>X-Foo", "x-foo", "ignore_headers=x-foo"},
		{"order:From>Date", "", "structure=false"},
		{"outline:text/plain", "", "structure=false"},
		{"subject:run", "subject", "ignore_headers=subject"},
		{"attached-subject:run", "subject", "ignore_headers=subject"},
		{"header:X-It's*Odd,Name", "x-it's*odd,name", "ignore_headers=x-it?s?odd?name"},
		{"body:word", "", ""},
		{"host:a.example", "", ""},
		{"type:text/plain", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.term, func(t *testing.T) {
			if got := FieldOf(tt.term); got != tt.field {
				t.Errorf("got the field %q, want %q", got, tt.field)
			}
			if got := DefaultOptions().Without(tt.term); got != tt.setting {
				t.Errorf("got the setting %q, want %q", got, tt.setting)
			}
		})
	}
	o := DefaultOptions()
	o.IgnoreHeaders = []string{"x-a", "x-b*"}
	if got, want := o.Without("x-foo:17"), "ignore_headers=x-a,x-b*,x-foo"; got != want {
		t.Errorf("beside other fields: got %q, want %q", got, want)
	}
}
