package io.fairlead.testkit.roce;

import java.util.Arrays;
import java.util.Locale;

/** What runs in the guest; each has a script of its name, and a time within which an idle machine of two processors is done. */
public enum RoceSuite {
    /** The contract suites of the testkit, as tests run them over the other transports. */
    CONTRACT(40),
    /** Two processes, each on a device of its own. */
    DEMO(15),
    /** What happens to the survivors when the wire, a device or a peer breaks. */
    FAULTS(30),
    /** Every test of {@code fairlead perf}, whose figures mean nothing there. */
    PERF(20),
    /** What a user runs on two hosts: {@code fairlead rdma-check}. */
    CHECK(20),
    /** Which path is chosen where both sides, or one of them, have a usable device. */
    SELECTION(20);

    private static final int GUESTS_MAX = 16;

    private final int limitMinutes;

    RoceSuite(int limitMinutes) {
        this.limitMinutes = limitMinutes;
    }

    /**
     * Finds a suite by its name on the command line.
     *
     * @param name in any case
     * @return the suite
     * @throws IllegalArgumentException if there is none of that name, with those that there are
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
     * How many guests may share it out.
     *
     * @return 1 for suites that are not made of classes
     */
    public int guestsMax() {
        return this == CONTRACT ? GUESTS_MAX : 1;
    }

    String script() {
        return "suite-" + this + ".sh";
    }

    /** At least one of so many packets leaves its device: some cases of the contract connect a device with itself. */
    long oneOfCrosses() {
        return this == CONTRACT ? 2 : 1;
    }

    /**
     * The time after which its guests are ended, where no other is given.
     *
     * @return minutes
     */
    public int limitMinutes() {
        return limitMinutes;
    }

    /** As on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
