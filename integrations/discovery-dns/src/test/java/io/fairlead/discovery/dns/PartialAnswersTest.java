package io.fairlead.discovery.dns;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.node.discovery.DiscoveryContext;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.Resolution;
import io.fairlead.node.discovery.Resolver;
import io.fairlead.node.discovery.ServiceName;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** A name server that answers some questions and others not. */
@Timeout(120)
final class PartialAnswersTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(4);
    private static final int SILENT = -1;
    private static final String FEED = "feed.prod.";

    private final Map<String, List<String>> records = new ConcurrentHashMap<>();
    /** By question; none is NOERROR. */
    private final Map<String, Integer> codes = new ConcurrentHashMap<>();

    private DatagramSocket socket;
    private Resolver resolver;

    @BeforeEach
    void serve() throws IOException {
        socket = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        Thread thread = new Thread(this::answer, "name server");
        thread.setDaemon(true);
        thread.start();
        resolver = resolver("feed.prod.:7400");
    }

    @AfterEach
    void end() {
        socket.close();
    }

    private Resolver resolver(String target) {
        ServiceName name = ServiceName.parse("dns://127.0.0.1:" + socket.getLocalPort() + "/" + target);
        return new DnsProvider()
                .resolver(name, new DiscoveryContext(FairleadConfig.defaults(), Duration.ofSeconds(10), () -> {}));
    }

    private void answer() {
        byte[] buffer = new byte[512];
        try {
            while (true) {
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                socket.receive(packet);
                Message question = new Message(Arrays.copyOf(buffer, packet.getLength()));
                Record asked = question.getQuestion();
                String key = key(asked.getName().toString(), asked.getType());
                int code = codes.getOrDefault(key, Rcode.NOERROR);
                if (code == SILENT) {
                    continue;
                }
                Message reply = new Message(question.getHeader().getID());
                reply.getHeader().setFlag(Flags.QR);
                reply.getHeader().setRcode(code);
                reply.addRecord(asked, Section.QUESTION);
                for (String record : records.getOrDefault(key, List.of())) {
                    reply.addRecord(
                            Record.fromString(asked.getName(), asked.getType(), DClass.IN, 60, record, Name.root),
                            Section.ANSWER);
                }
                byte[] bytes = reply.toWire();
                socket.send(new DatagramPacket(bytes, bytes.length, packet.getSocketAddress()));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private static String key(String name, int type) {
        return name + " " + Type.string(type);
    }

    private void set(String name, int type, String... values) {
        records.put(key(name, type), List.of(values));
        codes.remove(key(name, type));
    }

    private void fail(String name, int type, int code) {
        codes.put(key(name, type), code);
    }

    private static Set<String> texts(Resolution resolution) {
        return resolution.members().stream().map(Member::toString).collect(Collectors.toSet());
    }

    @ParameterizedTest
    @ValueSource(ints = {Rcode.SERVFAIL, Rcode.REFUSED, SILENT})
    void shouldUseTheAddressesOfOneFamilyWhileNobodyAnswersForTheOther(int code) throws InterruptedException {
        set(FEED, Type.A, "10.0.0.1");
        fail(FEED, Type.AAAA, code);
        Resolution found = resolver.resolve(TIMEOUT);
        assertEquals(Set.of("10.0.0.1:7400"), texts(found));
        assertEquals(Duration.ofSeconds(5), found.validFor(), "what is missing is asked for soon");
    }

    @ParameterizedTest
    @ValueSource(ints = {Rcode.SERVFAIL, SILENT})
    void shouldUseTheAddressesOfTheOtherFamilyToo(int code) throws InterruptedException {
        fail(FEED, Type.A, code);
        set(FEED, Type.AAAA, "2001:db8::1");
        assertEquals(Set.of("[2001:db8:0:0:0:0:0:1]:7400"), texts(resolver.resolve(TIMEOUT)));
    }

    @Test
    void shouldKeepTheAddressesThatNobodyAnswersForNow() throws InterruptedException {
        set(FEED, Type.A, "10.0.0.1");
        set(FEED, Type.AAAA, "2001:db8::1");
        assertEquals(Duration.ofSeconds(60), resolver.resolve(TIMEOUT).validFor());
        set(FEED, Type.A, "10.0.0.2");
        fail(FEED, Type.AAAA, Rcode.SERVFAIL);
        assertEquals(Set.of("10.0.0.2:7400", "[2001:db8:0:0:0:0:0:1]:7400"), texts(resolver.resolve(TIMEOUT)));
        set(FEED, Type.AAAA);
        assertEquals(Set.of("10.0.0.2:7400"), texts(resolver.resolve(TIMEOUT)));
    }

    @Test
    void shouldFailWhereNothingIsFoundAndSomebodyHasNotAnswered() {
        fail(FEED, Type.AAAA, Rcode.SERVFAIL);
        FairleadException failure = assertThrows(FairleadException.class, () -> resolver.resolve(TIMEOUT));
        assertEquals(Reason.TIMED_OUT, failure.reason());
        assertTrue(failure.getMessage().contains("SERVFAIL"), failure::getMessage);
    }

    @Test
    void shouldFailForANameWithoutAddresses() throws InterruptedException {
        set(FEED, Type.A, "10.0.0.1");
        assertEquals(Set.of("10.0.0.1:7400"), texts(resolver.resolve(TIMEOUT)));
        set(FEED, Type.A);
        FairleadException failure = assertThrows(FairleadException.class, () -> resolver.resolve(TIMEOUT));
        assertEquals(Reason.UNKNOWN_HOST, failure.reason());
        set("_feed._tcp.prod.", Type.SRV, "10 0 7400 feed.prod.");
        Resolver services = resolver("_feed._tcp.prod.");
        FairleadException ofService = assertThrows(FairleadException.class, () -> services.resolve(TIMEOUT));
        assertEquals(Reason.UNKNOWN_HOST, ofService.reason());
        // What is said to be closed is no failure.
        set("_feed._tcp.prod.", Type.SRV, "0 0 0 .");
        assertEquals(Set.of(), texts(services.resolve(TIMEOUT)));
    }

    @Test
    void shouldUseTheHostsOfAServiceThatAreKnown() throws InterruptedException {
        set("_feed._tcp.prod.", Type.SRV, "10 0 7401 a.prod.", "20 0 7402 b.prod.");
        set("a.prod.", Type.A, "10.0.0.1");
        set("b.prod.", Type.A, "10.0.0.2");
        fail("a.prod.", Type.A, Rcode.SERVFAIL);
        fail("a.prod.", Type.AAAA, Rcode.SERVFAIL);
        Resolver services = resolver("_feed._tcp.prod.");
        assertEquals(Set.of("b.prod:7402 at 10.0.0.2:7402"), texts(services.resolve(TIMEOUT)));
    }

    @Test
    void shouldFindThePriorityAndWeightOfEachHostOfAService() throws InterruptedException {
        set("_feed._tcp.prod.", Type.SRV, "10 65535 7401 a.prod.", "20 0 7402 b.prod.");
        set("a.prod.", Type.A, "10.0.0.1", "10.0.0.2");
        set("b.prod.", Type.A, "10.0.0.3");
        assertEquals(
                Set.of("10.0.0.1:7401 10 65535", "10.0.0.2:7401 10 65535", "10.0.0.3:7402 20 0"),
                resolver("_feed._tcp.prod.").resolve(TIMEOUT).members().stream()
                        .map(member -> Member.text(member.address()) + " " + member.priority() + " " + member.weight())
                        .collect(Collectors.toSet()));
    }

    @Test
    void shouldLeaveOutAServiceAtPortZero() throws InterruptedException {
        set("_feed._tcp.prod.", Type.SRV, "10 0 0 a.prod.", "20 0 7402 b.prod.");
        set("a.prod.", Type.A, "10.0.0.1");
        set("b.prod.", Type.A, "10.0.0.2");
        Resolver services = resolver("_feed._tcp.prod.");
        assertEquals(Set.of("b.prod:7402 at 10.0.0.2:7402"), texts(services.resolve(TIMEOUT)));
        set("_feed._tcp.prod.", Type.SRV, "10 0 0 a.prod.");
        FairleadException failure = assertThrows(FairleadException.class, () -> services.resolve(TIMEOUT));
        assertEquals(Reason.UNKNOWN_HOST, failure.reason());
        assertTrue(failure.getMessage().contains("port 0"), failure::getMessage);
    }

    @Test
    void shouldTakeARecordThatIsGivenTwiceOnce() throws InterruptedException {
        set(FEED, Type.A, "10.0.0.1", "10.0.0.1");
        assertEquals(1, resolver.resolve(TIMEOUT).members().size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"[2001:db8:0:0:0:0:0:1]:7400", "10.0.0.1:7400"})
    void shouldAskNobodyForAnAddress(String address) throws InterruptedException {
        Resolver literal = resolver(address);
        socket.close();
        assertEquals(Set.of(address), texts(literal.resolve(TIMEOUT)));
    }
}
