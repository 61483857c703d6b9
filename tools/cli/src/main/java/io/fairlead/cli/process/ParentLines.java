package io.fairlead.cli.process;

import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * What the parent of this process writes to its standard input, line by line. A process that has not ended 3 seconds after the parent's last line is
 * halted. For one thread.
 */
public final class ParentLines {
    /** Short: the parent waits for the answer to each of its lines. */
    private final BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();

    private ParentLines() {}

    /**
     * Begins to read them, from a thread of its own.
     *
     * @return once in a process, which must not have a {@link StopSignal}: that reads the same input
     */
    public static ParentLines open() {
        ParentLines opened = new ParentLines();
        ParentWatch.start(line -> opened.lines.add(Optional.of(line)), () -> opened.lines.add(Optional.empty()));
        return opened;
    }

    /**
     * Sleeps until there is one.
     *
     * @return empty when the parent has ended or has no more
     * @throws InterruptedException if the thread is interrupted
     */
    public Optional<String> next() throws InterruptedException {
        return lines.take();
    }
}
