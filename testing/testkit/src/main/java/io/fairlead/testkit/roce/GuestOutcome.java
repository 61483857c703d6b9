package io.fairlead.testkit.roce;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What a guest left in its folder.
 *
 * @param status the exit status of its suite
 * @param packets what its devices counted
 * @param suites the classes that it ran, if it is for classes
 */
record GuestOutcome(String status, List<Packets> packets, List<SuiteResult> suites) {
    static final String NONE = "none";

    /** Reads the folder; a guest that did not come to its end has left {@link #NONE}. */
    static GuestOutcome read(Path folder) throws IOException {
        Path status = folder.resolve("status");
        Path counters = folder.resolve("counters");
        return new GuestOutcome(
                Files.exists(status) ? Files.readString(status).strip() : NONE,
                Packets.parse(Files.exists(counters) ? Files.readAllLines(counters) : List.of()),
                SuiteResult.read(folder));
    }

    /** Whether other guests had taken all that there was to run when it came. */
    boolean idle(RoceSuite suite) {
        return suite.runsClasses()
                && status.equals("0")
                && suites.isEmpty()
                && packets.stream().allMatch(device -> device.sent() == 0);
    }

    /** Whether what ran in it went well, and at least so many RDMA packets of each device crossed the wire. */
    boolean passed(long packetsMin, RoceSuite suite) {
        return status.equals("0")
                && Packets.crossed(packets, packetsMin, suite.oneOfCrosses())
                && suites.stream().allMatch(result -> result.failed() == 0);
    }
}
