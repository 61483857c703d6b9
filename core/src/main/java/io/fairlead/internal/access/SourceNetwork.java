package io.fairlead.internal.access;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * The unit by which unauthenticated peers are counted: an IPv4 address, or an IPv6 network of 64 bits, whose owner has
 * all of its addresses.
 *
 * @param prefix the bytes of the prefix, never changed
 */
public record SourceNetwork(ByteBuffer prefix) {
    private static final int NETWORK_BYTES = 8;

    /** The network of an address. */
    public static SourceNetwork of(InetAddress source) {
        byte[] bytes = source.getAddress();
        return new SourceNetwork(
                source instanceof Inet6Address
                        ? ByteBuffer.wrap(bytes, 0, NETWORK_BYTES).slice()
                        : ByteBuffer.wrap(bytes));
    }
}
