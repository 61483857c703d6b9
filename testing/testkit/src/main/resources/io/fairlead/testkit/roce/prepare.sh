#!/bin/bash
# Makes vmlinuz and initrd.gz in a folder from Debian's packages; nothing of them is installed on this host.
# usage: prepare.sh FOLDER INIT
set -euo pipefail

readonly folder=$1 init=$2
# Disk and network of the guest, the shared file systems, and the RDMA device in software; what they depend on comes along.
readonly modules='virtio_pci 9pnet_virtio 9p overlay veth sch_netem crc32_generic crc32_pclmul rdma_rxe rdma_ucm ib_uverbs'

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
cd -- "$work"

# linux-image-amd64 is empty and depends on the newest kernel of the release.
package=$(apt-cache depends linux-image-amd64 | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
if [[ -z $package ]]; then
    apt-get -q update
    package=$(apt-cache depends linux-image-amd64 | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
fi
[[ -n $package ]] || { echo 'apt-cache knows no linux-image-amd64'; exit 1; }
# As root, apt drops its rights for the download and needs a folder that it may write to.
chmod 755 .
apt-get -q -o Acquire::Retries=1 -o Acquire::http::Timeout=20 -o APT::Sandbox::User=root download "$package" ||
    { apt-get -q update && apt-get -q -o APT::Sandbox::User=root download "$package"; }
dpkg-deb --extract "$package"_*.deb kernel
release=$(ls kernel/lib/modules)
PATH=$PATH:/usr/sbin:/sbin
depmod --basedir kernel "$release"

mkdir -p root/{bin,dev,proc,sys,lower,upper,newroot,modules}
cp -- "$(type -P busybox)" root/bin/busybox
for name in $modules; do
    modprobe --dirname kernel --set-version "$release" --show-depends "$name"
done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | awk '!seen[$0]++' | while read -r file; do
    name=$(basename "$file" .xz)
    case $file in
        *.xz) xz --decompress --stdout "$file" >"root/modules/$name" ;;
        *) cp -- "$file" "root/modules/$name" ;;
    esac
    printf '/modules/%s\n' "$name" >>root/module-list
done
install -m 755 -- "$init" root/init
(cd root && find . | cpio --create --format=newc --quiet | gzip -1) >initrd.gz

mkdir -p -- "$folder"
# By renaming, so that a run that is cut off leaves nothing half made.
cp -- "kernel/boot/vmlinuz-$release" "$folder/vmlinuz.new"
cp -- initrd.gz "$folder/initrd.new"
mv -- "$folder/vmlinuz.new" "$folder/vmlinuz"
mv -- "$folder/initrd.new" "$folder/initrd.gz"
echo "$release"
