package message

// alphabet is the letters beyond ASCII of some languages, by descending frequency.
type alphabet struct {
	charsets []string
	latin    bool // the letters occur beside those of ASCII
	letters  string
}

// alphabets returns the alphabets of single-byte charsets. Of equal scores the first wins.
func alphabets() []alphabet {
	return []alphabet{
		{[]string{fallback}, true, "éäüöáóíàãçñèåêøúßâæôîëïùòìõûœý"},
		{[]string{"windows-1250", "iso-8859-2"}, true, "áéíěšřčžýłąęóżöüůúśćőńăâîţşűďťňźäđôľëß"},
		{[]string{"windows-1250", "iso-8859-2"}, true, "áéöóőíüúű"}, // Hungarian, whose ő and ű are õ and û in windows-1252
		{[]string{"windows-1254"}, true, "ışüçöğiâîû"},
		{[]string{"windows-1251", "koi8-u", "iso-8859-5"}, false, "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфёіїєъ"},
		{[]string{"windows-1253", "iso-8859-7"}, false, "αοιετνσρκπηυμλςγδθφχωάίόέύήώβξζψϊϋΐΰ"},
		{[]string{"windows-1255", "iso-8859-8"}, false, "יוהלאתרמבשנעקדחםספגכןצטזךףץ"},
		{[]string{"windows-1256", "iso-8859-6"}, false, "اليمونرتبةعدسفهكقحأجشطصىخإضذئءثغزآؤظ"},
		{[]string{"windows-874"}, false, "านรก่เอง้มยลวดีัทสตะิปบคหแ์ใจพชขไุโู็ผืซถธึณศำษ"},
	}
}

// script is the common characters of a language that has thousands of them.
type script struct {
	charsets []string
	common   string
}

// scripts returns the scripts of charsets of two bytes a character.
func scripts() []script {
	return []script{
		{[]string{"gb18030"}, "\u3000，。、：！？（）“”的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去" +
			"之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动" +
			"两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便" +
			"位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市眼体别处总才场师书比住员" +
			"件安表原车应路期系计或司利受果及今务制解各任清物记接特望直服题建度统请交让认算收钱元网邮址费客户品价送您店"},
		{[]string{"big5"}, "\u3000，。、：！？（）「」的一是不了在人有我他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之" +
			"過家學對可她裡後小麼心多天而能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動" +
			"兩長知民樣現分將外但身些與高意進把法此實回二理美點月明其種聲全工己話兒者向情部正名定女問力機給等幾很業最間新什打便" +
			"位因重被走電四第門相次東政海口使教西再平真聽世氣信北少關並內加化由卻代軍產入先山五太水萬市眼體別處總才場師書比住員" +
			"件安表原車應路期系計或司利受果及今務制解各任清物記接特望直服題建度統請交讓認算收錢元網郵址費客戶品價送您店"},
		{[]string{"euc-kr"}, "이다는에의가고을하지로한사은를어기리도자대아서시해인나있들그정일수라게보부구제주여전만상과것원장국동면년오었니" +
			"경관공우성신중방조세모무요스안비으했소위음계발화래까생치말실내러용미연물습합입드및매할문분금회건간선반출적"},
		{[]string{"shift_jis", "euc-jp"}, "\u3000、。ー「」（）！？・日一国人年大十二本中長出三時行見月後前生五間上東四今金九入学高円子外八六下来気小" +
			"七山話女北午百書先名千水半男西電校語土木聞食車何南万毎白天母火友父会新事社者動的分合目手発田部地内対立方民作用"},
	}
}
