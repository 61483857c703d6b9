package io.fairlead.cli.roce;

import java.util.Locale;

/** What runs in the guest; each has a script of its name, and a time within which an idle machine of two processors is done. */
enum RoceSuite {
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

    private final int limitMinutes;

    RoceSuite(int limitMinutes) {
        this.limitMinutes = limitMinutes;
    }

    String script() {
        return "suite-" + this + ".sh";
    }

    /** At least one of so many packets leaves its device: some cases of the contract connect a device with itself. */
    long oneOfCrosses() {
        return this == CONTRACT ? 2 : 1;
    }

    int limitMinutes() {
        return limitMinutes;
    }

    /** As on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
