# Which path two processes take, and with which reason: the listener is on rxe1 and the connector on rxe0; TCP goes over the loopback
# interface. What a side has, it reads at its start. Sourced behind lib.sh.
listener='' address='' log=''
# Where the rows go.
table=/out/paths.txt
readonly RDMA='path ucx over rxe0-rxe1 \[rc_verbs'

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

# Connects and compares what is said of the path, or of there being none; log is what the connector said: check CASE POLICY EXPECTED PATTERN FAIRLEAD [PATTERN-TO-WAIT-FOR]
check() {
    local verdict=passed observed connector
    log=/out/connector-${1//[^a-z]/-}-$2.txt
    "$5" rxe0 roce-peer --report=50 "--policy=$2" "--connect=$address" >"$log" 2>&1 &
    connector=$!
    await 180 "$log" '^roce-peer: path \|^roce-peer: not connected\|^fairlead: ' "$connector"
    observed=$(grep -m 1 '^roce-peer: path \|^roce-peer: not connected\|^fairlead: ' "$log" || tail -n 1 "$log")
    if ! grep -Eq -- "$4" <<<"$observed" || ! await 180 "$log" "${6:-.}" "$connector"; then
        verdict=FAILED failures=$((failures + 1))
    fi
    printf 'roce: %-31s | %-12s | %-26s | %s | %s\n' "$1" "$2" "$3" "${observed#roce-peer: }" "$verdict" | tee -a "$table"
    stop "$connector"
}

heading() { printf 'roce: %-31s | %-12s | %-26s | %s\n' case policy expected observed | tee "$table"; }
