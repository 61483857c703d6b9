package io.fairlead.testkit.internal;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Commands that are run to learn whether this user and this kernel may. */
public final class TriedCommand {
    private static final long DEADLINE_S = 60;

    private TriedCommand() {}

    /**
     * Runs a command, whose output is dropped.
     *
     * @param command the command and its arguments
     * @return whether it ended with 0; false if it is not installed, or has not ended within a minute
     */
    public static boolean succeeds(List<String> command) throws InterruptedException {
        try {
            Process tried = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return tried.waitFor(DEADLINE_S, TimeUnit.SECONDS) && tried.exitValue() == 0;
        } catch (IOException notInstalled) {
            return false;
        }
    }
}
