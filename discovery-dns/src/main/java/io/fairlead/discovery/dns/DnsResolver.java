package io.fairlead.discovery.dns;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.Resolution;
import io.fairlead.node.discovery.Resolver;
import io.fairlead.node.discovery.ServiceName;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.NameTooLongException;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.ResolverConfig;
import org.xbill.DNS.SRVRecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** Asks name servers for the members of one service. On one thread. */
final class DnsResolver implements Resolver {
    private static final Logger LOG = LoggerFactory.getLogger(DnsResolver.class);
    private static final int ALIASES_MAX = 8;
    /** For a name without records, whose answer has no TTL of its own. */
    private static final long EMPTY_TTL_S = 5;

    private final ServiceName service;
    private final Name name;
    private final int port;
    private final List<InetSocketAddress> chosenServers;
    private boolean zeroTold;

    /** What a name has, and for how long. */
    private static final class Found {
        private final List<Record> records = new ArrayList<>();
        private long ttlS = Long.MAX_VALUE;
        private boolean exists;

        void add(Record record) {
            records.add(record);
            ttlS = Math.min(ttlS, record.getTTL());
        }
    }

    /** What a resolution has left of its time. */
    private record Deadline(long atNs) {
        Duration left() {
            return Duration.ofNanos(Math.max(1_000_000, atNs - System.nanoTime()));
        }
    }

    DnsResolver(ServiceName service, Name name, int port, List<InetSocketAddress> servers) {
        this.service = service;
        this.name = name;
        this.port = port;
        this.chosenServers = servers;
    }

    @Override
    public Resolution resolve(Duration timeout) throws InterruptedException {
        Deadline deadline = new Deadline(System.nanoTime() + timeout.toNanos());
        for (Name candidate : candidates()) {
            Optional<Resolution> resolution =
                    port == 0 ? resolveServices(candidate, deadline) : resolveHost(candidate, deadline);
            if (resolution.isPresent()) {
                return resolution.get();
            }
        }
        throw new FairleadException(
                Reason.UNKNOWN_HOST,
                "no name server knows the name: name=" + service + ", servers=" + texts(servers())
                        + "; correct the name, or add its records");
    }

    /** The name as it is, and then in the domains that the system searches. */
    private List<Name> candidates() {
        if (name.isAbsolute()) {
            return List.of(name);
        }
        List<Name> candidates = new ArrayList<>();
        try {
            candidates.add(Name.concatenate(name, Name.root));
            for (Name domain : ResolverConfig.getCurrentConfig().searchPath()) {
                candidates.add(Name.concatenate(name, domain));
            }
        } catch (NameTooLongException tooLong) {
            // No such name can be.
        }
        return candidates;
    }

    private Optional<Resolution> resolveHost(Name host, Deadline deadline) throws InterruptedException {
        Found found = addresses(host, deadline);
        if (!found.exists) {
            return Optional.empty();
        }
        List<Member> members = found.records.stream()
                .map(record -> Member.at(new InetSocketAddress(address(record), port)))
                .toList();
        return Optional.of(resolution(members, found.ttlS));
    }

    private Found addresses(Name host, Deadline deadline) throws InterruptedException {
        Found found = new Found();
        find(host, Type.A, found, deadline);
        find(host, Type.AAAA, found, deadline);
        return found;
    }

    private Optional<Resolution> resolveServices(Name at, Deadline deadline) throws InterruptedException {
        Found services = new Found();
        find(at, Type.SRV, services, deadline);
        if (!services.exists) {
            return Optional.empty();
        }
        List<Member> members = new ArrayList<>();
        long ttlS = services.ttlS;
        for (Record record : services.records) {
            SRVRecord srv = (SRVRecord) record;
            if (srv.getTarget().equals(Name.root)) {
                // By RFC 2782: the service is decidedly not available here.
                continue;
            }
            Found hosts = addresses(srv.getTarget(), deadline);
            ttlS = Math.min(ttlS, hosts.ttlS);
            String memberName = srv.getTarget().toString(true) + ":" + srv.getPort();
            for (Record host : hosts.records) {
                members.add(
                        new Member(memberName, new InetSocketAddress(address(host), srv.getPort()), srv.getPriority()));
            }
        }
        return Optional.of(resolution(members, ttlS));
    }

    private Resolution resolution(List<Member> members, long ttlS) {
        if (ttlS == 0 && !zeroTold) {
            zeroTold = true;
            LOG.warn(
                    "records with a TTL of 0 are asked for again after each node.discovery-refresh-min; name={}, remedy: give them a TTL of some seconds",
                    service);
        }
        return new Resolution(members, Duration.ofSeconds(ttlS == Long.MAX_VALUE ? EMPTY_TTL_S : ttlS));
    }

    private static InetAddress address(Record record) {
        return record instanceof ARecord four ? four.getAddress() : ((AAAARecord) record).getAddress();
    }

    /** Adds the records of a type that a name has, or the name that it stands for. */
    private void find(Name at, int type, Found found, Deadline deadline) throws InterruptedException {
        Name wanted = at;
        int aliases = 0;
        while (aliases <= ALIASES_MAX) {
            Message answer = ask(wanted, type, deadline);
            if (answer.getRcode() == Rcode.NXDOMAIN) {
                return;
            }
            found.exists = true;
            int before = found.records.size();
            int aliasesBefore = aliases;
            // A server that knows them puts the aliases and what they lead to into one answer.
            Name alias = add(answer, wanted, type, found);
            while (alias != null && aliases++ < ALIASES_MAX) {
                wanted = alias;
                alias = add(answer, wanted, type, found);
            }
            if (aliases == aliasesBefore || found.records.size() > before) {
                return;
            }
        }
    }

    /** Adds the records of a name, and tells for what it is an alias; null if it is none. */
    private static @Nullable Name add(Message answer, Name of, int type, Found found) {
        Name alias = null;
        for (Record record : answer.getSection(Section.ANSWER)) {
            if (!record.getName().equals(of)) {
                continue;
            }
            if (record.getType() == type) {
                found.add(record);
            } else if (record instanceof CNAMERecord cname) {
                found.ttlS = Math.min(found.ttlS, cname.getTTL());
                alias = cname.getTarget();
            }
        }
        return alias;
    }

    private Message ask(Name wanted, int type, Deadline deadline) throws InterruptedException {
        List<InetSocketAddress> servers = servers();
        String last = "there is no server";
        for (int i = 0; i < servers.size(); i++) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            // Each server gets its part of the time that is left.
            Duration limit = deadline.left().dividedBy(servers.size() - i);
            try {
                Message answer = new DnsQuery(resolved(servers.get(i)), wanted, type, limit).ask();
                int code = answer.getRcode();
                if (code == Rcode.NOERROR || code == Rcode.NXDOMAIN) {
                    return answer;
                }
                last = "server=" + Member.text(servers.get(i)) + ", answer=" + Rcode.string(code);
            } catch (IOException failure) {
                last = "server=" + Member.text(servers.get(i)) + ", cause: " + cause(failure);
            }
        }
        throw new FairleadException(
                Reason.TIMED_OUT,
                "no name server answers: name=" + service + ", question=" + wanted + " "
                        + Type.string(type).toUpperCase(Locale.ROOT) + ", servers=" + servers.size() + ", last: " + last
                        + "; see that they run, or name others by dns://SERVER/");
    }

    private static String cause(IOException failure) {
        @Nullable String message = failure.getMessage();
        return message == null ? failure.getClass().getSimpleName() : message;
    }

    private static InetSocketAddress resolved(InetSocketAddress server) {
        return server.isUnresolved() ? new InetSocketAddress(server.getHostString(), server.getPort()) : server;
    }

    private List<InetSocketAddress> servers() {
        return chosenServers.isEmpty() ? ResolverConfig.getCurrentConfig().servers() : chosenServers;
    }

    private static List<String> texts(List<InetSocketAddress> servers) {
        return servers.stream().map(Member::text).toList();
    }

    @Override
    public void close() {
        // Each question has a socket of its own.
    }
}
