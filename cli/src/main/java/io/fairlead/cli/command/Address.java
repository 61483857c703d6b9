package io.fairlead.cli.command;

import io.fairlead.FairleadException;
import java.net.InetSocketAddress;
import picocli.CommandLine.TypeConversionException;

/**
 * A host and port as written on the command line.
 *
 * @param host a name or numeric address, without brackets
 * @param port 0 to 65535
 */
public record Address(String host, int port) {
    /** Where {@code pub} listens and {@code sub} connects unless told otherwise: the keys of FAIRL on a telephone. */
    public static final String DEFAULT = "127.0.0.1:32475";

    /** The greatest number of a port. */
    public static final int PORT_MAX = 65535;

    /**
     * Reads an address.
     *
     * @param text {@code HOST:PORT}, {@code [IPV6]:PORT} or {@code PORT}
     * @return the address, not looked up
     * @throws TypeConversionException if it is none
     */
    public static Address parse(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "127.0.0.1" : text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.contains(":")) {
            throw new TypeConversionException(
                    "not an address: '" + text + "', write an IPv6 address as [ADDRESS]:PORT");
        }
        String digits = text.substring(colon + 1);
        if (host.isEmpty() || !digits.matches("\\d{1,5}")) {
            throw new TypeConversionException("not an address: '" + text + "', write HOST:PORT, such as " + DEFAULT);
        }
        int port = Integer.parseInt(digits);
        if (port > PORT_MAX) {
            throw new TypeConversionException("no such port: port=" + port + " in '" + text + "', 0 to " + PORT_MAX);
        }
        return new Address(host, port);
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
