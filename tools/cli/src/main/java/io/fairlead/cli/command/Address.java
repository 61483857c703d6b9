package io.fairlead.cli.command;

import io.fairlead.FairleadException;
import io.fairlead.spi.host.HostPort;
import java.net.InetSocketAddress;
import picocli.CommandLine.TypeConversionException;

/**
 * A host and port as written on the command line.
 *
 * @param host a name or numeric address, without brackets
 * @param port 0 to 65535
 */
public record Address(String host, int port) {
    /** The default address on which {@code pub} listens and to which {@code sub} connects. The port spells FAIRL on a telephone. */
    public static final String DEFAULT = "127.0.0.1:32475";

    /**
     * Reads an address.
     *
     * @param text {@code HOST:PORT}, {@code [IPV6]:PORT} or {@code PORT}
     * @return the address, not looked up
     * @throws TypeConversionException if it is none
     */
    public static Address parse(String text) {
        try {
            InetSocketAddress parsed = HostPort.parse(text.matches("\\d+") ? "127.0.0.1:" + text : text, 0);
            return new Address(parsed.getHostString(), parsed.getPort());
        } catch (IllegalArgumentException malformed) {
            throw new TypeConversionException(malformed.getMessage());
        }
    }

    /**
     * Writes a resolved address in the form that is read here.
     *
     * @param address resolved
     * @return its numeric host and port
     */
    public static Address of(InetSocketAddress address) {
        return new Address(address.getAddress().getHostAddress(), address.getPort());
    }

    /**
     * Looks the host up.
     *
     * @return the socket address
     * @throws FairleadException {@code UNKNOWN_HOST} if the name does not resolve
     */
    public InetSocketAddress resolve() {
        InetSocketAddress resolved = new InetSocketAddress(host, port);
        if (resolved.isUnresolved()) {
            throw new FairleadException(
                    FairleadException.Reason.UNKNOWN_HOST,
                    "host does not resolve: host=" + host + "; check its spelling, or name it by its address");
        }
        return resolved;
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
