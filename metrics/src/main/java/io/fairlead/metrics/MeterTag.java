package io.fairlead.metrics;

import io.fairlead.EndpointState;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PathCause;
import io.fairlead.PathClass;
import io.fairlead.Status;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.ServiceStatistics;
import io.fairlead.statistics.OperationKind;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The tags of Fairlead's meters. The number of values of each is bounded: messages make no new ones, and peers only up to {@code metrics.identities-max}.
 */
public enum MeterTag {
    /** The transport that moves the data. */
    TRANSPORT("transport", "Name of an installed transport; none before one was chosen.", List.of()),
    /** What an operation does. */
    OPERATION("operation", "What the operation does.", words(EnumSet.allOf(OperationKind.class))),
    /** How an operation ended. */
    STATUS("status", "How the operation ended.", words(ends())),
    /** Where an endpoint is in its life. */
    STATE("state", "State of the endpoint.", words(live())),
    /** The kind of path. */
    PATH("path", "The kind of path that was chosen.", words(EnumSet.allOf(PathClass.class))),
    /** Why a path was chosen. */
    REASON("reason", "Why that path was chosen.", words(EnumSet.allOf(PathCause.class))),
    /** What failed. */
    CAUSE("cause", "The observed cause, or the one sent to the peer.", words(EnumSet.allOf(Reason.class))),
    /** A topic that the application named. */
    TOPIC("topic", "Name of a topic that FairleadMetrics.withTopics names.", List.of()),
    /** A service of requests. */
    SERVICE("service", "Name of a service, or its tag; other behind the first 128 of a side.", List.of()),
    /** Who counts a request. */
    SIDE("side", "Who counts: the caller, or the service's node.", words(EnumSet.allOf(ServiceStatistics.Side.class))),
    /** How a request ended. */
    OUTCOME("outcome", "How the request ended.", words(EnumSet.allOf(RequestStatus.class))),
    /** Who peers have proved to be. */
    PEER_IDENTITY(
            "peer_identity",
            "Authenticated identity of the peer, for the first metrics.identities-max to connect; other for the rest,"
                    + " anonymous without security.",
            List.of());

    private final String key;
    private final String description;

    @SuppressWarnings("ImmutableEnumChecker") // A copy that cannot be changed.
    private final List<String> values;

    MeterTag(String key, String description, List<String> values) {
        this.key = key;
        this.description = description;
        this.values = List.copyOf(values);
    }

    /**
     * The tag's key.
     *
     * @return lower case
     */
    public String key() {
        return key;
    }

    /**
     * What the values mean.
     *
     * @return one sentence
     */
    public String description() {
        return description;
    }

    /**
     * The values that there are.
     *
     * @return empty if installation, application, or the identities of peers decide
     */
    public List<String> choices() {
        return values;
    }

    /** The value that stands for a constant. */
    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Statuses in which an operation ends; the others answer a post that starts none. */
    static Set<Status> ends() {
        return EnumSet.complementOf(EnumSet.of(Status.BACK_PRESSURE, Status.NOT_CONNECTED));
    }

    /** States of endpoints that have not ended. */
    static Set<EndpointState> live() {
        return EnumSet.of(EndpointState.CONNECTING, EndpointState.CONNECTED, EndpointState.CLOSING);
    }

    private static List<String> words(Set<? extends Enum<?>> constants) {
        return Arrays.stream(constants.toArray(Enum<?>[]::new))
                .map(MeterTag::word)
                .toList();
    }
}
