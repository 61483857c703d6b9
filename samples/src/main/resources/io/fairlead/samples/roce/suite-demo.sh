#!/bin/bash
# Two processes over RDMA verbs, the listener on rxe1 and the connector on rxe0: messages, puts and gets, and the death of one of them.
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
result 'a killed peer is noticed' $? "$(tail -n 1 /out/listener.txt | cut -c 1-120)"
kill -0 "$listener"
result 'the survivor lives' $? ''
finish "$listener"
exit $((failures > 0))
