package io.fairlead.node;

import io.fairlead.PathPolicy;
import io.fairlead.ReconnectPolicy;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How a {@link PeerSet} keeps its members. Immutable: each method that changes something returns other options. */
public final class PeerSetOptions {
    /** The most members that a set can connect to. */
    public static final int MEMBERS_MAX = 4096;

    private static final PeerSetOptions DEFAULTS = new PeerSetOptions(
            PeerSelection.ROUND_ROBIN,
            null,
            ReconnectPolicy.always(Duration.ofMillis(50), Duration.ofSeconds(5)),
            256,
            PeerSetObserver.NONE);

    private final PeerSelection selection;
    private final @Nullable PathPolicy path;
    private final ReconnectPolicy reconnect;
    private final int membersMax;
    private final PeerSetObserver observer;

    private PeerSetOptions(
            PeerSelection selection,
            @Nullable PathPolicy path,
            ReconnectPolicy reconnect,
            int membersMax,
            PeerSetObserver observer) {
        this.selection = selection;
        this.path = path;
        this.reconnect = reconnect;
        this.membersMax = membersMax;
        this.observer = observer;
    }

    /**
     * Round robin, the configured paths, pauses from 50 ms to 5 s before a member is connected again, at most 256 members, and no observer.
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
        return new PeerSetOptions(
                Objects.requireNonNull(newSelection, "selection"), path, reconnect, membersMax, observer);
    }

    /**
     * Connects by other paths than the configured ones.
     *
     * @param newPath which paths connections may take
     * @return the other options
     */
    public PeerSetOptions withPath(PathPolicy newPath) {
        return new PeerSetOptions(selection, Objects.requireNonNull(newPath, "path"), reconnect, membersMax, observer);
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
        return new PeerSetOptions(selection, path, ReconnectPolicy.always(first, max), membersMax, observer);
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
        return new PeerSetOptions(selection, path, reconnect, limit, observer);
    }

    /**
     * Sets another observer.
     *
     * @param newObserver observes changes
     * @return the other options
     */
    public PeerSetOptions withObserver(PeerSetObserver newObserver) {
        return new PeerSetOptions(
                selection, path, reconnect, membersMax, Objects.requireNonNull(newObserver, "observer"));
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
}
