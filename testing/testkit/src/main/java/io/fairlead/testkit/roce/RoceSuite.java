package io.fairlead.testkit.roce;

import java.util.Arrays;
import java.util.Locale;

/** The suites that {@link RoceTest} can run in a guest. Each has a time limit, within which an idle machine of two processors is done. */
public enum RoceSuite {
    /** The contract suites of the testkit, over UCX on RoCE. */
    CONTRACT(40),
    /** With {@code security.mode = encrypted}: the path of two processes that trust the fabric or not, and contract suites over RDMA that is trusted. */
    SECURE(40),
    /** Two processes, each on a device of its own. */
    DEMO(15),
    /** Two processes, of which one goes on when the network, a device or the other process breaks. */
    FAULTS(30),
    /** Every measurement of {@code fairlead perf}, to show that it runs; the figures of a guest mean nothing. */
    PERF(20),
    /** {@code fairlead rdma-check}, as a user runs it on two hosts. */
    CHECK(20),
    /** The choice of the path, if both sides or only one of them have a usable device. */
    SELECTION(20),
    /** Two processes that speak gRPC over Fairlead's channels for Netty: unary calls and a stream. */
    GRPC(20);

    private static final int GUESTS_MAX = 16;

    private final int limitMinutes;

    RoceSuite(int limitMinutes) {
        this.limitMinutes = limitMinutes;
    }

    /**
     * Finds a suite by its name on the command line.
     *
     * @param name the name, case-insensitive
     * @return the suite
     * @throws IllegalArgumentException if no suite has that name; the message lists the names
     */
    public static RoceSuite named(String name) {
        for (RoceSuite suite : values()) {
            if (suite.toString().equalsIgnoreCase(name)) {
                return suite;
            }
        }
        throw new IllegalArgumentException("one of " + Arrays.toString(values()) + ", not " + name);
    }

    /**
     * The most guests among which the suite can be divided.
     *
     * @return 1 unless the suite consists of test classes
     */
    public int guestsMax() {
        return runsClasses() ? GUESTS_MAX : 1;
    }

    /** Whether it runs test classes, each in the guest that claims it first. */
    boolean runsClasses() {
        return this == CONTRACT || this == SECURE;
    }

    /** The name of the report of what came of each class. The table in docs/semantics.md is made from that of {@link #CONTRACT} alone. */
    String results() {
        return this == CONTRACT ? SuiteResult.FILE : "results-" + this + ".txt";
    }

    /**
     * The guest's clock. Code whose instructions are counted polls the network by the clock, so an instruction takes no longer than the emulator
     * can have it.
     */
    int clockShift() {
        return this == PERF ? 0 : 1;
    }

    String script() {
        return "suite-" + this + ".sh";
    }

    /** At least one of so many packets leaves its device: some cases of the contract, and what is counted, connect a device with itself. */
    long oneOfCrosses() {
        if (this == PERF) {
            return 20;
        }
        return runsClasses() ? 2 : 1;
    }

    /**
     * The default time limit, after which the guests of the suite are ended.
     *
     * @return minutes
     */
    public int limitMinutes() {
        return limitMinutes;
    }

    /** The name, as on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
