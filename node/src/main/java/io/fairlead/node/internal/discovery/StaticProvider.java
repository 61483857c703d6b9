package io.fairlead.node.internal.discovery;

import io.fairlead.node.discovery.DiscoveryContext;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.Resolution;
import io.fairlead.node.discovery.Resolver;
import io.fairlead.node.discovery.ResolverProvider;
import io.fairlead.node.discovery.ServiceName;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Members whose addresses are in the name. Created by the service loader. */
public final class StaticProvider implements ResolverProvider {
    /** Hosts may move, and the system's resolver knows no TTL to go by. */
    private static final Duration VALID_FOR = Duration.ofSeconds(30);

    /** For the service loader. */
    public StaticProvider() {}

    @Override
    public String scheme() {
        return "static";
    }

    @Override
    public String form() {
        return "static:HOST:PORT,HOST:PORT,...";
    }

    @Override
    public Resolver resolver(ServiceName name, DiscoveryContext context) {
        if (!name.authority().isEmpty()) {
            throw name.malformed("there is nobody to ask", form());
        }
        List<String> texts = List.of(name.target().split(",", -1));
        for (String text : texts) {
            try {
                InetSocketAddress _ = Member.parse(text);
            } catch (IllegalArgumentException noAddress) {
                throw name.malformed(String.valueOf(noAddress.getMessage()), form());
            }
        }
        return new StaticResolver(texts);
    }

    private record StaticResolver(List<String> texts) implements Resolver {
        @Override
        public Resolution resolve(Duration timeout) {
            Stream<Member> members = texts.stream().map(text -> Member.of(text, Member.resolve(text)));
            return new Resolution(members.toList(), VALID_FOR);
        }

        @Override
        public void close() {
            // Holds nothing.
        }
    }
}
