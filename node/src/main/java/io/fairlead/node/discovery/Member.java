package io.fairlead.node.discovery;

import io.fairlead.spi.host.HostPort;
import java.net.InetSocketAddress;
import java.util.Objects;

/**
 * A process that serves under the name of a service. Immutable.
 *
 * @param name what the registry calls it, such as a pod's name; for messages
 * @param address where its node listens; an unresolved one fails when it is tried
 * @param priority members with the lowest number that are connected are used, and others only when none of those is; 0 unless a registry says
 *     otherwise
 * @param weight its share of operations among connected members of its priority, 0 to {@value #WEIGHT_MAX}; 1 unless a registry says otherwise. Of
 *     0 it gets hardly any while another has more
 */
public record Member(String name, InetSocketAddress address, int priority, int weight) {
    /** The greatest weight. */
    public static final int WEIGHT_MAX = 65_535;

    /** Refuses nulls, and a weight out of range. */
    public Member {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(address, "address");
        if (weight < 0 || weight > WEIGHT_MAX) {
            throw new IllegalArgumentException("weight of a member out of range: member=" + name + ", weight=" + weight
                    + ", allowed 0 to " + WEIGHT_MAX);
        }
    }

    /**
     * A member of weight 1.
     *
     * @param name what the registry calls it
     * @param address where its node listens
     * @param priority members with the lowest number that are connected are used
     */
    public Member(String name, InetSocketAddress address, int priority) {
        this(name, address, priority, 1);
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
        return HostPort.resolve(text, 1);
    }

    /**
     * Reads an address without looking its host up.
     *
     * @param text {@code HOST:PORT}; a host that is an IPv6 address in brackets
     * @return the address, unresolved
     * @throws IllegalArgumentException if the text is no host and port
     */
    public static InetSocketAddress parse(String text) {
        return HostPort.parse(text, 1);
    }

    /**
     * An address as {@link #parse} reads it.
     *
     * @param address the address
     * @return its IP address, or its host's name where it is unresolved, and its port
     */
    public static String text(InetSocketAddress address) {
        return HostPort.text(address);
    }

    @Override
    public String toString() {
        String at = text(address);
        return name.equals(at) ? name : name + " at " + at;
    }
}
