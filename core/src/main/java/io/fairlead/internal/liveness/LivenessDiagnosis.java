package io.fairlead.internal.liveness;

import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKeys;
import io.fairlead.internal.config.Settings;
import io.fairlead.spi.Diagnosis;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.Set;

/** The findings of {@code fairlead doctor} about the detection of lost hosts. */
public final class LivenessDiagnosis {
    private static final String NAME = "liveness";

    private LivenessDiagnosis() {}

    /**
     * Connects to itself and looks for that connection as a context would.
     *
     * @param config the configuration that a context would be opened with
     * @return the finding; never an exception
     */
    public static Diagnosis of(FairleadConfig config) {
        return of(config, SocketTable.ofSystem());
    }

    static Diagnosis of(FairleadConfig config, SocketTable table) {
        String stall = "stall.timeout=" + Settings.stallNs(config) / 1_000_000 + " ms";
        try {
            HostAnswer answer = tryOut(table);
            if (answer != HostAnswer.UNKNOWN) {
                return Diagnosis.ok(
                        NAME,
                        "the kernel reports whether hosts answer: a lost one is found after liveness.timeout="
                                + config.value(ConfigKeys.LIVENESS_TIMEOUT).toMillis()
                                + " ms, a stalled worker ends its endpoints after "
                                + stall);
            }
            return unable(stall, "the table of TCP connections lacks those of this process");
        } catch (IOException failure) {
            return unable(stall, String.valueOf(failure.getMessage()));
        }
    }

    private static Diagnosis unable(String stall, String cause) {
        return Diagnosis.warning(
                NAME,
                "the kernel cannot be asked whether hosts answer: " + cause + "; endpoints with lost hosts end after "
                        + stall + " alone",
                "let the process read /proc/self/net/tcp and tcp6 (Linux), or shorten stall.timeout");
    }

    private static HostAnswer tryOut(SocketTable table) throws IOException {
        try (ServerSocketChannel listener =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
                SocketChannel connection = SocketChannel.open(listener.getLocalAddress())) {
            String key = SocketTable.key((InetSocketAddress) connection.getLocalAddress(), (InetSocketAddress)
                    connection.getRemoteAddress());
            Map<String, HostAnswer> found = table.read(Set.of(key));
            return found.getOrDefault(key, HostAnswer.UNKNOWN);
        }
    }
}
