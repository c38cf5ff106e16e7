#include "textflag.h"

// rescue is the handler.
//
// The kernel calls it as a signal handler. It never returns.
TEXT rescue<>(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
	MOVD $·held(SB), R19
	ADD  $8, R19, R3
	MOVD $-1, R4

take: // what is to be written is ours alone
	LDAXR (R3), R20
	STLXR R4, (R3), R5
	CBNZ  R5, take
	CMP   $0, R20
	BLT   wait
	MOVD  (R19), R21

write:
	CMP  $0, R20
	BLE  exit
	MOVD $1, R0               // stdout
	MOVD R21, R1
	MOVD R20, R2
	MOVD $64, R8              // write
	SVC
	CMP  $0, R0
	BLE  exit
	ADD  R0, R21
	SUB  R0, R20
	B    write

exit:
	MOVD 16(R19), R0
	MOVD $94, R8              // exit_group
	SVC

wait: // another handler is writing, and will end the process
	MOVD $0, R0
	MOVD $0, R1
	MOVD $0, R2
	MOVD $0, R3
	MOVD $0, R4
	MOVD $73, R8              // ppoll
	SVC
	B    wait

// func rescuePC() uintptr
TEXT ·rescuePC(SB), NOSPLIT, $0-8
	MOVD $rescue<>(SB), R0
	MOVD R0, ret+0(FP)
	RET
