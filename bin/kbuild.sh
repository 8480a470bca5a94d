# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# How to call kbuild. Sourced by the scripts that build kernels.
#
# kbuild sees the source as "src", a link in the object directory $O. Command lines then
# have no absolute path, and ccache works across trees and clones.

# toolchain: set the variables of km, and configure ccache.
toolchain() {
	local v=${LLVM#1} llvm=()
	cc=${ARCH_CROSS}gcc hostcc=gcc
	if [ -n "$LLVM" ]; then
		cc=clang$v hostcc=clang$v llvm=("ld.lld$v" "llvm-ar$v" "llvm-nm$v" "llvm-objcopy$v")
	fi
	need make "$cc" "$hostcc" "${llvm[@]}" ccache flex bison bc perl openssl
	export CCACHE_DIR=$CACHE/ccache CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=10G
	export CCACHE_COMPILERCHECK=content CCACHE_SLOPPINESS=time_macros
	export KBUILD_BUILD_TIMESTAMP='2000-01-01 00:00:00 UTC' KBUILD_BUILD_VERSION=1
	export KBUILD_BUILD_USER=callops KBUILD_BUILD_HOST=localhost
	mkdirs "$CCACHE_DIR"
}

# first_errors LOG: print the errors that matter most.
first_errors() {
	grep -nE '(error|Error|undefined reference|No space left|\*\*\*|misaligned)' "$1" | head -n 8 | sed 's/^/  /' >&2 || :
}

km() {
	env -u KERNEL -u CONFIG -u BASE -u CMD -u SIDE make -C "$O" -f src/Makefile srctree=src ARCH="$ARCH_KERNEL" CROSS_COMPILE="$ARCH_CROSS" \
		${LLVM:+LLVM="$LLVM"} CC="$TOP/bin/cc $cc" HOSTCC="ccache $hostcc" "$@"
}

# small_config DIR FRAGMENT...: make $O/DIR/.config from allnoconfig and the fragments.
small_config() {
	local d=$1
	shift
	rm -rf "${O:?}/$d"; mkdirs "$O/$d"
	km KCONFIG_CONFIG="$d/.config" allnoconfig &&
	(cd "$O" && src/scripts/kconfig/merge_config.sh -m -O "$d" "$d/.config" "$@") &&
	km KCONFIG_CONFIG="$d/.config" olddefconfig
}

# copy_modules DIR FOLDER...: these folders of modules to a new DIR, for one make out of tree
copy_modules() {
	local d=$1
	shift
	rm -rf "$d"; mkdirs "$d"
	rsync -rpc "$TOP/tests/guest-modules/checks.h" "$@" "$d/" || die "could not copy modules to $d: disk full?"
	[ ! -d "$d/ftrace" ] || echo 'obj-m := ftrace-ops.o' >"$d/ftrace/Kbuild"
	(cd "$d" && printf 'obj-m += %s\n' */ >Kbuild)
}

# run LOG WHAT COMMAND...: run a build, and print its progress.
run() {
	local log=$1 what=$2
	shift 2
	quietly "$log" compiled "$@"
}
compiled() {
	printf 'callops: %s: %d compiled, %d s\n' "$what" \
		"$(grep -cE '^ +(CC|AS|HOSTCC|LD|AR|CC \[M\]) ' "$log")" "$1"
}
