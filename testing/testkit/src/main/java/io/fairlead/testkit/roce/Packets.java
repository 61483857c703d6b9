package io.fairlead.testkit.roce;

import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What one RDMA device of the guest has counted.
 *
 * @param device its name
 * @param sent RDMA packets that left
 * @param received RDMA packets that arrived
 * @param frames all frames that left the network interface below
 */
record Packets(String device, long sent, long received, long frames) {
    private static final Pattern LINE = Pattern.compile("(\\w+) sent=(\\d+) received=(\\d+) frames=(\\d+)");

    static List<Packets> parse(List<String> lines) {
        return lines.stream()
                .map(LINE::matcher)
                .filter(Matcher::matches)
                .map(line -> new Packets(
                        line.group(1),
                        Long.parseLong(line.group(2)),
                        Long.parseLong(line.group(3)),
                        Long.parseLong(line.group(4))))
                .toList();
    }

    /** What the devices of a name counted in several guests. */
    static List<Packets> sum(Stream<Packets> all) {
        return List.copyOf(all.collect(Collectors.toMap(
                        Packets::device,
                        Function.identity(),
                        (one, other) -> new Packets(
                                one.device,
                                one.sent + other.sent,
                                one.received + other.received,
                                one.frames + other.frames),
                        TreeMap::new))
                .values());
    }

    /**
     * Whether RDMA packets of both devices crossed the wire between them: all that were sent, or, where a suite connects devices with
     * themselves too, one of so many.
     */
    static boolean crossed(List<Packets> all, long atLeast, long oneOf) {
        return all.size() == 2
                && all.stream()
                        .allMatch(device -> device.sent >= atLeast
                                && device.received >= atLeast
                                && device.frames >= device.sent / oneOf);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s: %,d RDMA packets sent, %,d received, %,d frames on its wire",
                device,
                sent,
                received,
                frames);
    }
}
