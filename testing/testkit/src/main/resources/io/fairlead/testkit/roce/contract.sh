# The contract suites over RDMA verbs: of the two contexts of a case one is on rxe0 and the other on rxe1. Sourced behind lib.sh.
if [[ -z $TEST_PATH ]]; then
    echo 'roce: the contract suites are not built; start them with ./fairlead roce-test in a clone'
    exit 2
fi
cat >/tmp/logback.xml <<'XML'
<configuration>
  <appender name="log" class="ch.qos.logback.core.ConsoleAppender">
    <target>System.err</target>
    <encoder><pattern>%d{HH:mm:ss.SSS} [%thread] %-5level %logger{20} -- %msg%n</pattern></encoder>
  </appender>
  <root level="WARN"><appender-ref ref="log"/></root>
</configuration>
XML

# What is on the shared folder is seen by all guests, and a class belongs to the one that claims it first.
mkdir -p /claims
mount -t 9p -o trans=virtio,version=9p2000.L,msize=65536,access=any claims /claims || exit 2

# Runs suites, all if none is named, and returns 0 if that came to its end: contract JVM-OPTION... -- SUITE...
contract() {
    local -a options=()
    local status running
    while [[ $1 != -- ]]; do
        options+=("$1")
        shift
    done
    shift
    # Every context looks through the thousand GIDs that an rxe device has room for, and every worker fills its receive queues: emulated,
    # both take longer than most cases.
    export UCX_IB_GID_INDEX=1 UCX_RC_RX_QUEUE_LEN=1024 UCX_UD_RX_QUEUE_LEN=1024
    # One JVM runs one class after the other. A class that does not come back ends it with status 3, and one that breaks UCX ends it with
    # another; what is left runs in the next.
    while :; do
        rm -f /out/running
        "$JAVA" "${java_options[@]}" -Xmx768m -XX:ErrorFile=/out/jvm-%p.txt -Dlogback.configurationFile=/tmp/logback.xml \
            -Dfairlead.test.ucx.lanes=rc_verbs,ud_verbs,self -Dfairlead.test.ucx.devices=rxe0:1,rxe1:1 \
            -Dfairlead.contract.deadline-s=100 -Dfairlead.contract.repetitions-divisor=10 -Dfairlead.test.rounds=17 \
            -Djunit.jupiter.execution.timeout.mode=enabled ${options[@]+"${options[@]}"} \
            -cp "$TEST_PATH" io.fairlead.transport.ucx.RdmaSuites /out /claims "$@" 2>>/out/contract-log.txt
        status=$?
        ((status == 3)) && continue
        ((status > 3)) && [[ -s /out/running ]] || return "$status"
        running=$(</out/running)
        printf 'roce: %-42s FAILED: the JVM ended with status %d; see contract-log.txt\n' "$running" "$status"
        printf '%s 0 1 0 0 0 0\n' "$running" >>/out/results.txt
    done
}
