package io.fairlead.spi.host;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Addresses as text: {@code HOST:PORT}, with brackets around an IPv6 address. */
public final class HostPort {
    /** The greatest port. */
    public static final int PORT_MAX = 65_535;

    /** More digits than a port can have, and still within an int. */
    private static final int DIGITS_MAX = 9;

    private HostPort() {}

    /**
     * Parses an address without resolving its host.
     *
     * @param text {@code HOST:PORT} or {@code [IPV6]:PORT}
     * @param portMin the lowest port that is allowed: 0 for an address to listen at, where 0 selects a free port, and 1
     *     for one to connect to
     * @return the address, unresolved
     * @throws IllegalArgumentException if the text is no host and port
     */
    public static InetSocketAddress parse(String text, int portMin) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? text : text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.indexOf(':') >= 0) {
            throw malformed(text, "an IPv6 address without brackets");
        }
        if (colon < 0 || host.isBlank()) {
            throw malformed(text, colon < 0 ? "no port" : "no host");
        }
        String digits = text.substring(colon + 1);
        if (!isNumber(digits)) {
            throw malformed(text, "a port that is no number");
        }
        int port = digits.length() > DIGITS_MAX ? PORT_MAX + 1 : Integer.parseInt(digits);
        if (port < portMin || port > PORT_MAX) {
            throw malformed(text, "port=" + digits + ", allowed " + portMin + " to " + PORT_MAX);
        }
        return InetSocketAddress.createUnresolved(host, port);
    }

    /** Accepts digits only: the JDK's parser of numbers also accepts signs, and digits of other scripts. */
    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    /**
     * Parses an address and resolves its host.
     *
     * @param text as for {@link #parse}
     * @param portMin as for {@link #parse}
     * @return the address, unresolved if the host is unknown
     * @throws IllegalArgumentException if the text is no host and port
     */
    public static InetSocketAddress resolve(String text, int portMin) {
        InetSocketAddress parsed = parse(text, portMin);
        return new InetSocketAddress(parsed.getHostString(), parsed.getPort());
    }

    /**
     * Formats an address for {@link #parse}.
     *
     * @param address the address
     * @return its IP address, or its host's name if it is unresolved, and its port
     */
    public static String text(InetSocketAddress address) {
        InetAddress ip = address.getAddress();
        String host = ip == null ? address.getHostString() : ip.getHostAddress();
        return (ip instanceof Inet6Address || host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":"
                + address.getPort();
    }

    private static IllegalArgumentException malformed(String text, String rule) {
        return new IllegalArgumentException(
                "malformed address: address=\"" + text + "\", " + rule + "; write HOST:PORT, such as 10.0.0.1:7400");
    }
}
