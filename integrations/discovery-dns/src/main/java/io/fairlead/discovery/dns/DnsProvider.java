package io.fairlead.discovery.dns;

import io.fairlead.node.discovery.DiscoveryContext;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.Resolution;
import io.fairlead.node.discovery.Resolver;
import io.fairlead.node.discovery.ResolverProvider;
import io.fairlead.node.discovery.ServiceName;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.xbill.DNS.Address;
import org.xbill.DNS.Name;
import org.xbill.DNS.TextParseException;

/**
 * Members of {@code dns:HOST:PORT} are the host's A and AAAA records, or the host itself if it is an address. Members of
 * {@code dns:_SERVICE._PROTOCOL.DOMAIN} are its SRV records. {@code dns://SERVER[:PORT],.../...} queries these servers instead of the
 * system's. The service loader makes one.
 */
public final class DnsProvider implements ResolverProvider {
    private static final int PORT = 53;

    /** For the service loader. */
    public DnsProvider() {}

    @Override
    public String scheme() {
        return "dns";
    }

    @Override
    public String form() {
        return "dns:HOST:PORT or dns:_SERVICE._PROTOCOL.DOMAIN, with dns://SERVER[:PORT],.../ to ask other servers than the system's";
    }

    @Override
    public Resolver resolver(ServiceName name, DiscoveryContext context) {
        List<InetSocketAddress> servers = new ArrayList<>();
        try {
            for (String server : name.authority().isEmpty()
                    ? new String[0]
                    : name.authority().split(",", -1)) {
                servers.add(
                        server.matches(".*[^:]:[0-9]+|\\[.*]:[0-9]+")
                                ? Member.parse(server)
                                : Member.parse(server + ":" + PORT));
            }
            String target = name.target();
            if (target.startsWith("_")) {
                return new DnsResolver(name, absoluteOrNot(target), 0, servers);
            }
            InetSocketAddress host = Member.parse(target);
            Optional<InetAddress> address = literal(host.getHostString());
            if (address.isPresent()) {
                return new Literal(Member.at(new InetSocketAddress(address.get(), host.getPort())));
            }
            return new DnsResolver(name, absoluteOrNot(host.getHostString()), host.getPort(), servers);
        } catch (IllegalArgumentException | TextParseException malformed) {
            throw name.malformed(String.valueOf(malformed.getMessage()), form());
        }
    }

    /** The address, where the host is written as one. */
    private static Optional<InetAddress> literal(String host) {
        try {
            return Optional.of(Address.getByAddress(host));
        } catch (UnknownHostException isName) {
            return Optional.empty();
        }
    }

    /** No name server knows more of an address than it says itself. */
    private record Literal(Member member) implements Resolver {
        private static final Duration VALID_FOR = Duration.ofHours(1);

        @Override
        public Resolution resolve(Duration timeout) {
            return new Resolution(List.of(member), VALID_FOR);
        }

        @Override
        public void close() {
            // Holds nothing.
        }
    }

    private static Name absoluteOrNot(String text) throws TextParseException {
        return Name.fromString(text);
    }
}
