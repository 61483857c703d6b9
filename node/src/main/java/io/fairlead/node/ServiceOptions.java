package io.fairlead.node;

import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * How a service runs its handler. Immutable.
 *
 * @param executor where the handler runs. Empty for the node's executor, and a virtual thread for each request if the node has none: a handler may block
 *     there, which on a progress thread would keep every peer of the thread waiting
 * @param concurrencyMax how many requests have a slot at once, 1 to 65,536: from the call of the handler until it has returned and the request
 *     has ended
 * @param queueMax how many more wait for a slot, 0 to 65,536; further ones are refused with {@link RequestStatus#RESOURCE_EXHAUSTED}. One peer
 *     has at most three
 *     quarters of each, rounded up, which leaves slots for others
 * @param name the service's name in metrics, at most 64 characters of printable ASCII without spaces; empty for its tag
 * @param messagesToCallers whether the caller gets the message of what the handler throws, and not its class alone. A {@link RequestException} always
 *     has its text
 */
public record ServiceOptions(
        Optional<Executor> executor, int concurrencyMax, int queueMax, String name, boolean messagesToCallers) {
    private static final int MAX = 1 << 16;
    private static final int NAME_MAX = 64;
    private static final Executor ON_PROGRESS_THREAD = Runnable::run;

    /** The default: a virtual thread for each request or the node's executor, 256 at once, 1,024 waiting. */
    public static final ServiceOptions DEFAULT = new ServiceOptions(Optional.empty(), 256, 1024, "", false);

    /** Checks the limits. */
    public ServiceOptions {
        Objects.requireNonNull(executor, "executor");
        requireRange("concurrencyMax", concurrencyMax, 1);
        requireRange("queueMax", queueMax, 0);
        if (name.length() > NAME_MAX || !name.chars().allMatch(character -> character > ' ' && character < 0x7F)) {
            throw new IllegalArgumentException("name of a service out of range: length=" + name.length()
                    + ", allowed 0 to " + NAME_MAX + " characters of printable ASCII without spaces");
        }
    }

    private static void requireRange(String name, int value, int least) {
        if (value < least || value > MAX) {
            throw new IllegalArgumentException(
                    "limit of a service out of range: " + name + "=" + value + ", allowed " + least + " to " + MAX);
        }
    }

    /**
     * The same with an executor of the caller's.
     *
     * @param chosen runs the handler; not closed by the node. A request that it rejects is refused with {@link RequestStatus#RESOURCE_EXHAUSTED}
     * @return new options
     */
    public ServiceOptions on(Executor chosen) {
        return new ServiceOptions(Optional.of(chosen), concurrencyMax, queueMax, name, messagesToCallers);
    }

    /**
     * The same with the handler on the progress thread of the request's peer: the fastest way, for handlers that never block and take microseconds.
     *
     * @return new options
     */
    public ServiceOptions onProgressThread() {
        return on(ON_PROGRESS_THREAD);
    }

    /**
     * The same with other limits.
     *
     * @param newConcurrencyMax how many requests have a slot at once
     * @param newQueueMax how many more wait for one
     * @return new options
     */
    public ServiceOptions limits(int newConcurrencyMax, int newQueueMax) {
        return new ServiceOptions(executor, newConcurrencyMax, newQueueMax, name, messagesToCallers);
    }

    /**
     * The same with a name for metrics.
     *
     * @param newName at most 64 characters of printable ASCII without spaces
     * @return new options
     */
    public ServiceOptions named(String newName) {
        return new ServiceOptions(executor, concurrencyMax, queueMax, newName, messagesToCallers);
    }

    /**
     * The same with messages for callers: they get the message of what the handler throws. For callers that may know all of it.
     *
     * @return new options
     */
    public ServiceOptions withMessagesToCallers() {
        return new ServiceOptions(executor, concurrencyMax, queueMax, name, true);
    }
}
