#!/bin/bash
# Which path is chosen, and with which reason, where both sides have an RDMA device, and where one of them has none or one whose port is
# down.
set -u
export TRANSPORTS=ucx,tcp
. /out/lib.sh
. /out/paths.sh
table=/out/selection.txt

# The fairlead command on a host without devices: that of this side is gone, and that of the other out of sight.
fairlead_without_device() {
    exec unshare --mount bash -c \
        'mount -t tmpfs none /sys/class/infiniband && . /out/lib.sh && fairlead "$@"' bash "$@"
}

heading
start_listener both fairlead
# Rounds enough for the packets to be counted.
check 'both have a device' auto 'RDMA' "$RDMA" fairlead ' went on: rounds='
check 'both have a device' require-rdma 'RDMA' "$RDMA" fairlead ' going'
check 'both have a device' tcp-only 'TCP, by policy' 'path tcp over lo.*tcp-only' fairlead ' going'
counters >/out/counters

# A pair of joined interfaces goes down together, so that the other side must have started before.
ip link set wire0 down
cause='port rxe0:1 is (DOWN|INIT)'
check "the connector's port is down" auto 'TCP, naming the port' "path tcp over lo.*$cause" fairlead ' going'
check "the connector's port is down" require-rdma 'refused, naming the port' "^(roce-peer: not connected NO_PATH|fairlead).*$cause" fairlead
start_listener port-down fairlead
link_up wire0
cause='port rxe1:1 is (DOWN|INIT)'
check "the listener's port is down" auto 'TCP, naming the port' "path tcp over lo.*$cause" fairlead ' going'
check "the listener's port is down" require-rdma 'refused, naming the port' "^(roce-peer: not connected NO_PATH|fairlead).*$cause" fairlead

# The kernel waits with the deletion until nobody has the device open.
stop "$listener"
listener=''
rdma link del rxe0
start_listener device fairlead
check 'the connector has no device' auto 'TCP, naming the cause' 'path tcp over lo.*no RDMA device' fairlead_without_device ' going'
check 'the connector has no device' require-rdma 'refused, naming the cause' \
    '^(roce-peer: not connected NO_PATH|fairlead).*no RDMA device' fairlead_without_device
stop "$listener"
listener=''
rdma link add rxe0 type rxe netdev wire0
rdma link del rxe1
start_listener no-device fairlead_without_device
check 'the listener has no device' auto 'TCP, naming the cause' 'path tcp over lo.*no RDMA device' fairlead ' going'
check 'the listener has no device' require-rdma 'refused, naming the cause' \
    '^(roce-peer: not connected NO_PATH|fairlead).*no RDMA device' fairlead
stop "$listener"

exit $((failures > 0))
