# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
# All that bin/ has to know about arm64.
ARCH_KERNEL=arm64				# ARCH= as in kbuild
ARCH_CROSS=aarch64-linux-gnu-			# CROSS_COMPILE= as in kbuild
ARCH_IMAGE=arch/arm64/boot/Image		# what QEMU's -kernel loads
ARCH_QEMU=qemu-system-aarch64
ARCH_MACHINE='-M virt -cpu cortex-a57'		# tables are made on this CPU
ARCH_MACHINE_FIXED='-M virt,dtb-randomness=off -cpu cortex-a57'	# same, no seeds: --icount
ARCH_CONSOLE=ttyAMA0
ARCH_DEBIAN=arm64				# dpkg's name
ARCH_TRIPLE=aarch64-linux-gnu			# of GCC and clang
ARCH_PACKAGES='gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-system-arm'
