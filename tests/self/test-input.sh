#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# One clear line for what a user may get wrong, or the machine.
. "$(dirname "$0")/lib.sh"
project

passes "make prints its targets" make
same "a line each" "$(sed -n 's/^\([a-z-]*\):[^=]*##.*/\1/p' Makefile | sort)" "$(awk '{ print $1 }' "$T/log" | sort)"

for t in build boot shell deps; do
	fails "make $t ARCH=vax" 2 "unknown ARCH 'vax'; known: .*arm64" make "$t" ARCH=vax
done
fails "ARCH=../x" 1 'unknown ARCH' env ARCH=../x bin/build
fails "LLVM=yes" 1 "LLVM='yes' is not understood" env LLVM=yes bin/build
fails "CONFIG=nothing" 1 'no such file qemu/nothing.config' env CONFIG=nothing bin/build
fails "a kernel that is none" 1 "unknown kernel 'other'" bin/build other
fails "boot without a build" 65 "no patched kernel for arm64; run 'make build ARCH=arm64'" bin/boot -- true
fails "boot without a command" 64 'no command' bin/boot
fails "boot --smp 99" 64 'smp takes' bin/boot --smp 99 -- true
fails "boot --nonsense" 64 'unknown option --nonsense' bin/boot --nonsense -- true
fails "boot --timeout" 64 'needs a value' bin/boot --timeout
fails "boot --files of no directory" 64 'not a directory' bin/boot --files /nonexistent -- true
mkdir -p build/9.1/arm64/patched/arch/arm64/boot
touch build/9.1/arm64/patched/arch/arm64/boot/Image build/9.1/arm64/patched/mods.cpio.gz
fails "boot --tools of a kernel without the drivers" 64 'needs a kernel of CONFIG=bpf' bin/boot --tools -- true
fails "a user space that is none" 64 'unknown user space other' bin/userspace other

# A PATH with all but one tool.
mkdir "$T/path"
find /bin/ /sbin/ /usr/bin/ /usr/sbin/ -maxdepth 1 ! -type d -print0 | xargs -0 ln -sf -t "$T/path"
WITHOUT=
path_without() {
	[ -z "$WITHOUT" ] || [ ! -e "$T/$WITHOUT.away" ] || mv "$T/$WITHOUT.away" "$T/path/$WITHOUT"
	WITHOUT=$1
	[ ! -e "$T/path/$1" ] || mv "$T/path/$1" "$T/$1.away"
}
for t in aarch64-linux-gnu-gcc ccache flex; do
	path_without "$t"
	fails "build without $t" 1 "$t is not installed; run 'make deps'" env PATH="$T/path" bin/build base
done
path_without qemu-system-aarch64
fails "boot without QEMU" 65 "qemu-system-aarch64 is not installed; run 'make deps'" env PATH="$T/path" bin/boot -- true
path_without mmdebstrap
fails "boot without mmdebstrap" 65 "mmdebstrap is not installed; run 'make deps'" env PATH="$T/path" bin/boot -- true
path_without git
fails "tree without git" 1 "git is not installed; run 'make deps'" env PATH="$T/path" bin/apply
path_without clang-99
fails "LLVM=-99" 1 "clang-99 is not installed; run 'make deps'" env PATH="$T/path" LLVM=-99 bin/build base

# ---- no network: an apt that cannot --------------------------------------------------------
mkdir "$T/fake"
# shellcheck disable=SC2016
printf '#!/bin/sh\ncase $1 in -q|download) echo "E: Failed to fetch http://x/: Temporary failure resolving" >&2; exit 100;; esac\n' >"$T/fake/apt-get"
printf '#!/bin/sh\necho "  Candidate: %s"\n' "$(awk '$1 == "source" { print $2 }' bases/9.1/source)" >"$T/fake/apt-cache"
printf '#!/bin/sh\necho "E: apt-get update failed: Temporary failure resolving" >&2; exit 1\n' >"$T/fake/mmdebstrap"
chmod +x "$T"/fake/*
sed -i 's|^tarball .*|tarball nonexistent/linux.tar.xz|' bases/9.1/source
rm -rf "$CALLOPS_CACHE"
fails "no network for the source" 1 'could not download linux-source-9.1 .*: no network\?' env PATH="$T/fake:$PATH" bin/apply
passes "leaves nothing in the cache" sh -c "! ls -d '$CALLOPS_CACHE'/src/* '$CALLOPS_CACHE'/src/.new* 2>/dev/null | grep ."
fails "no network for the user space" 65 'could not fetch busybox-static for arm64: no network\?' env http_proxy=http://127.0.0.1:9 PATH="$T/fake:$PATH" bin/boot -- true
passes "leaves nothing in the cache" sh -c "! ls '$CALLOPS_CACHE'/userspace/* 2>/dev/null | grep ."
cp qemu/arch/arm64.sh "$T"
echo 'ARCH_QEMU_DEBIAN="qemu-system-arm firmware"' >>qemu/arch/arm64.sh
fails "no network for a QEMU of its own" 65 'could not fetch qemu-system-arm for .*: no network\?' env PATH="$T/fake:$PATH" bin/boot -- true
passes "leaves nothing in the cache" sh -c "! ls '$CALLOPS_CACHE'/userspace/* 2>/dev/null | grep ."
cp "$T/arm64.sh" qemu/arch/
fails "a QEMU of its own for an ARCH that has none" 1 "takes the host's QEMU" bin/userspace qemu
fails "no network for packages" 1 'no network\?' env PATH="$T/fake:$PATH" ARCH=arm64 bash -c '
	sed -i "s/^ARCH_PACKAGES=.*/ARCH_PACKAGES=callops-no-such-package/" qemu/arch/arm64.sh; exec bin/deps'

# ---- a source that is not what it should be ----------------------------------------------------
project
mkdir -p "$T/src/linux-source-9.1"; kernel "$T/src/linux-source-9.1" 9 1
tar -cJf "$T/linux.tar.xz" -C "$T/src" linux-source-9.1
sum=$(sha256sum <"$T/linux.tar.xz" | cut -d' ' -f1)
rm -rf "$CALLOPS_CACHE"
sed -i "s|^tarball .*|tarball ${T#/}/linux.tar.xz|" bases/9.1/source
sed -i "s|^source .*|source 9.1.192-2 $sum|" bases/9.1/source
passes "a source with the right sum" bin/fetch
said "has version and sum printed" "linux-source-9.1 9.1.192-2, sha256 $sum"
same "and is a git tree, ignored files and all" \
	"$(find "$T/src/linux-source-9.1" -type f | wc -l)" "$(git -C "$CALLOPS_CACHE/src/9.1" ls-files | wc -l)"
passes "from the cache the next time" bin/fetch
said "as it says" cached
# Debian's package, by a fake apt-get: another sum, and a version nobody tested.
rm -rf "$CALLOPS_CACHE" "$T/pkg"
mkdir -p "$T/pkg/DEBIAN" "$T/pkg/usr/src"
printf 'Package: linux-source-9.1\nVersion: 9.1.192-2\nArchitecture: all\nMaintainer: x <x@localhost>\nDescription: x\n' >"$T/pkg/DEBIAN/control"
cp "$T/linux.tar.xz" "$T/pkg/usr/src/linux-source-9.1.tar.xz"
dpkg-deb -b "$T/pkg" "$T/pkg.deb" >/dev/null
cat >"$T/fake/apt-get" <<EOF
#!/bin/sh
case \$* in *=9.1.999-1) cp $T/pkg.deb new.deb ;; *) [ -e $T/gone ] && { echo "E: Version was not found" >&2; exit 100; }; cp $T/pkg.deb old.deb ;; esac
EOF
sed -i 's|^tarball .*|tarball usr/src/linux-source-9.1.tar.xz|; s|^source .*|source 9.1.192-2 0123|' bases/9.1/source
fails "a source with another sum" 1 "has sha256 $sum, expected 0123" env PATH="$T/fake:$PATH" bin/fetch
passes "leaves nothing in the cache" sh -c "! ls -d '$CALLOPS_CACHE'/src/* '$CALLOPS_CACHE'/src/.new* 2>/dev/null | grep ."
touch "$T/gone"; printf '#!/bin/sh\necho "  Candidate: 9.1.999-1"\n' >"$T/fake/apt-cache"
passes "a newer version than any tested" env PATH="$T/fake:$PATH" bin/fetch
said "is a warning" '^callops: warning: .*9.1.999-1 is newer than what was tested'

# ---- a full disk --------------------------------------------------------------------------------
if [ "$(id -u)" = 0 ] && mkdir "$T/disk" && mount -t tmpfs -o size=64k,nr_inodes=40 disk "$T/disk" 2>/dev/null; then
	project
	sed -i "s|^tarball .*|tarball ${T#/}/linux.tar.xz|; s|^source .*|source 9.1.192-2 $sum|" bases/9.1/source
	fails "a full disk under the cache" 1 'disk full|could not|cannot write' env CALLOPS_CACHE="$T/disk/cache" bin/fetch
	passes "leaves nothing in the cache" sh -c "! ls -d '$T'/disk/cache/src/6* '$T'/disk/cache/src/.new* 2>/dev/null | grep ."
	ln -s "$T/disk" build
	fails "a full disk under build/" 1 'disk full|could not|cannot' bin/apply
	passes "leaves no tree" sh -c '! test -e build/9.1/tree && ! test -e build/9.1/tree.new'
	umount "$T/disk"
	mkdir -p "$T/disk"; rm build; bin/apply >/dev/null 2>&1
	echo big >build/9.1/tree/kernel/trace/big.c; commit "ftrace: Big"
	head -c 300000 /dev/urandom | base64 >build/9.1/tree/kernel/trace/big.c; commit "ftrace: Bigger" && git -C build/9.1/tree reset -q --soft HEAD~2 && commit "ftrace: Big"
	mount -t tmpfs -o size=64k disk "$T/disk"
	# shellcheck disable=SC2016
	fails "a full disk under bases/" 1 'disk full' env TMPDIR=/tmp bash -c 'cd bases/9.1; mkdir -p patches; mount --bind '"$T/disk"' patches; head -c 60000 /dev/zero >patches/fill; ../../bin/refresh; rc=$?; umount patches; exit $rc'
else
	skip "a full disk (needs root)"
fi

printf '#!/bin/sh\n' >bin/build
# shellcheck disable=SC2016
printf '#!/bin/sh\nfor a; do :; done; echo "$a"\n' >bin/boot
# shellcheck disable=SC2016
for cmd in 'for f in a; do echo $f $HOME $(uname); done' "echo 'a  b'"; do
	same "make boot CMD=... leaves it to the guest's shell: $cmd" "$cmd" "$(make -s boot "CMD=$cmd" 2>&1)"
done
same "and has one of its own" 'uname -a' "$(env -u CMD make -s boot 2>&1)"
