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
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
    /** How soon what is missing in an answer is asked for again. */
    private static final long RETRY_TTL_S = 5;
    /** How long an answer for one address family waits for the other family's, which some servers never send. */
    private static final Duration OTHER_FAMILY_MAX = Duration.ofSeconds(1);

    private final ServiceName service;
    private final Name name;
    private final int port;
    private final List<InetSocketAddress> chosenServers;
    private boolean zeroTold;
    private boolean partTold;
    private boolean portZeroTold;
    /** SRV records that the resolution that runs has left out. */
    private int portZero;
    /** What is found by the resolution that runs, and what was found by the last one that has succeeded. */
    private Map<Question, Found> answers = new HashMap<>();

    private Map<Question, Found> lastAnswers = Map.of();

    private record Question(Name name, int type) {}

    /** What a name has, and for how long. */
    private static final class Found {
        private final List<Record> records = new ArrayList<>();
        private long ttlS = Long.MAX_VALUE;
        /** Why a part of it is not known. */
        private @Nullable FairleadException failure;
        /** Somebody has answered a question now. */
        private boolean answered;

        void add(Record record) {
            records.add(record);
            ttlS = Math.min(ttlS, record.getTTL());
        }

        void add(Found other) {
            records.addAll(other.records);
            ttlS = Math.min(ttlS, other.ttlS);
            failure = failure == null ? other.failure : failure;
            answered |= other.answered;
        }
    }

    /** What a resolution has left of its time. */
    private record Deadline(long atNs) {
        Duration left() {
            return Duration.ofNanos(Math.max(1_000_000, atNs - System.nanoTime()));
        }

        /** What one of so many may take that follow each other. */
        Deadline share(int count) {
            return atMost(left().dividedBy(count));
        }

        Deadline atMost(Duration limit) {
            return new Deadline(System.nanoTime() + Math.min(left().toNanos(), limit.toNanos()));
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
        answers = new HashMap<>();
        portZero = 0;
        for (Name candidate : candidates()) {
            Optional<Resolution> resolution =
                    port == 0 ? resolveServices(candidate, deadline) : resolveHost(candidate, deadline);
            if (resolution.isPresent()) {
                lastAnswers = answers;
                return resolution.get();
            }
        }
        throw new FairleadException(
                Reason.UNKNOWN_HOST,
                "no name server knows the name, or it has no addresses: name=" + service + ", servers="
                        + texts(servers())
                        + (portZero > 0 ? ", SRV records with port 0, left out: " + portZero : "")
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
        requireAnswer(found);
        if (found.records.isEmpty()) {
            return Optional.empty();
        }
        List<Member> members = found.records.stream()
                .map(record -> Member.at(address(record, port)))
                .toList();
        return Optional.of(resolution(members, found));
    }

    /** Nothing was found, or nobody has answered at all, and somebody who may know more has not answered. */
    private static void requireAnswer(Found found) {
        if (found.failure != null && (found.records.isEmpty() || !found.answered)) {
            throw found.failure;
        }
    }

    /** The addresses of both families. One that nobody answers for keeps the other from nothing. */
    private Found addresses(Name host, Deadline deadline) throws InterruptedException {
        Found found = new Found();
        findOrKeep(host, Type.A, found, deadline.share(2));
        findOrKeep(host, Type.AAAA, found, found.records.isEmpty() ? deadline : deadline.atMost(OTHER_FAMILY_MAX));
        return found;
    }

    private Optional<Resolution> resolveServices(Name at, Deadline deadline) throws InterruptedException {
        Found services = new Found();
        find(at, Type.SRV, services, deadline);
        services.answered = true;
        List<SRVRecord> targets = services.records.stream()
                .map(SRVRecord.class::cast)
                // By RFC 2782: the service is decidedly not available here.
                .filter(srv -> !srv.getTarget().equals(Name.root))
                .toList();
        boolean isClosed = targets.isEmpty() && !services.records.isEmpty();
        List<SRVRecord> usable =
                targets.stream().filter(srv -> srv.getPort() != 0).toList();
        tellOfPortZero(at, targets.size() - usable.size());
        List<Member> members = new ArrayList<>();
        Found all = new Found();
        all.ttlS = services.ttlS;
        for (int i = 0; i < usable.size(); i++) {
            SRVRecord srv = usable.get(i);
            Found hosts = addresses(srv.getTarget(), deadline.share(usable.size() - i));
            all.add(hosts);
            String memberName = srv.getTarget().toString(true) + ":" + srv.getPort();
            for (Record host : hosts.records) {
                members.add(new Member(memberName, address(host, srv.getPort()), srv.getPriority(), srv.getWeight()));
            }
        }
        requireAnswer(all);
        return members.isEmpty() && !isClosed ? Optional.empty() : Optional.of(resolution(members, all));
    }

    /** Nobody can be connected to at port 0. */
    private void tellOfPortZero(Name at, int records) {
        portZero += records;
        if (records > 0 && !portZeroTold) {
            portZeroTold = true;
            LOG.warn(
                    "SRV records with port 0 are left out; name={}, records={}, remedy: give them a port", at, records);
        }
    }

    private Resolution resolution(List<Member> members, Found found) {
        if (found.ttlS == 0 && !zeroTold) {
            zeroTold = true;
            LOG.warn(
                    "records with a TTL of 0 are asked for again after each node.discovery-refresh-min; name={}, remedy: give them a TTL of some seconds",
                    service);
        }
        FairleadException failure = found.failure;
        if (failure != null && !partTold) {
            LOG.warn(
                    "members are used though a question about them is not answered; name={}, cause: {}",
                    service,
                    failure.getMessage());
        }
        partTold = failure != null;
        long limitS = failure == null && !members.isEmpty() ? Long.MAX_VALUE : RETRY_TTL_S;
        return new Resolution(members, Duration.ofSeconds(Math.min(found.ttlS, limitS)));
    }

    /** As {@link #find}. While nobody answers, what was answered the last time is true. */
    private void findOrKeep(Name at, int type, Found found, Deadline deadline) throws InterruptedException {
        Question question = new Question(at, type);
        Found own = new Found();
        try {
            find(at, type, own, deadline);
            found.answered = true;
        } catch (FairleadException noAnswer) {
            own = lastAnswers.getOrDefault(question, own);
            found.failure = noAnswer;
        }
        answers.put(question, own);
        found.add(own);
    }

    /**
     * The address of a record, with the host that was asked for. That is the name which a connector demands in its peer's certificate: by RFC 9525 not one that the answer has,
     * such as an alias or the target of a service, because whoever can forge answers would choose it.
     */
    private InetSocketAddress address(Record record, int atPort) {
        InetAddress ip = record instanceof ARecord four ? four.getAddress() : ((AAAARecord) record).getAddress();
        try {
            return new InetSocketAddress(InetAddress.getByAddress(askedHost(), ip.getAddress()), atPort);
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException("a record has no length of an address: record=" + record, impossible);
        }
    }

    /** The name as it was written, without the labels of a service and its protocol. */
    private String askedHost() {
        int host = 0;
        while (host < name.labels() - 1 && name.getLabelString(host).startsWith("_")) {
            host++;
        }
        return new Name(name, host).toString(true);
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

    /** Adds the records of a name, and returns the name that it is an alias for; null if it is no alias. */
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
