#!/bin/bash
# Runs in the guest: makes the RDMA devices, runs what /out/suite.sh says, and leaves its status and the counters.
set -u
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8
say() { printf '%s\n' "$*" >/dev/console; }

finish() {
    printf '%s\n' "$1" >/out/status.new
    mv /out/status.new /out/status
    exit
}

need() {
    "$@" || {
        say "roce: failed: $*"
        finish 125
    }
}

# rxe of these kernels works in the first network namespace only, where the kernel would hand packets between two of its
# own addresses over without any device. Rules that ask for the local table only after the two others keep that from
# happening: what goes to an address leaves by the other's device.
make_devices() {
    local name
    need ip link set lo up
    need ip link add wire0 type veth peer name wire1
    need ip address add 10.9.0.1/32 dev wire0
    need ip address add 10.9.0.2/32 dev wire1
    for name in all wire0 wire1; do
        echo 1 >/proc/sys/net/ipv4/conf/$name/accept_local
        echo 0 >/proc/sys/net/ipv4/conf/$name/rp_filter
    done
    need ip link set wire0 mtu 4200 up
    need ip link set wire1 mtu 4200 up
    need ip rule add pref 10 iif wire0 lookup local
    need ip rule add pref 11 iif wire1 lookup local
    need ip route add 10.9.0.2 dev wire0 src 10.9.0.1 table 102
    need ip rule add pref 20 to 10.9.0.2 lookup 102
    need ip route add 10.9.0.1 dev wire1 src 10.9.0.2 table 101
    need ip rule add pref 21 to 10.9.0.1 lookup 101
    need ip rule add pref 100 lookup local
    need ip rule del pref 0
    need rdma link add rxe0 type rxe netdev wire0
    need rdma link add rxe1 type rxe netdev wire1
}

# Packets of each device, and frames that crossed the pair of interfaces below.
counters() {
    local device wire
    for device in rxe0 rxe1; do
        wire=wire${device#rxe}
        printf '%s sent=%s received=%s frames=%s\n' "$device" \
            "$(cat /sys/class/infiniband/$device/ports/1/hw_counters/sent_pkts 2>/dev/null || echo 0)" \
            "$(cat /sys/class/infiniband/$device/ports/1/hw_counters/rcvd_pkts 2>/dev/null || echo 0)" \
            "$(cat /sys/class/net/$wire/statistics/tx_packets 2>/dev/null || echo 0)"
    done
}

export -f counters
ulimit -l unlimited
# The emulator translates code anew for each address that it runs at: with the same addresses in every process, a JVM starts on what
# was translated for those before it.
echo 0 >/proc/sys/kernel/randomize_va_space
make_devices
read -r up _ </proc/uptime
say "roce: kernel $(uname -r), rxe0 and rxe1 after $up s"
export UCX_ERROR_SIGNALS='' UCX_HANDLE_ERRORS=none UCX_LOG_FILE=stderr
cd /tmp || finish 125
bash /out/suite.sh >/dev/console 2>&1
status=$?
# A suite that takes devices away has left what they had counted before.
[[ -s /out/counters ]] || counters >/out/counters
finish $status
