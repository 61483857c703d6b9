package io.fairlead.cli.measure;

import io.fairlead.cli.command.CommandFailure;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** What contestants can do, each as the test of {@code ucx_perftest} whose name it has. */
public enum PerfTest {
    TAG_LAT("tag-lat", "tag_lat", Kind.HALF_ROUND_TRIP, 1, 8, 4096),
    TAG_BW("tag-bw", "tag_bw", Kind.RATE, 32, 8, 1 << 20),
    PUT_LAT("put-lat", "ucp_put_lat", Kind.HALF_ROUND_TRIP, 1, 8, 4096),
    PUT_BW("put-bw", "ucp_put_bw", Kind.RATE, 32, 8, 1 << 20),
    GET_LAT("get-lat", "ucp_get", Kind.OPERATION, 1, 8, 4096),
    GET_BW("get-bw", "ucp_get", Kind.RATE, 32, 8, 1 << 20),
    FADD("fadd", "ucp_fadd", Kind.OPERATION, 1, 8, 8);

    private enum Kind {
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

    public static PerfTest named(String name) {
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
    public static List<String> remoteMemory() {
        return Arrays.stream(values())
                .filter(test -> test != TAG_LAT && test != TAG_BW)
                .map(test -> test.label)
                .toList();
    }

    /** Its name here. */
    public String label() {
        return label;
    }

    /** Its name in {@code ucx_perftest}. */
    String perftest() {
        return perftest;
    }

    /** Whether operations are counted, and not timed one by one. */
    public boolean isRate() {
        return kind == Kind.RATE;
    }

    /** What a time is divided by. */
    public int trips() {
        return kind == Kind.HALF_ROUND_TRIP ? 2 : 1;
    }

    /** Whether one operation is in flight at a time, whatever the user says. */
    public boolean isAlone() {
        return kind == Kind.HALF_ROUND_TRIP || this == GET_LAT;
    }

    /** Operations in flight, where the user names no number: as many as {@code ucx_perftest} has for tests of rates. */
    public int window() {
        return window;
    }

    /** Bytes of an operation, where the user names none. */
    public List<Integer> sizes() {
        return Stream.of(shortSize, longSize).distinct().toList();
    }
}
