# What the suites have in common; sourced by them.
. /out/parameters
failures=0

# The first compiler and the serial collector get a JVM going soonest.
java_options=(-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Xmx384m --enable-native-access=ALL-UNNAMED)
# No lane but RDMA's, so that nothing can go another way unless a suite says so; emulated processors need more time than real ones.
config=(--set ucx.tls=rc_verbs,ud_verbs,self --set "transports=${TRANSPORTS:-ucx}" --set connect.timeout=60s --set liveness.timeout=30s)

# The fairlead command on one of the devices, in the place of the shell that calls this, so that $! is the process itself when it is
# started in the background: fairlead rxe0 ARGUMENT... &
fairlead() {
    local device=$1
    shift
    exec "$JAVA" "${java_options[@]}" -cp "$CLASS_PATH" "$MAIN_CLASS" "$@" "${config[@]}" \
        --set "ucx.devices=$device:1"
}

# The kernel takes the routes away with the link.
link_up() {
    ip link set "$1" up
    ip route replace 10.9.0.2 dev wire0 src 10.9.0.1 table 102
    ip route replace 10.9.0.1 dev wire1 src 10.9.0.2 table 101
}

packets() { cat "/sys/class/infiniband/$1/ports/1/hw_counters/sent_pkts"; }

# Waits until a file has a line that matches, or the process that writes it has ended without: await SECONDS FILE PATTERN [PID]
await() {
    local deadline=$((SECONDS + $1))
    until grep -q -- "$3" "$2" 2>/dev/null; do
        ((SECONDS < deadline)) || return 1
        if [[ -n ${4:-} ]] && ! kill -0 "$4" 2>/dev/null; then
            # Its last words may have come after the look.
            grep -q -- "$3" "$2" 2>/dev/null
            return
        fi
        sleep 0.2
    done
}

# Ends a background process in order, by force if it does not listen.
finish() {
    local deadline=$((SECONDS + 30))
    kill "$1" 2>/dev/null
    while kill -0 "$1" 2>/dev/null; do
        ((SECONDS < deadline)) || kill -9 "$1" 2>/dev/null
        sleep 0.2
    done
    wait "$1" 2>/dev/null
}

# Prints a result line: result NAME STATUS DETAIL, and counts failures.
result() {
    local verdict=passed
    if (($2 != 0)); then
        verdict=FAILED
        failures=$((failures + 1))
    fi
    printf 'roce: %-28s %s (%s s) %s\n' "$1" "$verdict" "$SECONDS" "$3"
}
