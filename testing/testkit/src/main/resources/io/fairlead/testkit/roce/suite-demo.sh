#!/bin/bash
# Two processes over RDMA verbs, the listener on rxe1 and the connector on rxe0: messages, puts and gets, and the death of one of them. Then
# the cache, whose clients read a server that does nothing.
set -u
. /out/lib.sh

fairlead rxe1 roce-peer >/out/listener.txt 2>&1 &
listener=$!
if ! await 180 /out/listener.txt 'listens at' "$listener"; then
    result 'listener' 1 "did not start: $(tail -n 1 /out/listener.txt)"
    finish "$listener"
    exit 1
fi
address=$(sed -n 's/^roce-peer: listens at //p' /out/listener.txt)
fairlead rxe0 roce-peer --report=100 "--connect=$address" >/out/connector.txt 2>&1 &
connector=$!

# The path must be RDMA over the two devices, as the connector was told.
await 180 /out/connector.txt 'connected after .* by ucx rxe0-rxe1' "$connector"
result 'connected over RDMA' $? "$(grep -m 1 'connected' /out/connector.txt || tail -n 1 /out/connector.txt)"
await 60 /out/connector.txt ' going' "$connector"
result 'message, put and get' $? "$(tail -n 1 /out/connector.txt)"
await 120 /out/connector.txt ' went on: rounds=' "$connector"
result 'rounds of all three' $? "$(tail -n 1 /out/connector.txt)"
kill -9 "$connector"
await 60 /out/listener.txt ' failed PEER_LOST'
result 'a killed peer is noticed' $? "$(grep -m 1 ' failed PEER_LOST' /out/listener.txt | cut -c 1-120)"
kill -0 "$listener"
result 'the survivor lives' $? ''
finish "$listener"

fairlead rxe1 cache serve --listen=127.0.0.1:0 >/out/cache-server.txt 2>&1 &
server=$!
await 180 /out/cache-server.txt '^cache at ' "$server"
result 'cache: server' $? "$(tail -n 1 /out/cache-server.txt)"
address=$(sed -n 's/^cache at \([^ ]*\) .*/\1/p' /out/cache-server.txt)

# The device serves a get by itself: a server that is stopped by this signal runs no instruction, and its client reads on. What is two-sided
# would wait for the server, and is counted.
fairlead rxe0 cache bench "--connect=$address" --keys=20 --fill --reads-per-write=0 --seconds=4 >/out/cache-client.txt 2>&1 &
reader=$!
await 180 /out/cache-client.txt '^reading over' "$reader"
kill -STOP "$server"
received=$(cat /sys/class/infiniband/rxe1/ports/1/hw_counters/rdma_recvs)
await 60 /out/cache-client.txt '"gets":[1-9]' "$reader"
verdict=$?
received=$(($(cat /sys/class/infiniband/rxe1/ports/1/hw_counters/rdma_recvs) - received))
kill -CONT "$server"
grep -q '"values":[1-9]' /out/cache-client.txt && ((verdict == 0 && received == 0))
result 'cache: server stopped' $? "messages received by its device: $received; $(tail -n 1 /out/cache-client.txt)"
grep -q '^reading over ucx over rxe0-rxe1 \[rc_verbs' /out/cache-client.txt
result 'cache: over RDMA' $? "$(grep -m 1 '^reading over' /out/cache-client.txt)"
wait "$reader"
result 'cache: all values verified' $? ''
finish "$server"
exit $((failures > 0))
