package io.fairlead.cli.doctor;

import io.fairlead.cli.process.ChildEvent;
import io.fairlead.cli.process.ChildProcess;
import io.fairlead.cli.process.StopSignal;
import io.fairlead.spi.Diagnosis;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.json.JsonMapper;

/**
 * The check of two processes on this host: they connect, exchange a message each, and report their path. They are separate
 * processes, because a native library that ends its process must not end the reporting one.
 *
 * @param finding the line about the pair
 * @param path the way their data took; empty if it took none
 */
record PairCheck(Diagnosis finding, Optional<PathReport> path) {
    private static final String NAME = "path";
    private static final String REMEDY = "mend what is said above, or see what --set transports=tcp makes of it";
    private static final String LAST_WORDS = "fairlead: ";
    private static final long TIMEOUT_S = 30;

    static PairCheck run(List<String> configArguments, StopSignal stop) throws InterruptedException {
        BlockingQueue<ChildEvent> events = new LinkedBlockingQueue<>();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_S);
        try (ChildProcess listener = start("listener", List.of(), configArguments, events)) {
            Answer listening = await(listener, events, deadline, stop);
            if (listening.line().isEmpty()) {
                return failed(listening.complaint());
            }
            List<String> connect = List.of("--connect=" + listening.line().get());
            try (ChildProcess connector = start("connector", connect, configArguments, events)) {
                Answer connected = await(connector, events, deadline, stop);
                return connected
                        .line()
                        .map(line -> JsonMapper.shared().readValue(line, PathReport.class))
                        .map(path -> new PairCheck(
                                Diagnosis.ok(NAME, "two processes here talk by " + path.text()), Optional.of(path)))
                        .orElseGet(() -> failed(connected.complaint()));
            }
        }
    }

    private static ChildProcess start(
            String name, List<String> options, List<String> configArguments, BlockingQueue<ChildEvent> events) {
        List<String> arguments = new ArrayList<>();
        arguments.add(DoctorPeer.NAME);
        arguments.addAll(options);
        arguments.addAll(configArguments);
        return ChildProcess.start(name, arguments, events);
    }

    /** Waits for the line that a child says when all went well. */
    private static Answer await(ChildProcess child, BlockingQueue<ChildEvent> events, long deadline, StopSignal stop)
            throws InterruptedException {
        List<String> complaints = new ArrayList<>();
        while (!stop.requested() && System.nanoTime() - deadline < 0) {
            ChildEvent event = events.poll(100, TimeUnit.MILLISECONDS);
            switch (event) {
                case ChildEvent.Said said
                when said.child().equals(child) && said.line().startsWith(DoctorPeer.MARK) -> {
                    return new Answer(Optional.of(said.line().substring(DoctorPeer.MARK.length())), "");
                }
                case ChildEvent.Complained complained -> complaints.add(complained.line());
                case ChildEvent.Ended ended -> {
                    return new Answer(
                            Optional.empty(),
                            "the " + ended.child().name() + " " + ended.description()
                                    + (complaints.isEmpty() ? "" : ": " + cause(complaints)));
                }
                case null, default -> {}
            }
        }
        return new Answer(
                Optional.empty(),
                stop.requested()
                        ? "stopped by a signal"
                        : "the " + child.name() + " gave no answer in " + TIMEOUT_S + " s");
    }

    /** The command's last words, before lines of its log. */
    private static String cause(List<String> complaints) {
        return complaints.stream()
                .filter(line -> line.startsWith(LAST_WORDS))
                .findFirst()
                .map(line -> line.substring(LAST_WORDS.length()))
                .orElseGet(complaints::getFirst);
    }

    private static PairCheck failed(String complaint) {
        return new PairCheck(
                Diagnosis.failure(NAME, "two processes here cannot talk: " + complaint, REMEDY), Optional.empty());
    }

    private record Answer(Optional<String> line, String complaint) {}
}
