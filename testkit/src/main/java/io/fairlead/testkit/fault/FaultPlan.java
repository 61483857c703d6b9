package io.fairlead.testkit.fault;

import java.util.EnumMap;
import java.util.Map;

/**
 * What is to go wrong, and when. A test keeps the plan that it gave to a {@link FaultInjectingProvider} and changes it
 * while the transport runs. Operations of a kind are counted over all endpoints of the transport from the last
 * {@link #reset()}. Thread-safe.
 */
public final class FaultPlan {
    /** The operations that faults are tied to. */
    public enum Kind {
        /** Sends, synchronous and gathering ones included. */
        SEND,
        /** Messages that meet their receive: here the receive is what a fault befalls. */
        RECEIVE,
        /** Puts, with a signal or without. */
        PUT,
        /** Gets. */
        GET,
        /** Atomics. */
        ATOMIC,
        /** Flushes. */
        FLUSH
    }

    /** What becomes of an operation. */
    enum Fate {
        /** It goes its way. */
        PASS,
        /** The transport has no room for it. */
        REFUSE,
        /** The transport throws, which it should not, and takes nothing. */
        THROW,
        /** It is taken, and the connection breaks as if the peer's process had been killed. */
        DROP_PEER,
        /** It is taken, and the transport gives the endpoint up. */
        SEVER
    }

    private static final class Script {
        long seen;
        long dropAt = -1;
        long severAt = -1;
        int refusals;
        int exceptions;
        int delay;
    }

    private final Map<Kind, Script> scripts = new EnumMap<>(Kind.class);
    private boolean progressBroken;
    private long registrations;
    private long failRegistrationAt = -1;
    private int workerFailures;
    private long held;

    /** Creates a plan in which nothing goes wrong. */
    public FaultPlan() {
        reset();
    }

    /** Forgets every fault and every count. */
    public synchronized void reset() {
        for (Kind kind : Kind.values()) {
            scripts.put(kind, new Script());
        }
        registrations = 0;
        failRegistrationAt = -1;
        progressBroken = false;
        workerFailures = 0;
    }

    /**
     * Breaks the connection at an operation, as the operating system of a killed peer would: no goodbye, nothing more in either
     * direction, and the operation never ends by itself.
     *
     * @param kind the kind of operation
     * @param number the first operation of the kind is 1
     * @return this plan
     */
    public synchronized FaultPlan dropPeerAt(Kind kind, long number) {
        script(kind).dropAt = requirePositive(number);
        return this;
    }

    /**
     * Makes the transport report the endpoint as failed at an operation, which never ends by itself.
     *
     * @param kind the kind of operation
     * @param number the first operation of the kind is 1
     * @return this plan
     */
    public synchronized FaultPlan severAt(Kind kind, long number) {
        script(kind).severAt = requirePositive(number);
        return this;
    }

    /**
     * Makes the transport have no room for the next operations of a kind; {@link Kind#RECEIVE} cannot be refused.
     *
     * @param kind the kind of operation
     * @param times how many posts are refused
     * @return this plan
     */
    public synchronized FaultPlan refuse(Kind kind, int times) {
        if (kind == Kind.RECEIVE) {
            throw new IllegalArgumentException(
                    "a transport cannot refuse a message that has met its receive: kind=" + kind);
        }
        script(kind).refusals = (int) requirePositive(times);
        return this;
    }

    /**
     * Makes the transport throw an {@link IllegalStateException} at the next operations of a kind, as one does whose caller closes memory
     * that it is about to touch; at {@link Kind#RECEIVE}, when a message has arrived and before it meets its receive.
     *
     * @param kind the kind of operation
     * @param times how often
     * @return this plan
     */
    public synchronized FaultPlan throwAt(Kind kind, int times) {
        script(kind).exceptions = (int) requirePositive(times);
        return this;
    }

    /**
     * Makes every later call of the transport's progress throw an {@link IllegalStateException}.
     *
     * @return this plan
     */
    public synchronized FaultPlan breakProgress() {
        progressBroken = true;
        return this;
    }

    synchronized boolean progressIsBroken() {
        return progressBroken;
    }

    /** Whether the transport throws now. */
    synchronized boolean throwsNow(Kind kind) {
        Script script = script(kind);
        if (script.exceptions == 0) {
            return false;
        }
        script.exceptions--;
        return true;
    }

    /**
     * Holds the end of every later operation of a kind back.
     *
     * @param kind the kind of operation
     * @param progressCalls for how many calls of the worker's progress; 0 holds nothing back
     * @return this plan
     */
    public synchronized FaultPlan delay(Kind kind, int progressCalls) {
        if (progressCalls < 0) {
            throw new IllegalArgumentException("negative delay: progressCalls=" + progressCalls);
        }
        script(kind).delay = progressCalls;
        return this;
    }

    /**
     * Makes a registration of memory fail.
     *
     * @param number the first registration since the last reset is 1
     * @return this plan
     */
    public synchronized FaultPlan failRegistrationAt(long number) {
        failRegistrationAt = requirePositive(number);
        return this;
    }

    /**
     * Makes the transport fail to make the next workers, as one that has run out of memory does.
     *
     * @param times how many workers are not made
     * @return this plan
     */
    public synchronized FaultPlan failWorkers(int times) {
        workerFailures = (int) requirePositive(times);
        return this;
    }

    /**
     * How many operations of a kind the transport was handed, refused ones not counted.
     *
     * @param kind the kind of operation
     * @return 0 and up
     */
    public synchronized long seen(Kind kind) {
        return script(kind).seen;
    }

    /**
     * How many messages the transport has announced before their receives and was not asked to deliver or discard since. Not forgotten by
     * {@link #reset}.
     *
     * @return 0 and up
     */
    public synchronized long held() {
        return held;
    }

    synchronized void announced() {
        held++;
    }

    synchronized void returned() {
        held--;
    }

    synchronized Fate next(Kind kind) {
        Script script = script(kind);
        if (kind != Kind.RECEIVE && throwsNow(kind)) {
            return Fate.THROW;
        }
        if (script.refusals > 0) {
            script.refusals--;
            return Fate.REFUSE;
        }
        long number = script.seen + 1;
        if (number == script.dropAt) {
            return Fate.DROP_PEER;
        }
        return number == script.severAt ? Fate.SEVER : Fate.PASS;
    }

    /** The operation that {@link #next} judged was taken. */
    synchronized void taken(Kind kind) {
        script(kind).seen++;
    }

    synchronized int delay(Kind kind) {
        return script(kind).delay;
    }

    synchronized boolean nextWorkerFails() {
        if (workerFailures == 0) {
            return false;
        }
        workerFailures--;
        return true;
    }

    synchronized boolean nextRegistrationFails() {
        registrations++;
        return registrations == failRegistrationAt;
    }

    private Script script(Kind kind) {
        return scripts.computeIfAbsent(kind, missing -> new Script());
    }

    private static long requirePositive(long number) {
        if (number < 1) {
            throw new IllegalArgumentException("operations are counted from 1: number=" + number);
        }
        return number;
    }
}
