package io.fairlead.internal.engine;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * Copies addresses. {@link InetAddress#getHostName()} stores the result of a reverse lookup in its address, and a
 * connector requires that name in its peer's certificate. Changes that a caller makes to its own address after
 * {@code connect} must not change the expected peer.
 */
final class OwnAddress {
    private OwnAddress() {}

    /** The same address, with only its current name. */
    static InetSocketAddress of(InetSocketAddress address) {
        InetAddress ip = address.getAddress();
        String host = address.getHostString();
        @Nullable String name = host.equals(ip.getHostAddress()) ? null : host;
        try {
            return new InetSocketAddress(copy(name, ip), address.getPort());
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException("an address has no length of an address: address=" + address, impossible);
        }
    }

    private static InetAddress copy(@Nullable String name, InetAddress ip) throws UnknownHostException {
        if (ip instanceof Inet6Address six) {
            return six.getScopedInterface() == null
                    ? Inet6Address.getByAddress(name, six.getAddress(), six.getScopeId() == 0 ? -1 : six.getScopeId())
                    : Inet6Address.getByAddress(name, six.getAddress(), six.getScopedInterface());
        }
        return InetAddress.getByAddress(name, ip.getAddress());
    }
}
