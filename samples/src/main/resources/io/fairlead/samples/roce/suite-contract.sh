#!/bin/bash
# The contract suites over RDMA verbs: of the two contexts of a case one is on rxe0 and the other on rxe1.
set -u
. /out/lib.sh

if [[ -z $TEST_PATH ]]; then
    echo 'roce: the contract suites are not built; start them with ./fairlead roce-test in a clone'
    exit 2
fi
# shellcheck disable=SC2086
"$JAVA" "${java_options[@]}" -Xmx768m -Dfairlead.test.ucx.lanes=rc_verbs,ud_verbs,self \
    -Dfairlead.test.ucx.devices=rxe0:1,rxe1:1 -Dfairlead.contract.deadline-s=300 \
    -Djunit.jupiter.execution.timeout.mode=enabled \
    -cp "$TEST_PATH" io.fairlead.transport.ucx.RdmaSuites /out $SUITES 2>/out/contract-log.txt
