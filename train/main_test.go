package train

import (
	"testing"

	"chaff/test/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }
