package io.fairlead.benchmarks.contest;

import io.fairlead.benchmarks.process.ProcessorTime;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;

/** The process of one side of a contestant. Does the work that its input names, line by line, and ends with it. */
public final class SideMain {
    /** Before each line that is meant for the process which has started this one. */
    static final String SAYS = "#";

    static final String AT = "at";
    static final String READY = "ready";
    static final String BEGAN = "began";
    static final String DONE = "done";

    private static final long LONGEST_NS = 60_000_000_000L;

    private SideMain() {}

    /**
     * Takes part.
     *
     * @param args the contestant, what a thread without work does, whether this side leads, and the address of the other side if this one is to connect
     */
    public static void main(String[] args) throws IOException, InterruptedException, TimeoutException {
        Contestant contestant = Contestant.of(args[0]);
        Idle idle = Idle.valueOf(args[1]);
        boolean leads = Boolean.parseBoolean(args[2]);
        try (Side side = args.length > 3
                        ? contestant.connect(idle, args[3])
                        : contestant.listen(idle, address -> say(AT, address));
                BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            say(READY, "");
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                work(side, leads, Work.parse(line));
            }
        }
        // Some libraries leave threads behind.
        System.exit(0);
    }

    private static void work(Side side, boolean leads, Work work) {
        int outgoing = leads || work.kind() == Work.Kind.ASK ? work.count() : 0;
        int incoming = !leads || work.kind() == Work.Kind.ASK ? work.count() : 0;
        Histogram times = new Histogram(LONGEST_NS, 3);
        side.begin(work.size(), outgoing, incoming);
        long processorNs = ProcessorTime.ofThisProcessNs();
        say(BEGAN, "");
        long startNs = System.nanoTime();
        if (work.kind() == Work.Kind.ASK) {
            if (leads) {
                side.ask(work.count(), work.intervalNs(), times);
            } else {
                side.answer(work.count());
            }
        } else if (leads) {
            side.stream(work.count());
        } else {
            side.drain(work.count());
        }
        long endNs = System.nanoTime();
        say(
                DONE,
                startNs + " " + endNs + " " + (ProcessorTime.ofThisProcessNs() - processorNs) + " "
                        + times.getValueAtPercentile(50) + " " + times.getValueAtPercentile(99) + " "
                        + times.getValueAtPercentile(99.9));
    }

    private static void say(String what, String rest) {
        System.out.println(SAYS + what + " " + rest);
        System.out.flush();
    }
}
