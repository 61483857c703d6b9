#!/bin/bash
# The contract suites over RDMA verbs.
set -u
. /out/lib.sh
. /out/contract.sh

# shellcheck disable=SC2086
contract -- $SUITES
