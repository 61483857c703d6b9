package io.fairlead.testkit.contract;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.Request;
import io.fairlead.Status;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Assertions;

/**
 * A completion that records every operation of one worker, and checks the rules for all of them: a completion runs exactly once, never inside the post, on
 * the owner's thread, for an id that a post has returned, and before its endpoint has ended. The harness reads the result at the end of every case.
 *
 * <p>Pass the recorder as completion, and pass the result of the post to {@link #posted(Endpoint, long)}. Thread-safe, so that it can record a
 * completion on a wrong thread.
 */
public final class Recorder implements Completion {
    private final String name;
    private final Thread owner;
    private final Map<Long, Optional<Endpoint>> outstanding = new LinkedHashMap<>();
    /** The {@link #outstanding} operations that were posted before their endpoint's end. */
    private final Set<Long> duringLife = new HashSet<>();

    private final Map<Long, Outcome> outcomes = new LinkedHashMap<>();
    private final List<Outcome> sequence = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private boolean insideProgress;

    Recorder(String name, Thread owner) {
        this.name = name;
        this.owner = owner;
    }

    /**
     * Registers an operation that was posted on the worker, such as a receive from any source.
     *
     * @param posted the result of the post
     * @return the request id
     * @throws AssertionError if the post was not taken
     */
    public long posted(long posted) {
        return register(Optional.empty(), posted);
    }

    /**
     * Registers an operation that was posted on an endpoint.
     *
     * @param endpoint the endpoint
     * @param posted the result of the post
     * @return the request id
     * @throws AssertionError if the post was not taken
     */
    public long posted(Endpoint endpoint, long posted) {
        return register(Optional.of(endpoint), posted);
    }

    private synchronized long register(Optional<Endpoint> endpoint, long posted) {
        if (posted <= 0) {
            Assertions.fail(name + ": a post took nothing on: returned " + posted
                    + (posted < 0 ? " (" + Status.of(posted) + ")" : ", which is no request id"));
        }
        if (outcomes.containsKey(posted) || outstanding.containsKey(posted)) {
            violations.add("request id given out twice: id=" + posted);
        }
        outstanding.put(posted, endpoint);
        if (endpoint.isPresent() && !hasEnded(endpoint.get())) {
            duringLife.add(posted);
        }
        return posted;
    }

    @Override
    public synchronized void completed(Request request) {
        Outcome outcome = new Outcome(
                request.id(),
                request.status(),
                request.tag(),
                request.length(),
                request.value(),
                request.userData(),
                request.source(),
                Thread.currentThread(),
                insideProgress);
        sequence.add(outcome);
        Outcome earlier = outcomes.putIfAbsent(outcome.id(), outcome);
        if (earlier != null) {
            violations.add("completed twice: first " + earlier + ", then " + outcome);
        } else if (!outstanding.containsKey(outcome.id())) {
            violations.add("completed inline, before its post returned, or never posted: " + outcome);
        }
        Optional<Endpoint> endpoint = outstanding.getOrDefault(outcome.id(), Optional.empty());
        if (endpoint.isPresent() && duringLife.contains(outcome.id()) && hasEnded(endpoint.get())) {
            violations.add("completed when its endpoint was " + endpoint.get().state() + " already: " + outcome);
        }
        duringLife.remove(outcome.id());
        outstanding.remove(outcome.id());
        if (!outcome.thread().equals(owner)) {
            violations.add("completed on thread " + outcome.thread().getName() + " instead of " + owner.getName() + ": "
                    + outcome);
        }
    }

    private static boolean hasEnded(Endpoint endpoint) {
        return endpoint.state() == EndpointState.CLOSED || endpoint.state() == EndpointState.FAILED;
    }

    /**
     * Whether an operation has completed.
     *
     * @param id the request id
     * @return true once its completion ran
     */
    public synchronized boolean has(long id) {
        return outcomes.containsKey(id);
    }

    /**
     * How an operation completed.
     *
     * @param id the request id
     * @return its outcome
     * @throws AssertionError if it has not completed
     */
    public synchronized Outcome outcome(long id) {
        Outcome outcome = outcomes.get(id);
        if (outcome == null) {
            throw new AssertionError(name + ": not completed: id=" + id + ", outstanding=" + outstanding.keySet());
        }
        return outcome;
    }

    /**
     * All outcomes, in the order of the completions.
     *
     * @return a copy
     */
    public synchronized List<Outcome> outcomes() {
        return List.copyOf(sequence);
    }

    /**
     * The number of operations that have completed.
     *
     * @return 0 and up
     */
    public synchronized int count() {
        return sequence.size();
    }

    /**
     * The number of registered operations that have not completed.
     *
     * @return 0 and up
     */
    public synchronized int outstanding() {
        return outstanding.size();
    }

    /**
     * The number of registered operations of an endpoint that have not completed.
     *
     * @param endpoint the endpoint
     * @return 0 and up
     */
    public synchronized int outstanding(Endpoint endpoint) {
        int count = 0;
        for (Optional<Endpoint> posted : outstanding.values()) {
            if (posted.isPresent() && posted.get().equals(endpoint)) {
                count++;
            }
        }
        return count;
    }

    /** Forgets what has completed, in a case of more operations than memory holds: their ids are not known to be theirs any more. */
    synchronized void forgetCompleted() {
        outcomes.clear();
        sequence.clear();
    }

    synchronized void insideProgress(boolean inside) {
        insideProgress = inside;
    }

    synchronized void violation(String text) {
        violations.add(text);
    }

    synchronized List<String> violations() {
        return List.copyOf(violations);
    }

    @Override
    public synchronized String toString() {
        return name + ": " + sequence.size() + " completed, " + outstanding.size() + " outstanding"
                + (outstanding.size() > 16 ? "" : " " + outstanding.keySet())
                + (violations.isEmpty() ? "" : ", violations " + violations);
    }
}
