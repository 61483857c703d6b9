package io.fairlead.metrics;

import static io.fairlead.metrics.MeterTag.CAUSE;
import static io.fairlead.metrics.MeterTag.OPERATION;
import static io.fairlead.metrics.MeterTag.OUTCOME;
import static io.fairlead.metrics.MeterTag.PATH;
import static io.fairlead.metrics.MeterTag.PEER_IDENTITY;
import static io.fairlead.metrics.MeterTag.REASON;
import static io.fairlead.metrics.MeterTag.SERVICE;
import static io.fairlead.metrics.MeterTag.SIDE;
import static io.fairlead.metrics.MeterTag.STATE;
import static io.fairlead.metrics.MeterTag.STATUS;
import static io.fairlead.metrics.MeterTag.TOPIC;
import static io.fairlead.metrics.MeterTag.TRANSPORT;

import java.util.List;
import java.util.Locale;

/**
 * Every meter of Fairlead: name, type, unit, tags and meaning. docs/metrics.md is written from this list, and a test holds what is
 * exposed to it.
 */
public enum FairleadMeter {
    /** Operations ended. */
    OPERATIONS("fairlead.operations", Type.COUNTER, Unit.NONE, "Ended operations.", TRANSPORT, OPERATION, STATUS),
    /** Bytes moved. */
    OPERATION_BYTES(
            "fairlead.operation",
            Type.COUNTER,
            Unit.BYTES,
            "Payload bytes of operations that ended ok.",
            TRANSPORT,
            OPERATION),
    /** Latencies. */
    OPERATION_LATENCY(
            "fairlead.operation.latency",
            Type.HISTOGRAM,
            Unit.SECONDS,
            "Time from post to end of operations that ended ok, measured for one in metrics.latency-sampling. Receives"
                    + " include the wait for the message.",
            TRANSPORT,
            OPERATION),
    /** How many latencies were taken. */
    OPERATIONS_TIMED(
            "fairlead.operations.timed",
            Type.COUNTER,
            Unit.NONE,
            "Operations whose latency was measured.",
            TRANSPORT,
            OPERATION),
    /** Operations in flight. */
    OPERATIONS_IN_FLIGHT(
            "fairlead.operations.in.flight",
            Type.GAUGE,
            Unit.NONE,
            "Operations posted whose completions have not run."),
    /** Receives waiting. */
    RECEIVES_POSTED("fairlead.receives.posted", Type.GAUGE, Unit.NONE, "Receives that wait for a message."),
    /** Their capacity. */
    RECEIVES_POSTED_BYTES(
            "fairlead.receives.posted.room", Type.GAUGE, Unit.BYTES, "Capacity of the buffers of those receives."),
    /** Messages waiting. */
    MESSAGES_WAITING(
            "fairlead.messages.waiting", Type.GAUGE, Unit.NONE, "Messages that have arrived and wait for a receive."),
    /** Their length. */
    MESSAGES_WAITING_BYTES(
            "fairlead.messages.waiting.length", Type.GAUGE, Unit.BYTES, "Length of the messages that wait."),
    /** Messages that came before their receives. */
    MESSAGES_UNEXPECTED(
            "fairlead.messages.unexpected",
            Type.COUNTER,
            Unit.NONE,
            "Messages that arrived before a receive matched them."),
    /** Active messages without a handler. */
    MESSAGES_UNHANDLED(
            "fairlead.messages.unhandled",
            Type.COUNTER,
            Unit.NONE,
            "Active messages that were dropped because no handler was registered for their number."),
    /** Search effort. */
    MATCH_ATTEMPTS(
            "fairlead.match.attempts",
            Type.COUNTER,
            Unit.NONE,
            "Receives and messages examined for a match; many per message mean long queues of one tag, or many masked"
                    + " receives."),
    /** Credits spent. */
    CREDITS_OUTSTANDING(
            "fairlead.credits.outstanding",
            Type.GAUGE,
            Unit.BYTES,
            "Bytes sent on credit whose match peers have not reported yet. A peer reports matches once they are a quarter"
                    + " of endpoint.credit-bytes, so that an idle endpoint may stay at up to that share."),
    /** Credits granted. */
    CREDITS_LIMIT(
            "fairlead.credits.limit",
            Type.GAUGE,
            Unit.BYTES,
            "Bytes that peers accept on credit: the sum of endpoint.credit-bytes over connected endpoints."),
    /** Back-pressure answers. */
    BACK_PRESSURE_EVENTS(
            "fairlead.back.pressure.events", Type.COUNTER, Unit.NONE, "Posts that returned back-pressure."),
    /** Back-pressure time. */
    BACK_PRESSURE_TIME(
            "fairlead.back.pressure",
            Type.COUNTER,
            Unit.SECONDS,
            "Time between a post that returned back-pressure and the next accepted one, over all endpoints."),
    /** Regions. */
    REGIONS("fairlead.regions", Type.GAUGE, Unit.NONE, "Open memory regions."),
    /** Their length. */
    REGION_BYTES("fairlead.regions.length", Type.GAUGE, Unit.BYTES, "Length of the open regions."),
    /** The bound on regions. */
    REGIONS_LIMIT("fairlead.regions.limit", Type.GAUGE, Unit.NONE, "Limit of open memory regions: regions-max."),
    /** Transports. */
    TRANSPORT_AVAILABLE(
            "fairlead.transport.available",
            Type.GAUGE,
            Unit.NONE,
            "1 for each installed transport that can be used here, 0 for one that cannot.",
            TRANSPORT),
    /** Endpoints. */
    ENDPOINTS("fairlead.endpoints", Type.GAUGE, Unit.NONE, "Endpoints that have not ended.", TRANSPORT, STATE),
    /** Paths. */
    PATHS(
            "fairlead.paths",
            Type.GAUGE,
            Unit.NONE,
            "Connected endpoints by path and reason. Examine those on tcp with another reason than policy while a"
                    + " faster transport is available.",
            TRANSPORT,
            PATH,
            REASON),
    /** Connections made. */
    CONNECTS("fairlead.connects", Type.COUNTER, Unit.NONE, "Endpoints that were connected, on either side."),
    /** Connections made again. */
    RECONNECTS(
            "fairlead.reconnects",
            Type.COUNTER,
            Unit.NONE,
            "Lost connections that nodes and subscribers have renewed."),
    /** Connections that went on. */
    FAILOVERS(
            "fairlead.failovers",
            Type.COUNTER,
            Unit.NONE,
            "Connections with endpoint.failover that broke and went on over another socket, on either side."),
    /** Connections that did not. */
    FAILOVER_FAILURES(
            "fairlead.failover.failures",
            Type.COUNTER,
            Unit.NONE,
            "Connections with endpoint.failover that broke and did not go on, on either side."),
    /** What was sent again. */
    FAILOVER_REPLAYED(
            "fairlead.failover.replayed",
            Type.COUNTER,
            Unit.BYTES,
            "Bytes that were kept when a connection broke, and sent over the next socket."),
    /** Endpoints that went back. */
    FAILBACKS(
            "fairlead.failbacks",
            Type.COUNTER,
            Unit.NONE,
            "Endpoints with endpoint.failover that went back to the shared memory or the UCX lanes that they had left, on either side."),
    /** Graceful disconnects. */
    CLOSES("fairlead.closes", Type.COUNTER, Unit.NONE, "Endpoints that ended by a disconnect of either side."),
    /** Refused handshakes. */
    REFUSALS("fairlead.refusals", Type.COUNTER, Unit.NONE, "Handshakes that a listener here refused.", CAUSE),
    /** Connections not made. */
    CONNECT_FAILURES(
            "fairlead.connect.failures",
            Type.COUNTER,
            Unit.NONE,
            "Endpoints that failed before they were connected, on either side.",
            CAUSE),
    /** Connections lost. */
    PEER_FAILURES(
            "fairlead.peer.failures",
            Type.COUNTER,
            Unit.NONE,
            "Endpoints that failed after they were connected.",
            CAUSE),
    /** How long that took to notice. */
    PEER_FAILURE_DETECTION(
            "fairlead.peer.failure.detection",
            Type.COUNTER,
            Unit.SECONDS,
            "Silence of failed peers before detection; divided by the number of failures, at least the mean time of"
                    + " detection.",
            CAUSE),
    /** Control channel. */
    CONTROL_ROUND_TRIP(
            "fairlead.control.round.trip",
            Type.HISTOGRAM,
            Unit.SECONDS,
            "Time from a ping on the control channel to its answer; each endpoint sends four pings per"
                    + " liveness.timeout.",
            TRANSPORT),
    /** Answers on it. */
    CONTROL_ANSWERS(
            "fairlead.control.answers",
            Type.COUNTER,
            Unit.NONE,
            "Pings on the control channel that were answered.",
            TRANSPORT),
    /** Workers. */
    WORKERS("fairlead.workers", Type.GAUGE, Unit.NONE, "Open workers."),
    /** Duty cycles. */
    PROGRESS_CALLS("fairlead.progress.calls", Type.COUNTER, Unit.NONE, "Calls of progress."),
    /** Idle ones. */
    PROGRESS_IDLE("fairlead.progress.idle", Type.COUNTER, Unit.NONE, "Calls of progress that found nothing to do."),
    /** The longest gap. */
    PROGRESS_GAP(
            "fairlead.progress.gap",
            Type.GAUGE,
            Unit.SECONDS,
            "Longest time between two calls of progress of a worker in the last one to two minutes, without waits."
                    + " Beyond stall.timeout its peers' endpoints fail."),
    /** The gap that runs. */
    PROGRESS_STALL(
            "fairlead.progress.stall",
            Type.GAUGE,
            Unit.SECONDS,
            "Longest time of a worker since its last call of progress; 0 for one that waits."),
    /** Messages published. */
    PUBLISHED("fairlead.pubsub.published", Type.COUNTER, Unit.NONE, "Messages published, each once."),
    /** Their payload. */
    PUBLISHED_BYTES(
            "fairlead.pubsub.published.payload", Type.COUNTER, Unit.BYTES, "Payload bytes published, each once."),
    /** Batches. */
    BATCHES_SENT(
            "fairlead.pubsub.batches", Type.COUNTER, Unit.NONE, "Batches passed to transports, over all subscribers."),
    /** Batches without a copy. */
    BATCHES_IN_PLACE(
            "fairlead.pubsub.batches.inplace",
            Type.COUNTER,
            Unit.NONE,
            "Batches that subscribers of the same host read from the publisher's memory, over all subscribers."),
    /** Publishers held up. */
    PUBLISH_BACK_PRESSURE(
            "fairlead.pubsub.blocked",
            Type.COUNTER,
            Unit.NONE,
            "Calls of publish that returned back-pressure, because of a slow subscriber or the transport."),
    /** Messages dropped. */
    DROPPED(
            "fairlead.pubsub.dropped",
            Type.COUNTER,
            Unit.NONE,
            "Messages not sent to subscribers: dropped by the policy drop-oldest, or unsent when their topic closed."),
    /** Subscribers sent away. */
    SLOW_DISCONNECTED(
            "fairlead.pubsub.disconnected",
            Type.COUNTER,
            Unit.NONE,
            "Slow subscribers disconnected by the policy disconnect."),
    /** Messages delivered. */
    DELIVERED("fairlead.pubsub.delivered", Type.COUNTER, Unit.NONE, "Messages delivered to subscriptions here."),
    /** Their payload. */
    DELIVERED_BYTES(
            "fairlead.pubsub.delivered.payload",
            Type.COUNTER,
            Unit.BYTES,
            "Payload bytes delivered to subscriptions here."),
    /** Gaps. */
    GAPS("fairlead.pubsub.gaps", Type.COUNTER, Unit.NONE, "Gaps reported to subscriptions here."),
    /** Messages missed. */
    MISSED("fairlead.pubsub.missed", Type.COUNTER, Unit.NONE, "Messages missed in those gaps."),
    /** Subscriptions that came back. */
    REJOINS("fairlead.pubsub.rejoins", Type.COUNTER, Unit.NONE, "Times that a subscription here joined again."),
    /** Topics. */
    TOPICS("fairlead.pubsub.topics", Type.GAUGE, Unit.NONE, "Topics that publishers here have open."),
    /** Their subscribers. */
    SUBSCRIBERS(
            "fairlead.pubsub.subscribers", Type.GAUGE, Unit.NONE, "Subscribers of those topics, counted per topic."),
    /** Subscriptions. */
    SUBSCRIPTIONS("fairlead.pubsub.subscriptions", Type.GAUGE, Unit.NONE, "Open subscriptions here."),
    /** Their lag. */
    LAG(
            "fairlead.pubsub.lag",
            Type.GAUGE,
            Unit.NONE,
            "Sum of the messages by which subscriptions here are behind their publishers."),
    /** The greatest lag. */
    LAG_MAX(
            "fairlead.pubsub.lag.max",
            Type.GAUGE,
            Unit.NONE,
            "Messages by which the slowest subscription here is behind its publisher."),
    /** Messages published to one topic. */
    TOPIC_PUBLISHED(
            "fairlead.topic.published",
            Type.COUNTER,
            Unit.NONE,
            "Messages published to each topic that FairleadMetrics.withTopics names.",
            TOPIC),
    /** Messages delivered from one topic. */
    TOPIC_DELIVERED(
            "fairlead.topic.delivered",
            Type.COUNTER,
            Unit.NONE,
            "Messages delivered from each topic that FairleadMetrics.withTopics names.",
            TOPIC),
    /** The greatest lag of a subscription to one topic. */
    TOPIC_LAG(
            "fairlead.topic.lag",
            Type.GAUGE,
            Unit.NONE,
            "Messages by which the slowest subscription is behind, for each topic that FairleadMetrics.withTopics"
                    + " names.",
            TOPIC),
    /** Requests sent. */
    REQUESTS_SENT(
            "fairlead.requests.sent",
            Type.COUNTER,
            Unit.NONE,
            "Requests of this node that were passed to a transport; a set's attempts at several members count each."),
    /** Requests answered. */
    REQUESTS_SUCCEEDED(
            "fairlead.requests.succeeded", Type.COUNTER, Unit.NONE, "Requests of this node with a reply in time."),
    /** Requests failed. */
    REQUESTS_FAILED(
            "fairlead.requests.failed", Type.COUNTER, Unit.NONE, "Failed requests of this node, unsent ones included."),
    /** Requests outstanding. */
    REQUESTS_OUTSTANDING(
            "fairlead.requests.outstanding",
            Type.GAUGE,
            Unit.NONE,
            "Requests of this node that wait for their replies."),
    /** Replies that came too late. */
    REPLIES_LATE("fairlead.replies.late", Type.COUNTER, Unit.NONE, "Replies dropped because their request had ended."),
    /** Requests received. */
    REQUESTS_RECEIVED("fairlead.requests.received", Type.COUNTER, Unit.NONE, "Requests of peers that have arrived."),
    /** Requests replied to. */
    REQUESTS_REPLIED(
            "fairlead.requests.replied", Type.COUNTER, Unit.NONE, "Requests of peers that a handler has replied to."),
    /** Requests refused. */
    REQUESTS_REFUSED(
            "fairlead.requests.refused",
            Type.COUNTER,
            Unit.NONE,
            "Requests of peers that were refused before a handler saw them."),
    /** Answers dropped. */
    ANSWERS_DROPPED(
            "fairlead.answers.dropped",
            Type.COUNTER,
            Unit.NONE,
            "Handlers' answers dropped because the request had ended."),
    /** Requests that are being served. */
    REQUESTS_SERVED_NOW("fairlead.requests.served.now", Type.GAUGE, Unit.NONE, "Unanswered requests of peers."),
    /** Services counted apart. */
    SERVICES(
            "fairlead.services",
            Type.GAUGE,
            Unit.NONE,
            "Values of service, of both sides; new ones have series at the next scrape."),
    /** Requests of a service. */
    SERVICE_REQUESTS(
            "fairlead.service.requests",
            Type.COUNTER,
            Unit.NONE,
            "Ended requests to a service; a caller counts a set's attempts at several members each.",
            SERVICE,
            SIDE,
            OUTCOME),
    /** Durations of requests. */
    SERVICE_DURATION(
            "fairlead.service.duration",
            Type.HISTOGRAM,
            Unit.SECONDS,
            "A caller's time from the call to the end; a service's from its handler's call to the answer or another end.",
            SERVICE,
            SIDE),
    /** How many durations were taken. */
    SERVICE_TIMED(
            "fairlead.service.timed", Type.COUNTER, Unit.NONE, "Requests whose duration was measured.", SERVICE, SIDE),
    /** Waits for a handler. */
    SERVICE_WAITING(
            "fairlead.service.waiting",
            Type.HISTOGRAM,
            Unit.SECONDS,
            "Time from a request's arrival to its handler's call.",
            SERVICE,
            SIDE),
    /** Handlers called. */
    SERVICE_BEGUN("fairlead.service.begun", Type.COUNTER, Unit.NONE, "Calls of a service's handler.", SERVICE, SIDE),
    /** Identities counted apart. */
    IDENTITIES(
            "fairlead.identities",
            Type.GAUGE,
            Unit.NONE,
            "Values of peer_identity; new ones have series at the next scrape."),
    /** Endpoints by identity. */
    IDENTITY_ENDPOINTS(
            "fairlead.identity.endpoints",
            Type.GAUGE,
            Unit.NONE,
            "Connected endpoints, by the peer's identity.",
            PEER_IDENTITY),
    /** Connections made by identity. */
    IDENTITY_CONNECTS(
            "fairlead.identity.connects",
            Type.COUNTER,
            Unit.NONE,
            "Endpoints that were connected, on either side, by the peer's identity.",
            PEER_IDENTITY),
    /** Bytes to peers. */
    IDENTITY_SENT(
            "fairlead.identity.sent",
            Type.COUNTER,
            Unit.BYTES,
            "Payload bytes of messages that were sent and of puts, by the peer's identity.",
            PEER_IDENTITY),
    /** Bytes from peers. */
    IDENTITY_RECEIVED(
            "fairlead.identity.received",
            Type.COUNTER,
            Unit.BYTES,
            "Payload bytes of messages that were received and of gets, by the peer's identity.",
            PEER_IDENTITY),
    /** Scrapes refused. */
    SCRAPES_DROPPED(
            "fairlead.telemetry.dropped",
            Type.COUNTER,
            Unit.NONE,
            "Scrapes refused because as many as allowed were running.");

    /** What kind of figure a meter is. */
    public enum Type {
        /** Only grows while the process lives. */
        COUNTER,
        /** Goes up and down. */
        GAUGE,
        /** Counts in buckets. A Prometheus registry has the buckets; others have count and sum. */
        HISTOGRAM
    }

    /** What a meter's numbers count. */
    public enum Unit {
        /** Things. */
        NONE(""),
        /** Bytes. */
        BYTES("bytes"),
        /** Seconds. */
        SECONDS("seconds");

        private final String text;

        Unit(String text) {
            this.text = text;
        }

        /**
         * The unit in names.
         *
         * @return empty for things
         */
        public String text() {
            return text;
        }
    }

    private final String meterName;
    private final Type type;
    private final Unit unit;
    private final String description;

    @SuppressWarnings("ImmutableEnumChecker") // A list that cannot be changed.
    private final List<MeterTag> tags;

    FairleadMeter(String meterName, Type type, Unit unit, String description, MeterTag... tags) {
        this.meterName = meterName;
        this.type = type;
        this.unit = unit;
        this.description = description;
        this.tags = List.of(tags);
    }

    /**
     * The name in Micrometer's way.
     *
     * @return lower case with dots
     */
    public String meterName() {
        return meterName;
    }

    /**
     * The name in Prometheus' way.
     *
     * @return lower case with underscores, unit and suffix; of a histogram without the suffix of its series
     */
    public String prometheusName() {
        String name = meterName.replace('.', '_').toLowerCase(Locale.ROOT);
        if (unit != Unit.NONE) {
            name += "_" + unit.text();
        }
        return type == Type.COUNTER ? name + "_total" : name;
    }

    /**
     * What kind of figure it is.
     *
     * @return never changes
     */
    public Type type() {
        return type;
    }

    /**
     * What its numbers count.
     *
     * @return never changes
     */
    public Unit unit() {
        return unit;
    }

    /**
     * What it measures.
     *
     * @return one sentence or two
     */
    public String description() {
        return description;
    }

    /**
     * Its tags.
     *
     * @return immutable
     */
    public List<MeterTag> tags() {
        return tags;
    }
}
