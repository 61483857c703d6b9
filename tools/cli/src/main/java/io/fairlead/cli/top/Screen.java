package io.fairlead.cli.top;

import io.fairlead.cli.command.Terminal;
import io.fairlead.internal.names.ShownText;
import java.io.PrintStream;
import java.util.List;

/** Shows one frame after the other: in place on a terminal, which is left as it was, and below each other elsewhere. */
final class Screen implements AutoCloseable {
    private static final String ENTER = "\u001b[?1049h\u001b[?25l";
    private static final String LEAVE = "\u001b[?25h\u001b[?1049l";
    private static final String TO_TOP = "\u001b[H";
    private static final String CLEAR_TO_END_OF_LINE = "\u001b[K";
    private static final String CLEAR_BELOW = "\u001b[J";

    private enum Kind {
        /** Drawn over. */
        TERMINAL,
        /** An empty line between two frames. */
        TEXT,
        /** Nothing between them. */
        PLAIN
    }

    private final PrintStream out;
    private final Kind kind;
    private boolean shown;

    private Screen(PrintStream out, Kind kind) {
        this.out = out;
        this.kind = kind;
    }

    /** Frames on standard output. */
    static Screen ofFrames() {
        return on(System.out, Terminal.isOutput());
    }

    /** Documents on standard output, a line each. */
    static Screen ofLines() {
        return plain(System.out);
    }

    static Screen on(PrintStream out, boolean terminal) {
        return new Screen(out, terminal ? Kind.TERMINAL : Kind.TEXT);
    }

    static Screen plain(PrintStream out) {
        return new Screen(out, Kind.PLAIN);
    }

    /** Shows a frame. What is in it comes from other processes, and commands no terminal. */
    void show(List<String> frame) {
        List<String> lines = frame.stream().map(ShownText::line).toList();
        if (kind == Kind.TERMINAL) {
            draw(lines, Terminal.size());
        } else {
            String between = kind == Kind.TEXT && shown ? "\n" : "";
            out.print(between + String.join("\n", lines) + "\n");
        }
        shown = true;
        out.flush();
    }

    /** What does not fit is cut off: a line that wraps would move the others. */
    private void draw(List<String> lines, Terminal.Size size) {
        StringBuilder frame = new StringBuilder(shown ? TO_TOP : ENTER + TO_TOP);
        for (int i = 0; i < Math.min(lines.size(), size.rows()); i++) {
            String line = lines.get(i);
            frame.append(i == 0 ? "" : "\r\n")
                    .append(line, 0, Math.min(line.length(), size.columns()))
                    .append(CLEAR_TO_END_OF_LINE);
        }
        out.print(frame + CLEAR_BELOW);
    }

    /** Whether nobody reads any more. */
    boolean closed() {
        return out.checkError();
    }

    @Override
    public void close() {
        if (kind == Kind.TERMINAL && shown) {
            out.print(LEAVE);
            out.flush();
        }
    }
}
