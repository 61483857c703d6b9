package io.fairlead.testkit.fault;

import java.util.EnumMap;
import java.util.Map;

/**
 * The faults that a {@link FaultInjectingProvider} injects. A test gives the provider a plan and changes the plan while the transport runs. Operations are
 * counted by kind, over all endpoints of the transport, from the last {@link #reset()}. Thread-safe.
 */
public final class FaultPlan {
    /** The kinds of operation at which a fault can be injected. */
    public enum Kind {
        /** Sends, synchronous and gathering ones included. */
        SEND,
        /** Receives that a message has matched: the fault affects the receive. */
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

    /** The calls by which a transport's endpoint is set up. Not every transport has all of them. */
    public enum Setup {
        /** The endpoint is made. */
        CONNECT,
        /** The endpoint is asked for what its peer needs. */
        WIRE_UP_DATA,
        /** The endpoint gets what it needs of its peer. */
        WIRE_UP,
        /** The handshake is over. */
        BEGIN,
        /** The endpoint is asked whether it is ready. */
        READY
    }

    /** What is done with an operation. */
    enum Fate {
        /** It passes to the transport. */
        PASS,
        /** The transport has no capacity for it. */
        REFUSE,
        /** The transport throws, which it should not, and takes nothing. */
        THROW,
        /** It is taken, and the connection breaks as if the peer's process had been killed. */
        DROP_PEER,
        /** It is taken, and the transport reports the endpoint as failed. */
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
    private final Map<Setup, Throwable> setups = new EnumMap<>(Setup.class);
    private boolean progressBroken;
    private long registrations;
    private long failRegistrationAt = -1;
    private int workerFailures;
    private long held;

    /** Creates a plan without faults. */
    public FaultPlan() {
        reset();
    }

    /** Removes all faults, and counts from 0 again. */
    public synchronized void reset() {
        for (Kind kind : Kind.values()) {
            scripts.put(kind, new Script());
        }
        setups.clear();
        registrations = 0;
        failRegistrationAt = -1;
        progressBroken = false;
        workerFailures = 0;
    }

    /**
     * Breaks the connection at an operation, as the operating system of a killed peer does: without a graceful close. Nothing more is
     * transferred in either direction. The transport never completes the operation.
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
     * Makes the transport report the endpoint as failed at an operation, which the transport never completes.
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
     * Makes the transport refuse the next operations of a kind for lack of capacity. {@link Kind#RECEIVE} cannot be refused.
     *
     * @param kind the kind of operation
     * @param times how many operations it refuses
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
     * Makes the transport throw an {@link IllegalStateException} at the next operations of a kind, as it does if the application closes the memory of an
     * operation; for {@link Kind#RECEIVE} when a message has arrived, before it is matched.
     *
     * @param kind the kind of operation
     * @param times at how many operations it throws
     * @return this plan
     */
    public synchronized FaultPlan throwAt(Kind kind, int times) {
        script(kind).exceptions = (int) requirePositive(times);
        return this;
    }

    /**
     * Makes the transport throw once while an endpoint is set up.
     *
     * @param setup the call that throws
     * @param thrown what it throws, checked or not
     * @return this plan
     */
    public synchronized FaultPlan throwAt(Setup setup, Throwable thrown) {
        setups.put(setup, thrown);
        return this;
    }

    /**
     * Whether nothing has come to a call that {@link #throwAt(Setup, Throwable) throws}.
     *
     * @param setup the call
     * @return true until it has thrown, or the plan is reset
     */
    public synchronized boolean awaits(Setup setup) {
        return setups.containsKey(setup);
    }

    /** Throws what the plan says. */
    synchronized void pass(Setup setup) {
        Throwable thrown = setups.remove(setup);
        if (thrown != null) {
            throw unchecked(thrown);
        }
    }

    // The type argument is taken for unchecked by the compiler, and checks nothing when it runs.
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> E unchecked(Throwable thrown) throws E {
        throw (E) thrown;
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
     * Delays the completion of every later operation of a kind.
     *
     * @param kind the kind of operation
     * @param progressCalls by how many calls of the worker's progress; 0 for no delay
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
     * Makes a registration of memory fail with {@code REGISTRATION_FAILED}.
     *
     * @param number the first registration since the last reset is 1
     * @return this plan
     */
    public synchronized FaultPlan failRegistrationAt(long number) {
        failRegistrationAt = requirePositive(number);
        return this;
    }

    /**
     * Makes the transport fail to make the next workers, as if it had run out of memory.
     *
     * @param times how many workers it fails to make
     * @return this plan
     */
    public synchronized FaultPlan failWorkers(int times) {
        workerFailures = (int) requirePositive(times);
        return this;
    }

    /**
     * The number of operations of a kind that the transport was given, without refused ones.
     *
     * @param kind the kind of operation
     * @return 0 and up
     */
    public synchronized long seen(Kind kind) {
        return script(kind).seen;
    }

    /**
     * The number of unexpected messages that the transport keeps: it has announced them, and the core has neither delivered nor discarded
     * them. {@link #reset} does not change it.
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
