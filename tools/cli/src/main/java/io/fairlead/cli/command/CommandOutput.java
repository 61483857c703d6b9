package io.fairlead.cli.command;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;

/** Standard output at a command's end: System.out keeps to itself that something could not be written. */
public final class CommandOutput {
    private static final String READER_GONE = "Broken pipe";

    private CommandOutput() {}

    /**
     * Reports in one line if not everything was written.
     *
     * @param err where to
     * @return the exit status; 0 also where a reader such as {@code head} has seen enough and gone
     */
    public static int finish(PrintWriter err) {
        if (!System.out.checkError()) {
            return 0;
        }
        String cause = cause();
        if (cause.equals(READER_GONE)) {
            return 0;
        }
        err.println("fairlead: standard output could not be written as a whole: cause=" + cause
                + "; make room, or write it elsewhere");
        err.flush();
        return CommandFailure.FAILED;
    }

    /** Writes again to get the exception of the failure. The stream is not closed, because it is the process's. */
    private static String cause() {
        @SuppressWarnings("resource")
        FileOutputStream out = new FileOutputStream(FileDescriptor.out);
        try {
            out.write('\n');
            return "unknown";
        } catch (IOException failure) {
            return String.valueOf(failure.getMessage());
        }
    }
}
