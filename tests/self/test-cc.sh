#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# bin/cc: what it takes from the cache, and what it compiles again.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
export CCACHE_DIR=$T/ccache CCACHE_NOHASHDIR=1
mkdir "$T/src"; cd "$T/src" || exit
echo 'int a = A;' >a.c; echo '#define A 1' >a.h
printf '#include "a.h"\nasm(".incbin \\"data\\"");\nint a = A;\n' >data.c
printf '#include "a.h"\n.incbin "data"\n' >data.S
echo one >data
found() { ccache --print-stats | awk '$1 ~ /^(direct|preprocessed)_cache_hit$/ { n += $2 } END { print n }'; }
# compiles WHAT yes|no FILE: as kbuild calls it; is it compiled, or found?
compiles() {
	local before
	before=$(found)
	"$REAL/bin/cc" gcc "-Wp,-MMD,.$3.d" -include a.h -c -o "$3.o" "$3" >"$T/log" 2>&1 || { not_ok "$1 (it does not compile)"; return; }
	same "$1" "$2" "$([ "$(found)" = "$before" ] && echo yes || echo no)"
}
for f in a.c data.c data.S; do
	compiles "$f" yes $f
	echo '#define A 2' >a.h
	compiles "$f, whose header has changed" yes $f
	echo '#define A 1' >a.h
done
compiles "a.c, as it was" no a.c
same "has the object that it had" 1 "$(objdump -s -j .data a.c.o | awk '/^ 0000/ { print substr($2, 2, 1) }')"
for f in data.c data.S; do
	echo two >data
	compiles "$f, when what it includes by .incbin has changed" yes $f
	passes "has that" grep -q two $f.o
	echo one >data
done
