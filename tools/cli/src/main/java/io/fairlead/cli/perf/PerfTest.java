package io.fairlead.cli.perf;

import io.fairlead.Endpoint;
import io.fairlead.IdleStrategy;
import io.fairlead.Worker;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.measure.Contestant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The tests of {@code fairlead perf}, each as the one of {@code ucx_perftest} whose name it has. */
public enum PerfTest {
    TAG_LAT("tag-lat", "tag_lat", Kind.HALF_ROUND_TRIP, 1, 8, 4096),
    TAG_BW("tag-bw", "tag_bw", Kind.RATE, 32, 8, 1 << 20),
    PUT_LAT("put-lat", "ucp_put_lat", Kind.HALF_ROUND_TRIP, 1, 8, 4096),
    PUT_BW("put-bw", "ucp_put_bw", Kind.RATE, 32, 8, 1 << 20),
    GET_LAT("get-lat", "ucp_get", Kind.OPERATION, 1, 8, 4096),
    GET_BW("get-bw", "ucp_get", Kind.RATE, 32, 8, 1 << 20),
    FADD("fadd", "ucp_fadd", Kind.OPERATION, 1, 8, 8);

    /** What is measured. */
    enum Kind {
        /** There and back, halved. */
        HALF_ROUND_TRIP,
        /** One operation, from its post to its completion. */
        OPERATION,
        /** How many operations, and bytes, a second. */
        RATE
    }

    private final String label;
    private final String perftest;
    private final Kind kind;
    private final int window;
    private final int shortSize;
    private final int longSize;

    PerfTest(String label, String perftest, Kind kind, int window, int shortSize, int longSize) {
        this.label = label;
        this.perftest = perftest;
        this.kind = kind;
        this.window = window;
        this.shortSize = shortSize;
        this.longSize = longSize;
    }

    static PerfTest named(String name) {
        return Arrays.stream(values())
                .filter(test -> test.label.equals(name))
                .findFirst()
                .orElseThrow(() -> CommandFailure.usage("unknown test: test=" + name + ", one of "
                        + String.join(", ", names()) + "; leave it out to run all"));
    }

    public static List<String> names() {
        return Arrays.stream(values()).map(test -> test.label).toList();
    }

    /** Those of one side alone, in the memory of the other. */
    static List<String> remoteMemory() {
        return Arrays.stream(values())
                .filter(test -> test != TAG_LAT && test != TAG_BW)
                .map(test -> test.label)
                .toList();
    }

    /** Its name here. */
    String label() {
        return label;
    }

    /** Its name in {@code ucx_perftest}. */
    String perftest() {
        return perftest;
    }

    Kind kind() {
        return kind;
    }

    /** What a time is divided by. */
    int trips() {
        return kind == Kind.HALF_ROUND_TRIP ? 2 : 1;
    }

    /** Operations on their way at once, where the user names no number: as many as {@code ucx_perftest} has for tests of rates. */
    int window() {
        return window;
    }

    /** Bytes of an operation, where the user names none. */
    List<Integer> sizes() {
        return Stream.of(shortSize, longSize).distinct().toList();
    }

    Contestant fairlead(Worker worker, Endpoint endpoint, IdleStrategy idle, int size, int outstanding) {
        return switch (this) {
            case TAG_LAT -> new FairleadTagPingPong(new FairleadSide(worker, endpoint, idle, size), size);
            case TAG_BW -> new FairleadTagStream(new FairleadSide(worker, endpoint, idle, size), size, outstanding);
            case PUT_LAT -> new FairleadPutPingPong(new FairleadSide(worker, endpoint, idle, size), size);
            case PUT_BW -> new FairleadPuts(new FairleadSide(worker, endpoint, idle, size), size, outstanding);
            case GET_LAT, GET_BW -> new FairleadGets(new FairleadSide(worker, endpoint, idle, size), size, outstanding);
            case FADD -> new FairleadFetchAdds(new FairleadSide(worker, endpoint, idle, size), outstanding);
        };
    }
}
