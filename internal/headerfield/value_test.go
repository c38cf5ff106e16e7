package headerfield

import (
	"bytes"
	"strings"
	"testing"
)

// Most values are those of filters in use: ESET, Fastmail, mox, Mail.ru, Proofpoint, IronPort, rspamd, SpamAssassin, MailScanner, GMX, Vade,
// Cisco, Trend Micro, WatchGuard, Free, MailChannels, CRM114 and others.
func TestAVerdictIsKnownByItsValue(t *testing.T) {
	for _, value := range []string{
		`P(spam)=0.998`, `unsure; spamicity 0.5`, `spamicity=0.5`, `12.3/5.0 tests=A,B`, `2.1/5.0 (42%)`, `IIIIIIII`, `whitelist`, `non-spam`, `greylisted`,
		`R=SPAM;S=100`, `R=OK;S=0;OP=CALC;TIME=1733155084;VERSION=7982;MC=1451083861;ID=157285;TRN=0;CRV=0;IPC=;SP=0;SIPS=0;PI=3;F=0`,
		`clean, is OK`, `spam`, `clean`, `Ok`, `Server passes SPF test, -30 Spam score`, `Server passes DKIM test, -20 Spam score`,
		`No reverse DNS for mailserver at 205.185.124.50, +70 Spam score`, `Suspect`, `Junk`, `[Scored]`, `-4.5`, `22.1/5.0`, `5.2 / 15.0`,
		`default: False [0.20 / 15.00]`, `score=22.1 required=5.0`, `No, score=-1.9 required=5.0 tests=BAYES_00`, `No, hits=0.3 required=7.0`,
		`Yes, 15.2`, `******`, `*`, `ssssss`, `xxxxx`, `+++`, `---`, `-100`, `+3.5`, `99%`, `8.5 %`, `Found to be clean`, `not spam`,
		`This mail is considered clean`, `0 (Mail was not recognized as spam)`, `Found to be infected`, `notjunk:1;M01:P0:+wmYCCyA8nA=;G0Y3RP`,
		`state=HAM score=0`, `sc=0.00;st=legit`, `rule=notspam policy=default score=4`, `LEGIT`, `LEGITIMATE`, `Innocent`, `Whitelisted`,
		`Blacklisted`, `Neutral`, `Bad`, `Good`, `PASS`, `Pass (sender SPF authorized)`, `spf=pass dkim=none`, `CLEAN(1.2)`, `legit; details`,
		`0, clean; 0, virus threat unknown`, `Probable Spam`, `POSSIBLE_SPAM`, `Suspected Spam`, `likely spam (87%)`, `Virus-Free`,
		`no virus found`, `Message is not spam`, `Spam detected`, `spam, score 7.3`, `SCL:5`, `0.999 spam`, `ham (0.02)`, `Good ( pR: 10.1 )`,
		`Unsure`, `uncategorized`, `not_detected`, `nothreat`, `nothreat;none;none;none`, `SKIPPED(no attachment in message)`, `FILE CLEAN`,
		`Negative`, `junk-content`, `signer='creativeforu.cam' status='pass' reason=''`, `score=10/49, host=mail`, `Score 0 (Very Low)`,
		`probability=0.1`, `5.1 points, 5.0 required`, `(22.1 points, 5.0 required)`, `score: 12`, `Spam (score 7.2)`, `Checked by ClamAV`,
		`Scanned by MIMEDefang 2.78`, `spam;7.5`, `YES (7.3)`, `No--4.567-5.0-31-10`, `10--12.345600-10.000000`, `verdict=spam`,
		`result: "clean"`, `malicious`, `phishing`, `[SPAM]`, `SPAM!`, `"spam"`, `<spam>`, `is spam`, `100 spam`, `High confidence spam`,
		`GreyMail`, `bulk`, `Tagged as spam by our filter`, `weight=12; verdict: junk`, `Junk; score=12`, `0.12 (ham)`,
		`{"verdict":"spam","score":12}`, `Medium (score 45)`, `spam-high`, `clean / 0.3`, `3.1 of 5.0`, `7.0 (>= 5.0)`, `7.2 > 5.0`, `not junk`,
		`allowed`, `kein Spam`, `ClamAV: clean`, `AcmeGuard: message is ok`, `Rating: 5.2 / 10.0`, `-12.34`, `{"verdict":"spam","by":"engine"}`, `default: False [-4.65 / 25.00]; WHITELIST_SPF_DKIM(-3.00)[example.org:d:+]`,
	} {
		if !IsAdded([]byte("x-foo"), []byte(value)) {
			t.Errorf("%q is no verdict", value)
		}
	}
	for _, value := range []string{
		``, `12345`, `3`, `1.0`, `yes`, `no`, `Normal`, `en-us`, `Linux 2.4.18-5 i686`, `Pegasus Mail for Windows (v4.01)`, `2/5`, `+0100`,
		`https://example.org/spam`, `spam@example.org`, `Please report spam here: http://abuse.example.com/report`, `Report abuse to list owner`,
		`mailchimp49f9b64427a60f2ee6aa39eec.e620f85fd2`, `Ham radio operators of Sweden`, `all good`, `Foo/1.0`, `Clean Energy Inc`, `Good Food Ltd`, `2024-01-05`,
		`+49 30 1234567`, `Try using a real operating system`, `The quick brown fox`, `"Good morning"`,
		`v=1; a=rsa-sha256; d=good.example; s=ok1`, `id=123; list=bulk1`,
		`id=abc; list=users`, `turkey , roast beef , ham , salad`, `assistance required`, `h=checked-in-group:x; t=5`, `Level 3`, `22`, `-`, `-)`,
		`1567512-15`, `2.0 (1.5 beta)`, `30 - 11 : 30 lunch`, `1.5 2`, `31 / 205 .`, `10.1.2.3/8`, `1.1734567890123/2`,
		strings.Repeat("word ", 40) + "result=spam",
	} {
		if IsAdded([]byte("x-foo"), []byte(value)) {
			t.Errorf("%q is a verdict", value)
		}
	}
	for _, name := range []string{"x-priority", "importance", "subject", "from", "content-class", "keywords", "thread-topic", "x-habeas-swe-8", ""} {
		if IsAdded([]byte(name), []byte("not spam")) {
			t.Errorf("%s may say anything", name)
		}
	}
}

func TestTagsOfServersAreNoPartOfASubject(t *testing.T) {
	for subject, want := range map[string]string{
		"*****SPAM***** tablets": "tablets", "[SPAM] tablets": "tablets", "{Spam?} tablets": "tablets", "***Junk***tablets": "tablets",
		"[***SPAM***] tablets": "tablets", "*** SPAM 7.2 *** [list] tablets": "[list] tablets", "[EXTERNAL] [Suspected Spam] tablets": "tablets",
		"[SPAM: 10.1] tablets": "tablets", "[!! SPAM] tablets": "tablets", "{Virus?} {Disarmed} tablets": "tablets", "_SPAM_ tablets": "tablets",
		"[CAUTION: External email] tablets": "tablets", "#SPAM# tablets": "tablets", "(Possible Spam) tablets": "tablets", "[SPAM]": "",
		"[Spambayes] tablets": "[Spambayes] tablets", "[ILUG] spam": "[ILUG] spam", "spam is bad": "spam is bad", "*** FREE *** tablets": "*** FREE *** tablets",
		"[FAILED] build": "[FAILED] build", "[spam-l] tablets": "[spam-l] tablets", "[]": "[]", "[ok] go": "[ok] go", "* spam": "* spam", "": "",
		"[5.2] notes": "[5.2] notes", "[spamé] x": "[spamé] x", "[***": "[***",
	} {
		if got := string(WithoutTags([]byte(subject))); got != want {
			t.Errorf("%q becomes %q, want %q", subject, got, want)
		}
	}
}

func FuzzValuesAndTags(f *testing.F) {
	for _, seed := range []string{"R=SPAM;S=100", "-4.5", "22.1 / 5.0", "[SPAM] [[x", "No, score=1", "***", "default: False [0.20 / 15.00]", "{Spam?} x"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if text := bytes.TrimSpace(text); IsVerdict(text) != IsVerdict(append([]byte("\t"), text...)) {
			t.Errorf("%q is a verdict only with blanks around it, or without", text)
		}
		if rest := WithoutTags(text); !bytes.HasSuffix(text, rest) || !bytes.Equal(WithoutTags(rest), rest) {
			t.Errorf("%q becomes %q", text, rest)
		}
	})
}
