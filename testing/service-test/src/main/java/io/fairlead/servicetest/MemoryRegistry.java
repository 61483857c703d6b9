package io.fairlead.servicetest;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.node.discovery.DiscoveryContext;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.Registrar;
import io.fairlead.node.discovery.Resolution;
import io.fairlead.node.discovery.Resolver;
import io.fairlead.node.discovery.ResolverProvider;
import io.fairlead.node.discovery.ServiceName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Services of this process, named {@code memory:NAME}, whose members a test sets. Thread-safe. All resolvers are notified of a change at
 * once.
 */
public final class MemoryRegistry implements ResolverProvider {
    private static final Map<String, Entry> ENTRIES = new ConcurrentHashMap<>();
    /** Who asks again when a service changes, also while it is unknown. */
    private static final Map<String, Set<DiscoveryContext>> WATCHING = new ConcurrentHashMap<>();
    /** So long that a test sees changes only by notification. */
    private static final Duration VALID_FOR = Duration.ofHours(1);

    /** One service. */
    private static final class Entry {
        private final String name;
        private List<Member> members = List.of();
        private long questions;
        private @Nullable FairleadException failure;

        Entry(String name) {
            this.name = name;
        }

        synchronized void set(List<Member> now) {
            members = List.copyOf(now);
            failure = null;
            tell();
        }

        synchronized void fail(FairleadException cause) {
            failure = cause;
            tell();
        }

        synchronized void add(Member member) {
            if (!members.contains(member)) {
                List<Member> now = new ArrayList<>(members);
                now.add(member);
                members = now;
                tell();
            }
        }

        synchronized void remove(Member member) {
            List<Member> now = new ArrayList<>(members);
            now.remove(member);
            members = now;
            tell();
        }

        synchronized List<Member> answer() {
            questions++;
            return members();
        }

        synchronized long questions() {
            return questions;
        }

        synchronized List<Member> members() {
            if (failure != null) {
                throw failure;
            }
            return List.copyOf(members);
        }

        private void tell() {
            WATCHING.getOrDefault(name, Set.of()).forEach(DiscoveryContext::changed);
        }
    }

    /** For the service loader. */
    public MemoryRegistry() {}

    /**
     * Sets the members of a service, and makes it known if it was not.
     *
     * @param name behind {@code memory:}
     * @param members all of them
     */
    public static void set(String name, List<Member> members) {
        entry(name).set(members);
    }

    /**
     * Has every question for a service fail until its members are set.
     *
     * @param name behind {@code memory:}
     * @param cause what resolvers throw
     */
    public static void fail(String name, FairleadException cause) {
        entry(name).fail(cause);
    }

    /**
     * The members of a service.
     *
     * @param name behind {@code memory:}
     * @return the members that were set or have registered
     */
    public static List<Member> members(String name) {
        return entry(name).members();
    }

    /**
     * How often resolvers have asked for the members of a service.
     *
     * @param name behind {@code memory:}
     * @return a count
     */
    public static long questions(String name) {
        return entry(name).questions();
    }

    /**
     * Forgets a service, so that its name is unknown.
     *
     * @param name behind {@code memory:}
     */
    public static void forget(String name) {
        ENTRIES.remove(name);
    }

    private static Entry entry(String name) {
        return ENTRIES.computeIfAbsent(name, Entry::new);
    }

    @Override
    public String scheme() {
        return "memory";
    }

    @Override
    public String form() {
        return "memory:NAME";
    }

    @Override
    public Resolver resolver(ServiceName name, DiscoveryContext context) {
        return new MemoryResolver(name, context);
    }

    @Override
    public Registrar registrar(ServiceName name, Member member, DiscoveryContext context) {
        return new MemoryRegistrar(entry(name.target()), member);
    }

    private record MemoryResolver(ServiceName name, DiscoveryContext context) implements Resolver {
        @Override
        public Resolution resolve(Duration timeout) {
            WATCHING.compute(name.target(), (_, known) -> {
                Set<DiscoveryContext> watching = known == null ? ConcurrentHashMap.newKeySet() : known;
                watching.add(context);
                return watching;
            });
            Entry known = ENTRIES.get(name.target());
            if (known == null) {
                throw new FairleadException(
                        Reason.UNKNOWN_HOST, "no such service: name=" + name + "; set its members before");
            }
            return new Resolution(known.answer(), VALID_FOR);
        }

        @Override
        public void close() {
            WATCHING.computeIfPresent(name.target(), (_, watching) -> {
                watching.remove(context);
                return watching.isEmpty() ? null : watching;
            });
        }
    }

    private record MemoryRegistrar(Entry entry, Member member) implements Registrar {
        @Override
        public Duration renew(Duration timeout) {
            entry.members();
            entry.add(member);
            return VALID_FOR;
        }

        @Override
        public void close() {
            entry.remove(member);
        }
    }
}
