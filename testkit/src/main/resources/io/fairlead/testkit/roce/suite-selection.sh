#!/bin/bash
# Which path is chosen, and with which reason, where both sides have an RDMA device, and where one of them has none or one whose port is
# down. The listener is on rxe1 and the connector on rxe0; TCP goes over the loopback interface. What a side has, it reads at its start.
set -u
export TRANSPORTS=ucx,tcp
. /out/lib.sh

listener='' address=''

# The fairlead command on a host without devices: that of this side is gone, and that of the other out of sight.
fairlead_without_device() {
    exec unshare --mount bash -c \
        'mount -t tmpfs none /sys/class/infiniband && . /out/lib.sh && fairlead "$@"' bash "$@"
}

# How a process ends is the business of other suites.
stop() {
    kill -9 "$1" 2>/dev/null
    wait "$1" 2>/dev/null
}

# start_listener NAME FAIRLEAD
start_listener() {
    [[ -z $listener ]] || stop "$listener"
    "$2" rxe1 roce-peer >"/out/listener-$1.txt" 2>&1 &
    listener=$!
    await 180 "/out/listener-$1.txt" 'listens at' "$listener" ||
        result "$1" 1 "the listener did not start: $(tail -n 1 "/out/listener-$1.txt" | cut -c 1-200)"
    address=$(sed -n 's/^roce-peer: listens at //p' "/out/listener-$1.txt")
}

# Connects and compares what is said of the path, or of there being none: check CASE POLICY EXPECTED PATTERN FAIRLEAD [PATTERN-TO-WAIT-FOR]
check() {
    local log verdict=passed observed connector
    log=/out/connector-${1//[^a-z]/-}-$2.txt
    "$5" rxe0 roce-peer --report=50 "--policy=$2" "--connect=$address" >"$log" 2>&1 &
    connector=$!
    await 180 "$log" '^roce-peer: path \|^roce-peer: not connected\|^fairlead: ' "$connector"
    observed=$(grep -m 1 '^roce-peer: path \|^roce-peer: not connected\|^fairlead: ' "$log" || tail -n 1 "$log")
    if ! grep -Eq -- "$4" <<<"$observed" || ! await 180 "$log" "${6:-.}" "$connector"; then
        verdict=FAILED failures=$((failures + 1))
    fi
    printf 'roce: %-31s | %-12s | %-26s | %s | %s\n' "$1" "$2" "$3" "${observed#roce-peer: }" "$verdict" |
        tee -a /out/selection.txt
    stop "$connector"
}

readonly RDMA='path ucx over rxe0-rxe1 \[rc_verbs'

printf 'roce: %-31s | %-12s | %-26s | %s\n' case policy expected observed | tee /out/selection.txt
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
