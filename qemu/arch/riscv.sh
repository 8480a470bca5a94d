# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
# All that bin/ has to know about riscv.
ARCH_KERNEL=riscv				# ARCH= as in kbuild
ARCH_CROSS=riscv64-linux-gnu-			# CROSS_COMPILE= as in kbuild
ARCH_IMAGE=arch/riscv/boot/Image		# what QEMU's -kernel loads
ARCH_QEMU=qemu-system-riscv64
ARCH_QEMU_DEBIAN='qemu-system-riscv opensbi'	# fetched: Debian 12's knows no Sv39, its OpenSBI may hang
ARCH_MACHINE='-M virt -cpu rv64,sv48=off,sv57=off'	# tables are made on this CPU: Sv39, as boards are
ARCH_MACHINE_FIXED=$ARCH_MACHINE		# what --icount uses
ARCH_CONSOLE=ttyS0
ARCH_DEBIAN=riscv64				# dpkg's name
ARCH_TRIPLE=riscv64-linux-gnu			# of GCC and clang
ARCH_PACKAGES='gcc-riscv64-linux-gnu libc6-dev-riscv64-cross'
