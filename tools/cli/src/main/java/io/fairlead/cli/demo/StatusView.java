package io.fairlead.cli.demo;

import io.fairlead.cli.command.Terminal;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Shows a few lines of progress on stderr: redrawn in place on a terminal, and otherwise one plain line every two seconds.
 *
 * <p>Libraries for progress bars draw one bar and take over the whole terminal to learn its width; the demo has four
 * processes to show, in lines that fit any terminal.
 */
final class StatusView {
    private static final String CLEAR_TO_END = "\u001b[K";
    private static final long PLAIN_INTERVAL_NS = TimeUnit.SECONDS.toNanos(2);

    private final PrintStream out;
    private final boolean terminal;
    private int drawn;
    private long lastPlainNs = System.nanoTime();

    StatusView(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    static StatusView onStderr() {
        return new StatusView(System.err, Terminal.isError());
    }

    /** Shows the present state; a plain line holds the lines of a terminal one after the other. */
    void show(List<String> lines) {
        if (terminal) {
            erase();
            lines.forEach(line -> out.print(line + CLEAR_TO_END + "\n"));
            drawn = lines.size();
            out.flush();
        } else if (System.nanoTime() - lastPlainNs >= PLAIN_INTERVAL_NS) {
            lastPlainNs = System.nanoTime();
            out.println(String.join(
                    " | ",
                    lines.stream()
                            .map(line -> line.strip().replaceAll(" {2,}", " "))
                            .toList()));
        }
    }

    /** Prints a line that stays. */
    void print(String line) {
        erase();
        drawn = 0;
        out.print(line + (terminal ? CLEAR_TO_END : "") + "\n");
        out.flush();
    }

    /** Leaves the terminal as if no progress had been shown. */
    void clear() {
        erase();
        if (drawn > 0) {
            out.print("\u001b[J");
            out.flush();
        }
        drawn = 0;
    }

    private void erase() {
        if (drawn > 0) {
            out.print("\u001b[" + drawn + "A");
        }
    }
}
