package io.fairlead.internal.config;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.config.ConfigKeys;
import io.fairlead.internal.names.ShownText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

/** The name of a context: {@code node.name}, or host and process id if that is empty. */
public final class NodeName {
    private static final int LENGTH_MAX = 64;

    private NodeName() {}

    /**
     * The name of a context.
     *
     * @param config its configuration
     * @return never empty
     */
    public static String of(FairleadConfig config) {
        String name = config.value(ConfigKeys.NODE_NAME);
        int control = ShownText.commandAt(name);
        if (control >= 0) {
            throw new FairleadException(
                    FairleadException.Reason.CONFIGURATION,
                    "node.name has a character that is not seen in a line of a log, or changes its order, and no peer takes it: node.name="
                            + ShownText.of(name) + ", index=" + control + ", character=U+"
                            + HexFormat.of().withUpperCase().toHexDigits((short) name.charAt(control))
                            + "; leave it out");
        }
        return name.isEmpty() ? hostAndProcess() : name;
    }

    /** Does not query a name server: a process must start without one. */
    private static String hostAndProcess() {
        String name = host() + "-" + ProcessHandle.current().pid();
        return name.substring(Math.max(0, name.length() - LENGTH_MAX));
    }

    private static String host() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException notLinux) {
            return "host";
        }
    }
}
