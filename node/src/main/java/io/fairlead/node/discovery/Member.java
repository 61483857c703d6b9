package io.fairlead.node.discovery;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;

/**
 * A process that serves under the name of a service. Immutable.
 *
 * @param name what the registry calls it, such as a pod's name; for messages
 * @param address where its node listens; an unresolved one cannot be reached, which is told when it is tried
 * @param priority members with the lowest number that are connected are used, and others only without those; 0 unless a registry says otherwise
 */
public record Member(String name, InetSocketAddress address, int priority) {
    /** Refuses nulls. */
    public Member {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(address, "address");
    }

    /**
     * A member that is called by its address.
     *
     * @param address where its node listens
     * @return a member of priority 0
     */
    public static Member at(InetSocketAddress address) {
        return new Member(text(address), address, 0);
    }

    /**
     * A member of a name.
     *
     * @param name what the registry calls it
     * @param address where its node listens
     * @return a member of priority 0
     */
    public static Member of(String name, InetSocketAddress address) {
        return new Member(name, address, 0);
    }

    /**
     * Reads an address, and looks its host up. Blocks as long as the system's resolver takes.
     *
     * @param text {@code HOST:PORT}; a host that is an IPv6 address in brackets
     * @return the address, unresolved if there is no such host
     * @throws IllegalArgumentException if the text is no host and port
     */
    public static InetSocketAddress resolve(String text) {
        InetSocketAddress parsed = parse(text);
        return new InetSocketAddress(parsed.getHostString(), parsed.getPort());
    }

    /**
     * Reads an address without looking its host up.
     *
     * @param text {@code HOST:PORT}; a host that is an IPv6 address in brackets
     * @return the address, unresolved
     * @throws IllegalArgumentException if the text is no host and port
     */
    public static InetSocketAddress parse(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? text : text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.indexOf(':') >= 0) {
            throw noAddress(text, "an IPv6 address without brackets");
        }
        if (colon < 0 || host.isEmpty()) {
            throw noAddress(text, colon < 0 ? "no port" : "no host");
        }
        int port;
        try {
            port = Integer.parseInt(text, colon + 1, text.length(), 10);
        } catch (NumberFormatException noNumber) {
            throw noAddress(text, "a port that is no number");
        }
        if (port < 1 || port > 65535) {
            throw noAddress(text, "port=" + port + ", allowed 1 to 65535");
        }
        return InetSocketAddress.createUnresolved(host, port);
    }

    /**
     * An address as {@link #parse} reads it.
     *
     * @param address the address
     * @return its IP address, or its host's name where it is unresolved, and its port
     */
    public static String text(InetSocketAddress address) {
        InetAddress ip = address.getAddress();
        String host = ip == null ? address.getHostString() : ip.getHostAddress();
        return (ip instanceof Inet6Address || host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":"
                + address.getPort();
    }

    private static IllegalArgumentException noAddress(String text, String rule) {
        return new IllegalArgumentException(
                "malformed address: address=\"" + text + "\", " + rule + "; write HOST:PORT, such as 10.0.0.1:7400");
    }

    @Override
    public String toString() {
        String at = text(address);
        return name.equals(at) ? name : name + " at " + at;
    }
}
