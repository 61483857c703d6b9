package io.fairlead.node;

import io.fairlead.PathPolicy;
import io.fairlead.ReconnectPolicy;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** How a {@link PeerSet} keeps its members. Immutable: each method that changes something returns other options. */
public final class PeerSetOptions {
    /** The most members that a set can connect to. */
    public static final int MEMBERS_MAX = 4096;

    private static final PeerSetOptions DEFAULTS = new PeerSetOptions(new Draft());

    private final PeerSelection selection;
    private final @Nullable PathPolicy path;
    private final ReconnectPolicy reconnect;
    private final int membersMax;
    private final PeerSetObserver observer;
    private final boolean opensAtOnce;
    private final RetryPolicy retries;
    private final int ejectionFailures;
    private final Duration ejectionTime;

    /** The fields while they change. */
    private static final class Draft {
        private PeerSelection selection = PeerSelection.ROUND_ROBIN;
        private @Nullable PathPolicy path;
        private ReconnectPolicy reconnect = ReconnectPolicy.always(Duration.ofMillis(50), Duration.ofSeconds(5));
        private int membersMax = 256;
        private PeerSetObserver observer = PeerSetObserver.NONE;
        private boolean opensAtOnce;
        private RetryPolicy retries = RetryPolicy.NONE;
        private int ejectionFailures;
        private Duration ejectionTime = Duration.ZERO;
    }

    private PeerSetOptions(Draft draft) {
        selection = draft.selection;
        path = draft.path;
        reconnect = draft.reconnect;
        membersMax = draft.membersMax;
        observer = draft.observer;
        opensAtOnce = draft.opensAtOnce;
        retries = draft.retries;
        ejectionFailures = draft.ejectionFailures;
        ejectionTime = draft.ejectionTime;
    }

    private PeerSetOptions with(Consumer<Draft> change) {
        Draft draft = new Draft();
        draft.selection = selection;
        draft.path = path;
        draft.reconnect = reconnect;
        draft.membersMax = membersMax;
        draft.observer = observer;
        draft.opensAtOnce = opensAtOnce;
        draft.retries = retries;
        draft.ejectionFailures = ejectionFailures;
        draft.ejectionTime = ejectionTime;
        change.accept(draft);
        return new PeerSetOptions(draft);
    }

    /**
     * Round robin, the configured paths, pauses from 50 ms to 5 s before a member is connected again, at most 256 members, no observer, and neither
     * retries nor ejection.
     *
     * @return the defaults
     */
    public static PeerSetOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Picks members in another way.
     *
     * @param newSelection how
     * @return the other options
     */
    public PeerSetOptions withSelection(PeerSelection newSelection) {
        Objects.requireNonNull(newSelection, "selection");
        return with(draft -> draft.selection = newSelection);
    }

    /**
     * Connects by other paths than the configured ones.
     *
     * @param newPath which paths connections may take
     * @return the other options
     */
    public PeerSetOptions withPath(PathPolicy newPath) {
        Objects.requireNonNull(newPath, "path");
        return with(draft -> draft.path = newPath);
    }

    /**
     * Sets the pauses before a member is tried again, after a failure or a graceful close.
     *
     * @param first the pause before the first attempt, 1 ms and up
     * @param max the longest pause between attempts, {@code first} to 365 days
     * @return the other options
     * @throws IllegalArgumentException if a pause is out of range
     */
    public PeerSetOptions withPauses(Duration first, Duration max) {
        ReconnectPolicy policy = ReconnectPolicy.always(first, max);
        return with(draft -> draft.reconnect = policy);
    }

    /**
     * Connects to fewer members, or to more. If there are more members, the lowest priority numbers are taken. Among equals, connected members
     * go first, and the others follow in the resolver's order.
     *
     * @param limit connections at most, 1 to {@value #MEMBERS_MAX}
     * @return the other options
     * @throws IllegalArgumentException if the limit is out of range
     */
    public PeerSetOptions withMembersMax(int limit) {
        if (limit < 1 || limit > MEMBERS_MAX) {
            throw new IllegalArgumentException(
                    "limit out of range: members=" + limit + ", allowed 1 to " + MEMBERS_MAX);
        }
        return with(draft -> draft.membersMax = limit);
    }

    /**
     * Sets another observer.
     *
     * @param newObserver observes changes
     * @return the other options
     */
    public PeerSetOptions withObserver(PeerSetObserver newObserver) {
        Objects.requireNonNull(newObserver, "observer");
        return with(draft -> draft.observer = newObserver);
    }

    /**
     * Opens the set without waiting for its members: the future completes at once, and operations wait for a member as usual. A service that
     * cannot be resolved yet is queried again until it can. For applications that start before the services that they use.
     *
     * @return the other options
     */
    public PeerSetOptions openingAtOnce() {
        return with(draft -> draft.opensAtOnce = true);
    }

    /**
     * Sends failed requests again.
     *
     * @param newRetries how often, and which
     * @return the other options
     */
    public PeerSetOptions withRetries(RetryPolicy newRetries) {
        Objects.requireNonNull(newRetries, "retries");
        return with(draft -> draft.retries = newRetries);
    }

    /**
     * Gives no requests for a while to a member at which several in a row have failed: with {@link RequestStatus#FAILED},
     * {@link RequestStatus#DEADLINE_EXCEEDED}, or {@link RequestStatus#UNAVAILABLE} when a handler may have seen them. At least half of the members stay.
     *
     * @param failures how many in a row, 1 and up; 0 for never
     * @param time how long, more than 0 and up to a day
     * @return the other options
     * @throws IllegalArgumentException if a value is out of range
     */
    public PeerSetOptions withEjection(int failures, Duration time) {
        if (failures < 0 || !time.isPositive() || time.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("ejection out of range: failures=" + failures
                    + ", allowed 0 and up; time=" + time + ", allowed more than 0 and up to a day");
        }
        return with(draft -> {
            draft.ejectionFailures = failures;
            draft.ejectionTime = time;
        });
    }

    /**
     * How members are picked.
     *
     * @return as set
     */
    public PeerSelection selection() {
        return selection;
    }

    /**
     * Which paths connections may take.
     *
     * @return as set; empty for the configured paths
     */
    public Optional<PathPolicy> path() {
        return Optional.ofNullable(path);
    }

    /**
     * The pauses before a member is tried again.
     *
     * @return a policy without a limit of attempts
     */
    public ReconnectPolicy reconnect() {
        return reconnect;
    }

    /**
     * How many members the set connects to.
     *
     * @return as set
     */
    public int membersMax() {
        return membersMax;
    }

    /**
     * The observer of changes.
     *
     * @return as set
     */
    public PeerSetObserver observer() {
        return observer;
    }

    /**
     * Whether the set opens without waiting for its members.
     *
     * @return as set
     */
    public boolean opensAtOnce() {
        return opensAtOnce;
    }

    /**
     * How failed requests are sent again.
     *
     * @return as set; {@link RetryPolicy#NONE} by default
     */
    public RetryPolicy retries() {
        return retries;
    }

    /**
     * How many requests in a row may fail at a member before it is ejected.
     *
     * @return as set; 0, the default, for any number
     */
    public int ejectionFailures() {
        return ejectionFailures;
    }

    /**
     * How long an ejected member gets no requests.
     *
     * @return as set
     */
    public Duration ejectionTime() {
        return ejectionTime;
    }
}
