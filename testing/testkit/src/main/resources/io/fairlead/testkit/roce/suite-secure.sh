#!/bin/bash
# RDMA with security.mode=encrypted: which path two processes with certificates take where both trust the fabric, and where one of them
# does not; then contract suites on secured connections, over a fabric that is trusted.
set -u
export TRANSPORTS=ucx,tcp UCX_IB_GID_INDEX=1
. /out/lib.sh
. /out/paths.sh
. /out/contract.sh

# All for connecting, tagged messages and remote memory, and those of who may do what: the longest first.
readonly ALL='paths TaggedModelContract TaggedSizeContract RemoteTransferContract RemoteMemoryContract ConnectionContract
    ConnectionRequestContract ConnectionRefusalContract RemoteKeyContract RemoteSignalContract TaggedSendContract SecurityContract
    TaggedMatchHandlerContract TaggedCancelContract RemoteAtomicContract RemoteRegionContract AccessContract
    TaggedDeliveryContract TaggedOrderContract TaggedProbeContract CapabilitiesContract RegionAccessContract TaggedMaskContract
    TaggedTruncationContract TaggedArgumentContract RemoteMemoryModelContract RemoteBoundsContract PubSubAccessContract'
readonly KEYS=/tmp/keys

make_keys() {
    local name
    "$JAVA" "${java_options[@]}" -cp "$CLASS_PATH" "$MAIN_CLASS" keys init --directory "$KEYS" || return 1
    for name in rxe0 rxe1; do
        "$JAVA" "${java_options[@]}" -cp "$CLASS_PATH" "$MAIN_CLASS" keys node "$name" --directory "$KEYS" --ip 127.0.0.1 || return 1
    done
}

# The fairlead command with a certificate of its device's name: encrypted TRUSTED-FABRIC DEVICE ARGUMENT...
encrypted() {
    local trusted=$1
    shift
    config+=(--set security.mode=encrypted --set "security.trusted-fabric=$trusted" --set "security.certificate=$KEYS/$1.pem"
        --set "security.key=$KEYS/$1-key.pem" --set "security.trust=$KEYS/ca.pem" --set listener.hello-timeout=60s)
    fairlead "$@"
}

trusting() { encrypted true "$@"; }
wary() { encrypted false "$@"; }

# As check, where the two connect, and whether what they exchanged went over RDMA: exchange rdma|none CASE POLICY ...
exchange() {
    local wanted=$1 sent peer
    shift
    sent=$(($(packets rxe0) + $(packets rxe1)))
    check "$@"
    sent=$(($(packets rxe0) + $(packets rxe1) - sent))
    peer=$(sed -n 's/^roce-peer: the peer is //p' "$log")
    case $wanted in
        rdma) ((sent >= 200)) && [[ $peer == CN=rxe1 ]] ;;
        none) ((sent == 0)) && [[ $peer == CN=rxe1 ]] ;;
    esac
    result "$1" $? "peer: $peer, RDMA packets: $sent"
}

paths() {
    local cause='nothing encrypts RDMA, and security.mode=encrypted at the'
    make_keys >/out/keys.txt 2>&1
    result 'keys' $? "$(tail -n 1 /out/keys.txt)"
    heading
    start_listener trusting trusting
    # Before the exchange over RDMA, whose end may be noticed late.
    exchange none 'only the listener trusts' auto 'TCP, naming the side' "path tcp over lo.*$cause connector" wary ' went on: rounds='
    check 'only the listener trusts' require-rdma 'refused, naming the side' "^roce-peer: not connected NO_PATH.*$cause connector" wary
    check 'the connector has no keys' auto 'refused' '^roce-peer: not connected REFUSED.*does not speak TLS' fairlead
    exchange rdma 'both trust the fabric' auto 'RDMA' "$RDMA" trusting ' went on: rounds='
    start_listener wary wary
    exchange none 'only the connector trusts' auto 'TCP, naming the side' "path tcp over lo.*$cause listener" trusting ' went on: rounds='
    exchange none 'nobody trusts the fabric' auto 'TCP, naming a side' "path tcp over lo.*$cause" wary ' went on: rounds='
    stop "$listener"
}

suites=()
for name in ${SUITES:-$ALL}; do
    if [[ $name != paths ]]; then
        suites+=("$name")
    elif mkdir /claims/paths 2>/dev/null; then
        paths
    fi
done
if ((${#suites[@]})); then
    # A class has more time than without TLS, whose arithmetic takes emulated processors long.
    contract -Dfairlead.contract.security=encrypted -Dfairlead.roce.variant=ucx-rc-tls -Dfairlead.roce.limit-s=900 -- "${suites[@]}" || exit
fi
exit $((failures > 0))
