package io.fairlead.transport.tcp;

import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.Availability;
import io.fairlead.spi.Diagnosis;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportProvider;
import io.fairlead.spi.TransportSetup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;

/**
 * Provides the transport over TCP under the name {@code tcp}. It is available wherever Java is.
 *
 * <p>An endpoint's data uses the connection of its handshake: one port to open, and the handshake's protection also
 * covers the data.
 */
public final class TcpProvider implements TransportProvider {
    /** The transport's name. */
    public static final String NAME = "tcp";

    /** The size of the socket's send buffer; 0 for the system's default, which grows on demand. */
    public static final ConfigKey<Integer> SEND_BUFFER = ConfigKey.bytes(
            "tcp.send-buffer",
            0,
            0,
            1 << 30,
            "Size of the socket's send buffer; 0 is the system's default, which grows by need.");

    /** The size of the socket's receive buffer; 0 for the system's default, which grows on demand. */
    public static final ConfigKey<Integer> RECEIVE_BUFFER = ConfigKey.bytes(
            "tcp.receive-buffer",
            0,
            0,
            1 << 30,
            "Size of the socket's receive buffer; 0 is the system's default, which grows by need.");

    /** Checksums over all data of endpoints: on if either side requests them. */
    public static final ConfigKey<String> CHECKSUM = ConfigKey.choice(
            "tcp.checksum",
            "off",
            List.of("off", "on"),
            "CRC32C over all that an endpoint and its peer exchange; on if either side says so.");

    private static final int LOOPBACK_TIMEOUT_MS = 2000;

    /** Creates the provider, for the service loader. */
    public TcpProvider() {}

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Availability availability() {
        return Availability.AVAILABLE;
    }

    @Override
    public List<ConfigKey<?>> configKeys() {
        return List.of(SEND_BUFFER, RECEIVE_BUFFER, CHECKSUM);
    }

    @Override
    public List<Diagnosis> diagnose() {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket listener = new ServerSocket(0, 1, loopback);
                Socket socket = new Socket()) {
            socket.connect(listener.getLocalSocketAddress(), LOOPBACK_TIMEOUT_MS);
            return List.of(
                    Diagnosis.ok("tcp loopback", "a connection over " + loopback.getHostAddress() + " is accepted"));
        } catch (IOException refused) {
            return List.of(Diagnosis.failure(
                    "tcp loopback",
                    "no connection over " + loopback.getHostAddress() + ", which processes of this host need: "
                            + refused.getMessage(),
                    "bring the interface up with: ip link set lo up; and let the firewall pass it"));
        }
    }

    @Override
    public Transport open(TransportSetup setup) {
        return new TcpTransport(new TcpSettings(
                setup.config().value(SEND_BUFFER),
                setup.config().value(RECEIVE_BUFFER),
                setup.config().value(ConfigKeys.QUEUE_BYTES),
                setup.config().value(CHECKSUM).equals("on")));
    }
}
