#!/bin/bash
# fairlead perf over RDMA verbs, the server on rxe1 and the client on rxe0: that every test of it runs there. An emulated processor and a device
# in software tell nothing of real ones, so the counts are small, and every line of figures says so. Before that, what single operations
# cost in instructions, which real processors execute too.
set -u
. /out/lib.sh

# Processor time of a process in ns: processor_ns COMMAND...
processor_ns() {
    local TIMEFORMAT='%U %S'
    { time "$@" >>/out/ucx_perftest.txt 2>&1; } 2>&1 | awk 'END { printf "%.0f", ($1 + $2) * 1e9 }'
}

# What an operation of 8 bytes of C's program costs with itself over rxe0, in ns: the start of the process cancels out. Without error handling,
# with which UCX 1.13 ends a process that is connected with itself. perftest_ns TEST
perftest_ns() {
    local few=5000 many=25000 least='' round
    local -a command=(env UCX_TLS=rc_verbs,ud_verbs UCX_NET_DEVICES=rxe0:1 ucx_perftest -l -f -t "$1" -s 8 -w 100)
    for round in 1 2; do
        local ns=$((($(processor_ns "${command[@]}" -n $many) - $(processor_ns "${command[@]}" -n $few)) / (many - few)))
        [[ -n $least ]] && ((least < ns)) || least=$ns
    done
    printf '%s' "$least"
}

# The processor time of one thread or process is a count of its instructions, those of the kernel and its device included, where the guest's clock
# counts them: 2 ns each. Both sides are in one process, so that none spins for the other.
count_instructions() {
    local name test fairlead_ns c_ns
    local java_options=(-XX:+UseSerialGC -XX:-UsePerfData -Xmx384m --enable-native-access=ALL-UNNAMED)
    (fairlead rxe0 roce-count) >/out/count.txt 2>&1
    result 'instructions of Fairlead' $? "$(tail -n 1 /out/count.txt | cut -c 1-150)"
    grep -q 'path ucx over rxe0.*\[rc_verbs' /out/count.txt
    result 'over RDMA' $? "$(grep -m 1 'path ' /out/count.txt | cut -c 1-150)"
    if ! type -P ucx_perftest >/dev/null; then
        echo 'roce: no ucx_perftest to compare with; install ucx-utils'
        return
    fi
    echo 'roce: instructions per operation of 8 B: Fairlead, ucx_perftest, more'
    while IFS=: read -r name test; do
        fairlead_ns=$(sed -n "s/^roce-count: $name: \([0-9]*\) ns\$/\1/p" /out/count.txt)
        c_ns=$(perftest_ns "$test")
        printf 'roce: instructions: %-16s | %6d | %6d | %6d\n' "$name" $((${fairlead_ns:-0} / 2)) $((c_ns / 2)) $(((${fairlead_ns:-0} - c_ns) / 2))
    done <<<$'put:ucp_put_lat\nget:ucp_get\nsend and receive:tag_lat'
}

if [[ $CLOCK == instructions ]]; then
    count_instructions
else
    echo "roce: instructions are not counted: this host's processor runs the guest"
fi

# The two share one processor where there is no KVM: who spins keeps the other from its answer.
config+=(--set idle.strategy=backoff)
fairlead rxe1 perf server --listen=127.0.0.1:0 >/out/server.txt 2>&1 &
server=$!
if ! await 180 /out/server.txt '^perf server at ' "$server"; then
    result 'server' 1 "did not start: $(tail -n 1 /out/server.txt)"
    finish "$server"
    exit 1
fi
address=$(sed -n 's/^perf server at //p' /out/server.txt)
echo 'roce: EMULATED: the figures below mean nothing, neither alone nor beside others'
fairlead rxe0 perf "--connect=$address" --sizes=8,4KiB,64KiB --iterations=100 --warmup=100 --rounds=2 \
    >/out/perf.txt 2>/out/client.txt &
client=$!
wait "$client"
result 'every test of perf' $? "$(tail -n 1 /out/client.txt | cut -c 1-150)"
# Rounds this short are the compiler's, so that what they allocate is nothing to hold against the goals.
grep -v -- '-allocation ' /out/perf.txt | sed 's/^/roce: emulated: /'
grep -q 'path: ucx over rxe0-rxe1 \[rc_verbs' /out/perf.txt
result 'over RDMA' $? "$(grep -m 1 'path: ' /out/perf.txt)"
kill -0 "$server"
result 'the server lives' $? ''
finish "$server"
exit $((failures > 0))
