#!/bin/busybox sh
# The first process of the guest: puts the host's file system, read-only, under a throw-away layer, and goes on there.
bb=/bin/busybox

stop() {
    echo "roce: guest cannot start: $*"
    $bb sync
    $bb poweroff -f
}

$bb mount -t devtmpfs dev /dev
$bb mount -t proc proc /proc
$bb mount -t sysfs sys /sys
while read -r module; do
    $bb insmod "$module" || echo "roce: insmod $module failed"
done </module-list
$bb mount -t tmpfs -o size=60% tmpfs /upper && $bb mkdir -p /upper/changes /upper/work
options=trans=virtio,version=9p2000.L,msize=524288
$bb mount -t 9p -o $options,cache=loose,ro root /lower || stop 'no root file system'
$bb mount -t overlay -o lowerdir=/lower,upperdir=/upper/changes,workdir=/upper/work overlay /newroot ||
    stop 'no layer above the root file system'
for folder in dev proc sys; do
    $bb mount --move /$folder /newroot/$folder
done
$bb mkdir -p /newroot/dev/shm /newroot/dev/pts /newroot/out
$bb mount -t devpts devpts /newroot/dev/pts
# Not /tmp, where what is to be run may lie; it can be written to as it is.
for folder in dev/shm run; do
    $bb mount -t tmpfs tmpfs /newroot/$folder
done
$bb mount -t 9p -o $options,access=any out /newroot/out || stop 'no folder for results'
$bb chroot /newroot /bin/bash /out/guest.sh >/newroot/out/guest.log 2>&1 </newroot/dev/null
$bb sync
$bb poweroff -f
