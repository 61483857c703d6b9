#!/bin/bash
# fairlead rdma-check over RDMA verbs as a user runs it on two hosts: the listening side on rxe1 and the other on rxe0. Its figures mean
# nothing here.
set -u
. /out/lib.sh

# The two share one processor where there is no KVM: who spins keeps the other from its answer.
config+=(--set idle.strategy=backoff)
fairlead rxe1 rdma-check --listen=127.0.0.1:0 >/out/listener.txt 2>&1 &
listener=$!
if ! await 180 /out/listener.txt '^rdma-check listens at ' "$listener"; then
    result 'listener' 1 "did not start: $(tail -n 1 /out/listener.txt)"
    finish "$listener"
    exit 1
fi
address=$(sed -n 's/^rdma-check listens at //p' /out/listener.txt)
fairlead rxe0 rdma-check "$address" --require-rdma --seconds=1 --iterations=5 --json=/out/report.json 2>/out/check-log.txt |
    tee /out/check.txt
result 'rdma-check' "${PIPESTATUS[0]}" "$(tail -n 1 /out/check.txt)"
grep -q '^path: ucx over rxe0-rxe1 \[rc_verbs' /out/check.txt
result 'over RDMA' $? "$(grep -m 1 '^path: ' /out/check.txt)"
kill -0 "$listener"
result 'the listening side lives' $? ''
finish "$listener"
exit $((failures > 0))
