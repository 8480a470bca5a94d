# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
# Everything that bin/ needs to know about riscv.
ARCH_KERNEL=riscv				# ARCH= as in kbuild
ARCH_CROSS=riscv64-linux-gnu-			# CROSS_COMPILE= as in kbuild
ARCH_IMAGE=arch/riscv/boot/Image		# QEMU's -kernel loads this
ARCH_QEMU=qemu-system-riscv64
ARCH_QEMU_DEBIAN='qemu-system-riscv opensbi'	# from bin/userspace: Debian 12's cannot be limited to Sv39, its OpenSBI may hang
ARCH_MACHINE='-M virt -cpu rv64,sv48=off,sv57=off'	# the CPU for tables: Sv39, like boards
ARCH_MACHINE_FIXED=$ARCH_MACHINE		# for --icount
ARCH_CONSOLE=ttyS0
ARCH_DEBIAN=riscv64				# dpkg's name for it
ARCH_TRIPLE=riscv64-linux-gnu			# as GCC and clang name it
ARCH_PACKAGES='gcc-riscv64-linux-gnu libc6-dev-riscv64-cross'
