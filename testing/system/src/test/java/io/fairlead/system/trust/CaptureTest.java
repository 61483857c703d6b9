package io.fairlead.system.trust;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.fairlead.FairleadConfig;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.Topic;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a program on the same network reads of a topic's messages over TCP: all of it without security, and nothing with it. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CaptureTest {
    private static final String PUBLISHER = "publisher-of-secrets";
    private static final String SUBSCRIBER = "subscriber-to-secrets";
    private static final String TOPIC = "topic-of-secrets";
    private static final String PAYLOAD = "nobody on the way is to read this message";
    private static final String LAST = "the last words of this capture";
    private static final int MESSAGES = 100;
    private static final long DEADLINE_S = 120;

    @TempDir
    private Path folder;

    @Test
    void shouldHideMessagesAndNames() throws Exception {
        OutsideTool tcpdump = OutsideTool.find("tcpdump");
        TrustKeys keys = new TrustKeys(folder, "trusted-ca");
        String open = capture(tcpdump, "open.pcap", TrustKeys.plain(PUBLISHER), TrustKeys.plain(SUBSCRIBER));
        for (String word : List.of(PUBLISHER, SUBSCRIBER, TOPIC, PAYLOAD)) {
            assertTrue(open.contains(word), () -> "the capture without security lacks " + word);
        }
        String closed = capture(tcpdump, "closed.pcap", keys.node(PUBLISHER), keys.node(SUBSCRIBER));
        for (String word : List.of(PUBLISHER, SUBSCRIBER, TOPIC, PAYLOAD)) {
            assertFalse(closed.contains(word), () -> "the capture of an encrypted connection has " + word);
        }
        // Both captures are of as many messages: neither is short of some.
        assertTrue(closed.length() > MESSAGES * PAYLOAD.length(), () -> "captured only " + closed.length() + " bytes");
    }

    /** All bytes of a topic's life on the wire. */
    private String capture(OutsideTool tcpdump, String name, FairleadConfig publishing, FairleadConfig subscribing)
            throws Exception {
        Path file = folder.resolve(name);
        Path said = folder.resolve(name + ".txt");
        try (Party source = new Party(publishing);
                Party sink = new Party(subscribing);
                Publisher publisher = Publisher.listen(
                        source.worker(), new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))) {
            InetSocketAddress address = publisher.address();
            Process process = tcpdump.start(
                    said,
                    List.of(
                            // Root's would become a user of the package's, which is not there where it is only
                            // unpacked.
                            "-Z",
                            System.getProperty("user.name"),
                            "-i",
                            "lo",
                            // Room for each packet and for all of them, so that none is dropped while this process has
                            // the processors.
                            "-s",
                            "16384",
                            "-B",
                            "65536",
                            "-U",
                            "--immediate-mode",
                            "-w",
                            file.toString(),
                            "tcp port " + address.getPort()));
            try {
                awaitCapture(process, said);
                List<Party> parties = List.of(source, sink);
                publish(parties, publisher);
                try (Socket last = new Socket(address.getAddress(), address.getPort())) {
                    OutputStream out = last.getOutputStream();
                    out.write(LAST.getBytes(StandardCharsets.US_ASCII));
                    progressUntil(parties, () -> read(file).contains(LAST), "the capture to have everything");
                }
            } finally {
                process.destroy();
                process.waitFor(DEADLINE_S, TimeUnit.SECONDS);
                process.destroyForcibly();
            }
            return read(file);
        }
    }

    /** Only root, or who has been given that right, may listen in. */
    private static void awaitCapture(Process process, Path said) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        while (!Files.readString(said).contains("listening on")) {
            if (process.waitFor(50, TimeUnit.MILLISECONDS)) {
                abort("tcpdump cannot listen in here: "
                        + Files.readString(said).strip().replace('\n', ' '));
            }
            assertTrue(System.nanoTime() - deadline < 0, "tcpdump does not begin");
        }
    }

    private static void publish(List<Party> parties, Publisher publisher) {
        List<String> received = new ArrayList<>();
        try (Arena arena = Arena.ofConfined();
                Topic topic = publisher.topic(TOPIC);
                Subscriber subscriber = Subscriber.connect(parties.getLast().worker(), publisher.address())) {
            subscriber.subscribe(
                    TOPIC,
                    (name, sequence, buffer, offset, length) ->
                            received.add(new String(bytes(buffer, offset, length), StandardCharsets.US_ASCII)));
            progressUntil(parties, () -> topic.subscriberCount() == 1, "the subscriber");
            MemorySegment message = arena.allocateFrom(PAYLOAD, StandardCharsets.US_ASCII);
            for (int i = 0; i < MESSAGES; i++) {
                int count = i + 1;
                topic.publish(message, 0, PAYLOAD.length());
                // Each in packets of its own, so that it counts.
                progressUntil(parties, () -> received.size() == count, "message " + count);
            }
            assertTrue(received.stream().allMatch(PAYLOAD::equals), received::toString);
        }
    }

    private static byte[] bytes(MemorySegment buffer, long offset, long length) {
        return buffer.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }

    private static void progressUntil(List<Party> parties, BooleanSupplier condition, String what) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - deadline < 0, () -> "waited in vain for " + what);
            int events = 0;
            for (Party party : parties) {
                events += party.worker().progress();
            }
            if (events == 0) {
                Thread.yield();
            }
        }
    }

    private static String read(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file, StandardCharsets.ISO_8859_1) : "";
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
