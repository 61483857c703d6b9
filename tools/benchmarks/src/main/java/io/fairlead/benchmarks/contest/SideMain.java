package io.fairlead.benchmarks.contest;

import io.fairlead.benchmarks.process.Compilers;
import io.fairlead.benchmarks.process.DirectedProcess;
import io.fairlead.benchmarks.process.ProcessorTime;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;

/** The process of one side of a contestant. Does the work that its input names, line by line, and ends with it. */
public final class SideMain {
    static final String AT = "at";
    /** With the nanoseconds that opening and connecting took. */
    static final String READY = "ready";

    static final String BEGAN = "began";
    static final String DONE = "done";
    /** Said to this side, instead of work. */
    static final String REST = "rest";

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
        long startNs = System.nanoTime();
        try (Side side = args.length > 3
                        ? contestant.connect(idle, args[3])
                        : contestant.listen(idle, address -> DirectedProcess.tell(AT, address));
                BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            DirectedProcess.tell(READY, String.valueOf(System.nanoTime() - startNs));
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                if (line.equals(REST)) {
                    Compilers.awaitRest();
                    DirectedProcess.tell(DONE, "");
                } else {
                    work(side, leads, Work.parse(line));
                }
            }
        }
        // Some libraries leave threads behind.
        System.exit(0);
    }

    private static void work(Side side, boolean leads, Work work) {
        int outgoing = leads || work.kind() == Work.Kind.ASK ? work.count() : 0;
        int incoming = !leads || work.kind() == Work.Kind.ASK ? work.count() : 0;
        Histogram times = new Histogram(LONGEST_NS, 3);
        side.begin(work.size(), outgoing, incoming, work.inFlight());
        long processorNs = ProcessorTime.ofThisProcessNs();
        DirectedProcess.tell(BEGAN, "");
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
        DirectedProcess.tell(
                DONE,
                startNs + " " + endNs + " " + (ProcessorTime.ofThisProcessNs() - processorNs) + " "
                        + times.getValueAtPercentile(50) + " " + times.getValueAtPercentile(99) + " "
                        + times.getValueAtPercentile(99.9));
    }
}
