#!/bin/bash
# fairlead perf over RDMA verbs, the server on rxe1 and the client on rxe0: that every test of it runs there. An emulated processor and a device
# in software tell nothing of real ones, so the counts are small, and every line of figures says so.
set -u
. /out/lib.sh

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
