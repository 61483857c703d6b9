#!/bin/bash
# fairlead perf over RDMA verbs, the server on rxe1 and the client on rxe0: that every test of it runs there. An emulated processor and a device
# in software tell nothing of real ones, so the counts are small, and every line of figures says so. Before that, what single operations
# cost in instructions, which real processors execute too.
set -u
. /out/lib.sh

# The processor time of a thread is a count of its instructions, those of the kernel and its device included, where the guest's clock
# counts them: 1 ns each. Both sides are in one process, so that none spins for the other. Beside it a program in C does the same by UCX's
# calls alone; ucx_perftest does not, since connected with itself over RDMA (-l) UCX 1.13.1 hangs or ends it (ucp_request.c:684).
count_instructions() {
    # The second compiler, sooner than usual, and while the program waits for it: what is counted is compiled.
    local java_options=(-XX:+UseSerialGC -XX:-UsePerfData -Xmx384m --enable-native-access=ALL-UNNAMED
        -Xbatch -XX:CompileThresholdScaling=0.2)
    gcc -O2 -o /tmp/ucx-count /out/ucx-count.c -lucp -lucs 2>/out/gcc.txt &&
        UCX_TLS=rc_verbs,ud_verbs,self UCX_NET_DEVICES=rxe0:1 UCX_UD_ETH_DGID_CHECK=n /tmp/ucx-count 5000 2000 9 >/out/count-c.txt 2>&1
    result 'instructions of C' $? "$(cat /out/gcc.txt /out/count-c.txt | tail -n 1 | cut -c 1-150)"
    grep -q 'lane\[0\]:.*rc_verbs/rxe0:1' /out/count-c.txt
    result 'over RDMA' $? "$(grep -m 1 'lane\[0\]' /out/count-c.txt | cut -c 3-150)"
    (fairlead rxe0 roce-count) >/out/count.txt 2>&1
    result 'instructions of Fairlead' $? "$(tail -n 1 /out/count.txt | cut -c 1-150)"
    grep -q 'path ucx over rxe0.*\[rc_verbs' /out/count.txt
    result 'over RDMA' $? "$(grep -m 1 'path ' /out/count.txt | cut -c 1-150)"
    for name in put 'put and flush' get 'send and receive'; do
        local fairlead c
        fairlead=$(median "$name" /out/count.txt)
        c=$(median "$name" /out/count-c.txt)
        printf 'roce: instructions per %s of 8 B: Fairlead %d, C %d, difference %d\n' \
            "$name" "$fairlead" "$c" $((fairlead - c))
    done
}

# The median of the rounds of one kind of operation, in ns: median NAME FILE
median() {
    sed -n "s/^count: $1: \([0-9]*\) ns\$/\1/p" "$2" | sort -n | awk '{ all[NR] = $1 } END { print NR ? all[int((NR + 1) / 2)] : 0 }'
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
