package message

import (
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// The labels of charsets are switches here. The maps of golang.org/x/text/encoding/htmlindex and ianaindex would be filled at the start of each
// process. A test compares both.

// canonicalName returns the name of the charset with a label in lower case, by the Encoding Standard of the WHATWG that browsers follow. It
// returns "" for an unknown label.
func canonicalName(label string) string {
	switch label {
	case "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "utf-8", "utf8", "x-unicode20utf8":
		return "utf-8"
	case "866", "cp866", "csibm866", "ibm866":
		return "ibm866"
	case "csisolatin2", "iso-8859-2", "iso-ir-101", "iso8859-2", "iso88592", "iso_8859-2", "iso_8859-2:1987", "l2", "latin2":
		return "iso-8859-2"
	case "csisolatin3", "iso-8859-3", "iso-ir-109", "iso8859-3", "iso88593", "iso_8859-3", "iso_8859-3:1988", "l3", "latin3":
		return "iso-8859-3"
	case "csisolatin4", "iso-8859-4", "iso-ir-110", "iso8859-4", "iso88594", "iso_8859-4", "iso_8859-4:1988", "l4", "latin4":
		return "iso-8859-4"
	case "csisolatincyrillic", "cyrillic", "iso-8859-5", "iso-ir-144", "iso8859-5", "iso88595", "iso_8859-5", "iso_8859-5:1988":
		return "iso-8859-5"
	case "arabic", "asmo-708", "csiso88596e", "csiso88596i", "csisolatinarabic", "ecma-114", "iso-8859-6", "iso-8859-6-e",
		"iso-8859-6-i", "iso-ir-127", "iso8859-6", "iso88596", "iso_8859-6", "iso_8859-6:1987":
		return "iso-8859-6"
	case "csisolatingreek", "ecma-118", "elot_928", "greek", "greek8", "iso-8859-7", "iso-ir-126", "iso8859-7", "iso88597", "iso_8859-7",
		"iso_8859-7:1987", "sun_eu_greek":
		return "iso-8859-7"
	case "csiso88598e", "csisolatinhebrew", "hebrew", "iso-8859-8", "iso-8859-8-e", "iso-ir-138", "iso8859-8", "iso88598", "iso_8859-8",
		"iso_8859-8:1988", "visual":
		return "iso-8859-8"
	case "csiso88598i", "iso-8859-8-i", "logical":
		return "iso-8859-8-i"
	case "csisolatin6", "iso-8859-10", "iso-ir-157", "iso8859-10", "iso885910", "l6", "latin6":
		return "iso-8859-10"
	case "iso-8859-13", "iso8859-13", "iso885913":
		return "iso-8859-13"
	case "iso-8859-14", "iso8859-14", "iso885914":
		return "iso-8859-14"
	case "csisolatin9", "iso-8859-15", "iso8859-15", "iso885915", "iso_8859-15", "l9":
		return "iso-8859-15"
	case "iso-8859-16":
		return "iso-8859-16"
	case "cskoi8r", "koi", "koi8", "koi8-r", "koi8_r":
		return "koi8-r"
	case "koi8-ru", "koi8-u":
		return "koi8-u"
	case "csmacintosh", "mac", "macintosh", "x-mac-roman":
		return "macintosh"
	case "dos-874", "iso-8859-11", "iso8859-11", "iso885911", "tis-620", "windows-874":
		return "windows-874"
	case "cp1250", "windows-1250", "x-cp1250":
		return "windows-1250"
	case "cp1251", "windows-1251", "x-cp1251":
		return "windows-1251"
	case "ansi_x3.4-1968", "ascii", "cp1252", "cp819", "csisolatin1", "ibm819", "iso-8859-1", "iso-ir-100", "iso8859-1", "iso88591",
		"iso_8859-1", "iso_8859-1:1987", "l1", "latin1", "us-ascii", "windows-1252", "x-cp1252":
		return "windows-1252"
	case "cp1253", "windows-1253", "x-cp1253":
		return "windows-1253"
	case "cp1254", "csisolatin5", "iso-8859-9", "iso-ir-148", "iso8859-9", "iso88599", "iso_8859-9", "iso_8859-9:1989", "l5", "latin5",
		"windows-1254", "x-cp1254":
		return "windows-1254"
	case "cp1255", "windows-1255", "x-cp1255":
		return "windows-1255"
	case "cp1256", "windows-1256", "x-cp1256":
		return "windows-1256"
	case "cp1257", "windows-1257", "x-cp1257":
		return "windows-1257"
	case "cp1258", "windows-1258", "x-cp1258":
		return "windows-1258"
	case "x-mac-cyrillic", "x-mac-ukrainian":
		return "x-mac-cyrillic"
	case "chinese", "csgb2312", "csiso58gb231280", "gb2312", "gb_2312", "gb_2312-80", "gbk", "iso-ir-58", "x-gbk":
		return "gbk"
	case "gb18030":
		return "gb18030"
	case "big5", "big5-hkscs", "cn-big5", "csbig5", "x-x-big5":
		return "big5"
	case "cseucpkdfmtjapanese", "euc-jp", "x-euc-jp":
		return "euc-jp"
	case "csiso2022jp", "iso-2022-jp":
		return "iso-2022-jp"
	case "csshiftjis", "ms932", "ms_kanji", "shift-jis", "shift_jis", "sjis", "windows-31j", "x-sjis":
		return "shift_jis"
	case "cseuckr", "csksc56011987", "euc-kr", "iso-ir-149", "korean", "ks_c_5601-1987", "ks_c_5601-1989", "ksc5601", "ksc_5601",
		"windows-949":
		return "euc-kr"
	case "csiso2022kr", "hz-gb-2312", "iso-2022-cn", "iso-2022-cn-ext", "iso-2022-kr", "replacement":
		return "replacement"
	case "unicodefffe", "utf-16be":
		return "utf-16be"
	case "csunicode", "iso-10646-ucs-2", "ucs-2", "unicode", "unicodefeff", "utf-16", "utf-16le":
		return "utf-16le"
	case "x-user-defined":
		return "x-user-defined"
	}
	return ""
}

// encodingOf returns the encoding with a canonical name, nil if there is none: "replacement" has no text.
func encodingOf(name string) encoding.Encoding {
	switch name {
	case "utf-8":
		return unicode.UTF8
	case "ibm866":
		return charmap.CodePage866
	case "iso-8859-2":
		return charmap.ISO8859_2
	case "iso-8859-3":
		return charmap.ISO8859_3
	case "iso-8859-4":
		return charmap.ISO8859_4
	case "iso-8859-5":
		return charmap.ISO8859_5
	case "iso-8859-6":
		return charmap.ISO8859_6
	case "iso-8859-7":
		return charmap.ISO8859_7
	case "iso-8859-8":
		return charmap.ISO8859_8
	case "iso-8859-8-i":
		return charmap.ISO8859_8I
	case "iso-8859-10":
		return charmap.ISO8859_10
	case "iso-8859-13":
		return charmap.ISO8859_13
	case "iso-8859-14":
		return charmap.ISO8859_14
	case "iso-8859-15":
		return charmap.ISO8859_15
	case "iso-8859-16":
		return charmap.ISO8859_16
	case "koi8-r":
		return charmap.KOI8R
	case "koi8-u":
		return charmap.KOI8U
	case "macintosh":
		return charmap.Macintosh
	case "windows-874":
		return charmap.Windows874
	case "windows-1250":
		return charmap.Windows1250
	case "windows-1251":
		return charmap.Windows1251
	case "windows-1252":
		return charmap.Windows1252
	case "windows-1253":
		return charmap.Windows1253
	case "windows-1254":
		return charmap.Windows1254
	case "windows-1255":
		return charmap.Windows1255
	case "windows-1256":
		return charmap.Windows1256
	case "windows-1257":
		return charmap.Windows1257
	case "windows-1258":
		return charmap.Windows1258
	case "x-mac-cyrillic":
		return charmap.MacintoshCyrillic
	case "gbk":
		return simplifiedchinese.GBK
	case "gb18030":
		return simplifiedchinese.GB18030
	case "big5":
		return traditionalchinese.Big5
	case "euc-jp":
		return japanese.EUCJP
	case "iso-2022-jp":
		return japanese.ISO2022JP
	case "shift_jis":
		return japanese.ShiftJIS
	case "euc-kr":
		return korean.EUCKR
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case "x-user-defined":
		return charmap.XUserDefined
	}
	return nil
}

// registeredEncoding returns the encoding with a label in lower case that only IANA lists, nil if there is none or it is EBCDIC.
func registeredEncoding(label string) encoding.Encoding {
	switch label {
	case "437", "cp437", "cspc8codepage437", "ibm437":
		return charmap.CodePage437
	case "850", "cp850", "cspc850multilingual", "ibm850":
		return charmap.CodePage850
	case "852", "cp852", "cspcp852", "ibm852":
		return charmap.CodePage852
	case "855", "cp855", "csibm855", "ibm855":
		return charmap.CodePage855
	case "ccsid00858", "cp00858", "csibm00858", "ibm00858", "pc-multilingual-850+euro":
		return charmap.CodePage858
	case "860", "cp860", "csibm860", "ibm860":
		return charmap.CodePage860
	case "862", "cp862", "cspc862latinhebrew", "ibm862":
		return charmap.CodePage862
	case "863", "cp863", "csibm863", "ibm863":
		return charmap.CodePage863
	case "865", "cp865", "csibm865", "ibm865":
		return charmap.CodePage865
	case "iso_8859-10:1992":
		return charmap.ISO8859_10
	case "csiso885913":
		return charmap.ISO8859_13
	case "csiso885914", "iso-celtic", "iso-ir-199", "iso_8859-14", "iso_8859-14:1998", "l8", "latin8":
		return charmap.ISO8859_14
	case "csiso885915", "latin-9":
		return charmap.ISO8859_15
	case "csiso885916", "iso-ir-226", "iso_8859-16", "iso_8859-16:2001", "l10", "latin10":
		return charmap.ISO8859_16
	case "iso_8859-6-e":
		return charmap.ISO8859_6E
	case "iso_8859-6-i":
		return charmap.ISO8859_6I
	case "iso_8859-8-e":
		return charmap.ISO8859_8E
	case "iso_8859-8-i":
		return charmap.ISO8859_8I
	case "cskoi8u":
		return charmap.KOI8U
	case "cswindows1250":
		return charmap.Windows1250
	case "cswindows1251":
		return charmap.Windows1251
	case "cswindows1252":
		return charmap.Windows1252
	case "cswindows1253":
		return charmap.Windows1253
	case "cswindows1254":
		return charmap.Windows1254
	case "cswindows1255":
		return charmap.Windows1255
	case "cswindows1256":
		return charmap.Windows1256
	case "cswindows1257":
		return charmap.Windows1257
	case "cswindows1258":
		return charmap.Windows1258
	case "cswindows874":
		return charmap.Windows874
	case "extended_unix_code_packed_format_for_japanese":
		return japanese.EUCJP
	case "csgb18030":
		return simplifiedchinese.GB18030
	case "cp936", "csgbk", "ms936", "windows-936":
		return simplifiedchinese.GBK
	case "csutf16be":
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case "csutf16":
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case "csutf16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case "csutf8":
		return unicode.UTF8
	}
	return nil
}
