# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
# Everything that bin/ needs to know about powerpc: ppc64le, ELFv2, for static calls only.
ARCH_KERNEL=powerpc				# ARCH= as in kbuild
ARCH_CROSS=powerpc64le-linux-gnu-		# CROSS_COMPILE= as in kbuild
ARCH_IMAGE=vmlinux				# QEMU's -kernel loads this
ARCH_QEMU=qemu-system-ppc64
ARCH_VIRTIO=pci					# there is no virtio-mmio
# TCG has none of the mitigations that a machine of this kind offers by default.
ARCH_MACHINE='-M pseries,cap-cfpc=broken,cap-sbbc=broken,cap-ibs=broken,cap-ccf-assist=off -cpu power9'	# the CPU for tables
# CONFIG=powernv: by skiboot, without a hypervisor. -nodefaults leaves out even the PCI bus,
# and the BMC, which switches off.
[[ " $CONFIG " != *" powernv "* ]] ||
	ARCH_MACHINE='-M powernv9 -device ipmi-bmc-sim,id=bmc -device isa-ipmi-bt,bmc=bmc,irq=10 -device pnv-phb,chip-id=0,index=0,id=phb -device pnv-phb-root-port,id=rp'
ARCH_MACHINE_FIXED=$ARCH_MACHINE		# for --icount
ARCH_CONSOLE=hvc0
ARCH_DEBIAN=ppc64el				# dpkg's name for it
ARCH_TRIPLE=powerpc64le-linux-gnu		# as GCC and clang name it
ARCH_PACKAGES='gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross qemu-system-ppc'
