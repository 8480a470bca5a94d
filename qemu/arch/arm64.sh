# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
# Everything that bin/ needs to know about arm64.
ARCH_KERNEL=arm64				# ARCH= as in kbuild
ARCH_CROSS=aarch64-linux-gnu-			# CROSS_COMPILE= as in kbuild
ARCH_IMAGE=arch/arm64/boot/Image		# QEMU's -kernel loads this
ARCH_QEMU=qemu-system-aarch64
ARCH_MACHINE='-M virt -cpu cortex-a57'		# the CPU for tables
ARCH_MACHINE_FIXED='-M virt,dtb-randomness=off -cpu cortex-a57'	# the same without seeds, for --icount
ARCH_CONSOLE=ttyAMA0
ARCH_DEBIAN=arm64				# dpkg's name for it
ARCH_TRIPLE=aarch64-linux-gnu			# as GCC and clang name it
ARCH_PACKAGES='gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-system-arm'
