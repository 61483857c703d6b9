#!/bin/bash
# Two processes over RDMA verbs, the listener on rxe1 and the connector on rxe0.
set -u
. /out/lib.sh

# A message of 1 MiB there and back.
pair() {
    local address answer status
    fairlead rxe1 doctor-peer >/out/pair-listener.txt 2>&1 &
    local listener=$!
    if ! await 120 /out/pair-listener.txt '^doctor-peer: '; then
        result 'two processes' 1 'the listener did not start'
        finish "$listener"
        return
    fi
    address=$(sed -n 's/^doctor-peer: //p' /out/pair-listener.txt)
    fairlead rxe0 doctor-peer --timeout-s=60 "--connect=$address" >/out/pair-connector.txt 2>&1
    status=$?
    answer=$(tail -n 1 /out/pair-connector.txt)
    # The path must be RDMA over the two devices, as both sides were told.
    ((status == 0)) && [[ $answer == *'"transport":"ucx"'* && $answer == *'rxe0-rxe1'* ]]
    result 'two processes' $? "$answer"
    finish "$listener"
}

pair
exit $((failures > 0))
