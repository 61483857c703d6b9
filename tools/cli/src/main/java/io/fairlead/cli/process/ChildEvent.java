package io.fairlead.cli.process;

/** Something that a child process did. Events of one child come in order, and {@link Ended} is its last. */
public sealed interface ChildEvent {
    /**
     * Whose event it is.
     *
     * @return the child
     */
    ChildProcess child();

    /**
     * A line on its standard output.
     *
     * @param child the child
     * @param line without its end
     */
    record Said(ChildProcess child, String line) implements ChildEvent {}

    /**
     * A line on its standard error.
     *
     * @param child the child
     * @param line without its end
     */
    record Complained(ChildProcess child, String line) implements ChildEvent {
        /**
         * The line for a reader of several children.
         *
         * @return with the child's name before it, unless it is an object of the log, which must stay one
         */
        public String attributed() {
            return line.startsWith("{") ? line : child.name() + ": " + line;
        }
    }

    /**
     * Its end.
     *
     * @param child the child
     * @param status the exit status, 128 and the signal's number after a signal
     */
    record Ended(ChildProcess child, int status) implements ChildEvent {
        private static final int SIGNALLED = 128;

        /**
         * How it ended.
         *
         * @return in words, to follow the child's name
         */
        public String description() {
            return status > SIGNALLED
                    ? "was killed by signal " + (status - SIGNALLED)
                    : "ended with exit status " + status;
        }
    }
}
