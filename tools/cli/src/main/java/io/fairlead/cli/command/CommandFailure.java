package io.fairlead.cli.command;

/** Ends a command with one line on stderr and an exit status. */
public final class CommandFailure extends RuntimeException {
    /** The exit status for a command that could not do its work. */
    public static final int FAILED = 1;

    /** The exit status for a command line or configuration that asks for something impossible. */
    public static final int USAGE = 2;

    private static final long serialVersionUID = 1L;

    private final int status;

    private CommandFailure(int status, String message) {
        super(message);
        this.status = status;
    }

    /**
     * The work could not be done.
     *
     * @param message what failed, with its name and value, and the remedy; one line
     * @return to be thrown
     */
    public static CommandFailure failed(String message) {
        return new CommandFailure(FAILED, message);
    }

    /**
     * The command line asks for something impossible.
     *
     * @param message what is wrong, with its name and value, and the remedy; one line
     * @return to be thrown
     */
    public static CommandFailure usage(String message) {
        return new CommandFailure(USAGE, message);
    }

    /**
     * The exit status.
     *
     * @return {@link #FAILED} or {@link #USAGE}
     */
    public int status() {
        return status;
    }
}
