#!/bin/bash
# What happens to the survivors when RDMA breaks: two processes with traffic, the listener on rxe1 and the connector on rxe0. The
# control channel between them is on the loopback interface, so that nothing but RDMA can tell of what is done to the wire.
set -u
. /out/lib.sh

# Tries again for some 0.4 s instead of minutes; a host that wants to hear of a dead link soon sets the same.
export UCX_RC_TIMEOUT=100ms UCX_RC_RETRY_COUNT=3 UCX_IB_GID_INDEX=1
listener='' connector='' address=''

start_listener() {
    rm -f /out/revoke
    fairlead rxe1 roce-peer --revoke-at=/out/revoke >"/out/listener-$1.txt" 2>&1 &
    listener=$! listener_log=/out/listener-$1.txt
    await 120 "$listener_log" 'listens at' || result "$1" 1 'the listener did not start'
    address=$(sed -n 's/^roce-peer: listens at //p' "$listener_log")
}

start_connector() {
    fairlead rxe0 roce-peer --connections=1000 "--connect=$address" >"/out/connector-$1.txt" 2>&1 &
    connector=$! connector_log=/out/connector-$1.txt
    await 120 "$connector_log" ' going' || result "$1" 1 'the connector did not get going'
}

stop_connector() {
    [[ -z $connector ]] || finish "$connector"
    connector=''
}

ready_listener() {
    if [[ -z $listener ]] || ! kill -0 "$listener" 2>/dev/null; then
        [[ -z $connector ]] || kill -9 "$connector" 2>/dev/null
        connector=''
        start_listener "$1"
    fi
}

# Both, if they are not there; a new listener has another address, so that it needs a new connector.
ready() {
    ready_listener "$1"
    if [[ -z $connector ]] || ! kill -0 "$connector" 2>/dev/null; then
        start_connector "$1"
    fi
}

# Tells of processes that did not survive: survivors NAME
survivors() {
    local who log process
    for who in connector listener; do
        log=${who}_log process=${!who}
        kill -0 "$process" 2>/dev/null && continue
        row "$1" 'both processes live' "$who ENDED: $(grep -E -m 1 'FATAL|Fatal|fatal|Assertion|SIG' "${!log}" | cut -c 1-150)" 1
    done
}

# Remembers how long the logs are; what is done now is seen after that.
mark() {
    read -r before _ </proc/uptime
    at_listener=$(wc -l <"$listener_log")
    at_connector=$(wc -l <"$connector_log")
}

after() { tail -n "+$(($2 + 1))" "$1"; }

# Waits for a line of a log behind its mark, or the end of the process: seen SECONDS FILE LINES PATTERN PROCESS
seen() {
    local deadline=$((SECONDS + $1))
    until after "$2" "$3" | grep -Eq -- "$4"; do
        kill -0 "$5" 2>/dev/null || return 2
        ((SECONDS < deadline)) || return 1
        sleep 0.2
    done
}

observed() { after "$1" "$2" | grep -E -- "$3" | head -n 1 | sed 's/^roce-peer: //' | cut -c 1-350; }

# What one of the two said of a fault: check NAME EXPECTED PATTERN WHO [PATTERN-OF-A-FAILURE]
check() {
    local name=$1 expected=$2 pattern=$3 who=$4 bad=${5:-^$} log lines process status said verdict
    if [[ $who == listener ]]; then
        log=$listener_log lines=$at_listener process=$listener
    else
        log=$connector_log lines=$at_connector process=$connector
    fi
    seen 90 "$log" "$lines" "$pattern" "$process"
    status=$?
    case $status in
        0)
            said=$(observed "$log" "$lines" "$pattern")
            ! grep -Eq -- "$bad" <<<"$said"
            verdict=$?
            row "$name" "$expected" "$who: $said" "$verdict"
            ;;
        1) row "$name" "$expected" "$who: nothing: $(tail -n 1 "$log" | cut -c 1-120)" 1 ;;
        *)
            row "$name" "$expected" "$who ENDED: $(grep -E 'FATAL|Fatal|fatal|SIG|ucs_' "$log" | head -n 1 | cut -c 1-200)" 1
            ;;
    esac
}

row() {
    local verdict=passed now
    read -r now _ </proc/uptime
    if (($4 != 0)); then
        verdict=FAILED failures=$((failures + 1))
    fi
    printf 'roce: %-34s | %-36s | %s | %s s | %s\n' "$1" "$2" "$3" "$(awk -v a="$before" -v b="$now" 'BEGIN { printf "%.1f", b - a }')" "$verdict" |
        tee -a /out/faults.txt
}

# The other side of the fault, and that traffic flows again after it: recovered NAME
recovered() {
    mark
    check "$1, mended" 'connects again' ' going| went on' connector
}

loss() {
    local wire
    for wire in wire0 wire1; do
        if [[ $1 == 0 ]]; then
            tc qdisc del dev $wire root
        else
            tc qdisc add dev $wire root netem loss "$1%"
        fi
    done
}

owner() { [[ $1 == wire0 ]] && echo connector || echo listener; }

fault_loss() {
    ready first
    mark
    loss 1
    check '1% of packets lost' 'traffic goes on' ' went on| failed' connector
    loss 0

    mark
    loss 100
    check 'all packets lost' 'the endpoint fails' ' failed ' connector
    loss 0
    recovered 'all packets lost'
}

fault_link() {
    local wire
    for wire in wire0 wire1; do
        ready "$wire"
        mark
        ip link set $wire down
        check "link of $(owner $wire) down" 'the endpoint fails' ' failed ' connector
        sleep 5
        link_up $wire
        survivors "link of $(owner $wire) down"
        if kill -0 "$connector" 2>/dev/null && kill -0 "$listener" 2>/dev/null; then
            recovered "link of $(owner $wire) down"
        fi
    done
}

# The endpoint outlives its lane, and goes back to it: no round fails, and what comes back is what was sent.
fault_failover() {
    local wire time transports=${TRANSPORTS:-}
    stop_connector
    [[ -z $listener ]] || finish "$listener"
    listener=''
    export TRANSPORTS=ucx,tcp
    config+=(--set endpoint.failover=on)
    for wire in wire0 wire1; do
        ready "failover-$wire"
        mark
        check 'failover, before' 'traffic over RDMA' 'went on.*transport=' connector 'transport=tcp'
        for time in first second; do
            mark
            ip link set $wire down
            check "link of $(owner $wire) down, failover" 'traffic goes on over TCP' 'went on.*transport=tcp| ended with | failed ' connector ' ended with | failed '
            mark
            link_up $wire
            check "the same, mended, the $time time" 'traffic goes back to RDMA' 'went on.*transport=ucx| ended with | failed ' connector ' ended with | failed '
        done
        survivors "link of $(owner $wire) down, failover"
        stop_connector
        finish "$listener"
        listener=''
    done
    unset "config[-1]" "config[-1]"
    export TRANSPORTS=$transports
}

fault_kill() {
    ready kill
    mark
    kill -9 "$connector"
    check 'connector killed' 'the listener sees it and lives' ' failed PEER_LOST' listener
    connector=''
}

fault_term() {
    ready term
    mark
    kill "$connector"
    check 'connector ended by SIGTERM' 'a goodbye' ' closed' listener
    wait "$connector"
    connector=''
}

fault_revoke() {
    ready revoke
    mark
    touch /out/revoke
    check 'region closed under traffic' 'REVOKED, or the endpoint fails' ' ended with (REVOKED|PEER_FAILED|TRANSPORT_ERROR)' connector
    stop_connector
    finish "$listener"
    listener=''
}

# A key that says more than its owner did gets past the checks of the own side, so that the device of the other has to refuse.
fault_forged() {
    local lie words
    [[ -n $listener ]] || ready forged
    stop_connector
    fairlead rxe0 roce-hostile --revoke-at=/out/revoke "--connect=$address" >/out/connector-forged.txt 2>&1 &
    connector=$! connector_log=/out/connector-forged.txt at_connector=0
    at_listener=$(wc -l <"$listener_log")
    for lie in 'get beyond the region' 'put beyond the region' 'put across its end' 'put before the region' \
        'get of a closed region' 'put to a closed region'; do
        read -r before _ </proc/uptime
        check "forged key: $lie" 'refused, the endpoint fails in order' "(refused|GOT THROUGH): $lie" connector 'GOT THROUGH'
    done
    wait "$connector"
    connector=''
    # Its last word on each connection.
    words=$(after "$listener_log" "$at_listener" | grep -E ' memory is untouched| MEMORY WAS' | sed 's/^roce-peer: //' | sort | uniq -c | tr -s ' \n' ' ')
    [[ $words == ' 6 memory is untouched ' ]] && kill -0 "$listener"
    row 'forged keys, at the owner' 'memory untouched, the process lives' "listener:$words" $?
    finish "$listener"
    listener=''
}

fault_listener() {
    ready killlistener
    mark
    kill -9 "$listener"
    check 'listener killed' 'the connector sees it and lives' ' failed PEER_LOST' connector
    listener=''
    stop_connector
}

# The fairlead command with a limit of locked memory, in KiB, that binds it although it is root's.
limited() {
    exec setpriv --bounding-set -ipc_lock --inh-caps -ipc_lock bash -c \
        'ulimit -l "$0" && . /out/lib.sh && fairlead "$@"' "$@"
}

fault_memlock() {
    local policy
    stop_connector
    [[ -z $listener ]] || finish "$listener"
    # The one side that has a choice.
    export TRANSPORTS=ucx,tcp
    limited unlimited rxe1 roce-peer >/out/listener-memlock.txt 2>&1 &
    listener=$! listener_log=/out/listener-memlock.txt
    await 120 "$listener_log" 'listens at' || result memlock 1 'the listener did not start'
    address=$(sed -n 's/^roce-peer: listens at //p' "$listener_log")
    for policy in auto require-rdma; do
        connector_log=/out/connector-memlock-$policy.txt at_connector=0
        read -r before _ </proc/uptime
        limited 1024 rxe0 roce-peer "--policy=$policy" "--connect=$address" >"$connector_log" 2>&1 &
        connector=$!
        if [[ $policy == auto ]]; then
            check 'limit of 1 MiB locked, auto' 'TCP, with the reason' ' path (tcp.*locked memory: limit=|ucx)' connector ' path ucx'
        else
            check 'the same, require-rdma' 'refused, with the cause' '(not connected NO_PATH|^fairlead: ).*locked memory: limit=' connector
        fi
        stop_connector
    done
    export TRANSPORTS=ucx
    connector_log=/out/connector-memlock-region.txt at_connector=0
    read -r before _ </proc/uptime
    limited 131072 rxe0 roce-peer "--allocate=$((256 << 20))" "--connect=$address" >"$connector_log" 2>&1 &
    connector=$!
    check 'region of 256 MiB, limit 128 MiB' 'refused, with the remedy' ' region (refused REGISTRATION_FAILED.*ulimit -l|allocated)' connector ' region allocated'
    at_connector=$(wc -l <"$connector_log")
    read -r before _ </proc/uptime
    check 'the same, afterwards' 'traffic goes on' ' went on| failed ' connector ' failed '
    stop_connector
    finish "$listener"
    listener=''
    export TRANSPORTS=
}

fault_delete() {
    ready delete
    mark
    for ((wait = 50; wait > 0 && $(packets rxe0) < 300; wait--)); do
        sleep 0.2
    done
    # They go with the device.
    counters >/out/counters
    # The kernel does not take a device of this kind from those who have it open: it waits for them.
    rdma link del rxe0 &
    check 'device of connector deleted' 'traffic goes on while it is open' ' went on| failed ' connector
    survivors 'device of connector deleted'
    stop_connector
    finish "$listener"
    listener=''
    wait
    rdma link add rxe0 type rxe netdev wire0
}

# Those that are wanted, or all.
for fault in ${SUITES:-loss link failover kill term forged revoke memlock listener delete}; do
    "fault_$fault"
done

exit $((failures > 0))
