#!/bin/bash
# gRPC over Fairlead's channels for Netty, the server on rxe1 and the client on rxe0: unary calls and a stream, over RDMA verbs alone.
set -u
. /out/lib.sh
if [[ -z $TEST_PATH ]]; then
    echo 'roce: what speaks gRPC is not built; start this with ./fairlead roce-test in a clone'
    exit 2
fi
# As lib.sh has it for the fairlead command, and no path but RDMA's.
export FAIRLEAD_UCX_TLS=rc_verbs,ud_verbs,self FAIRLEAD_TRANSPORTS=ucx FAIRLEAD_POLICY=require-rdma
export FAIRLEAD_CONNECT_TIMEOUT=60s FAIRLEAD_LIVENESS_TIMEOUT=30s FAIRLEAD_STALL_TIMEOUT=60s

peer() {
    local device=$1
    shift
    FAIRLEAD_UCX_DEVICES=$device:1 exec "$JAVA" "${java_options[@]}" -cp "$TEST_PATH" io.fairlead.benchmarks.rpc.GrpcPeer "$@"
}

mkfifo /tmp/input
peer rxe1 serve </tmp/input >/out/server.txt 2>&1 &
server=$!
exec 8>/tmp/input
await 180 /out/server.txt '^grpc-peer: serves at ' "$server"
result 'gRPC: server' $? "$(tail -n 1 /out/server.txt | cut -c 1-160)"
port=$(sed -n 's/^grpc-peer: serves at //p' /out/server.txt)

(peer rxe0 ask "$port" 8>&-) >/out/client.txt 2>&1
status=$?
result 'gRPC: client' "$status" "$(tail -n 1 /out/client.txt | cut -c 1-160)"
grep -q '^grpc-peer: path ucx over rxe0-rxe1 \[rc_verbs' /out/client.txt
result 'gRPC: over RDMA' $? "$(grep -m 1 '^grpc-peer: path' /out/client.txt | cut -c 1-160)"
grep -q '^grpc-peer: unary calls answered, all intact: 200$' /out/client.txt
result 'gRPC: unary' $? "$(grep -m 1 'unary' /out/client.txt)"
grep -q '^grpc-peer: messages of a stream answered, all intact: 100$' /out/client.txt
result 'gRPC: stream' $? "$(grep -m 1 'stream' /out/client.txt)"

# The end of its input ends the server in order.
exec 8>&-
wait "$server"
result 'gRPC: the server ends' $? "$(tail -n 1 /out/server.txt | cut -c 1-160)"
exit $((failures > 0))
