package io.fairlead.internal.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.PathCause;
import io.fairlead.PathClass;
import io.fairlead.PathPolicy;
import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import io.fairlead.internal.handshake.HandshakeMessage.Challenge;
import io.fairlead.internal.handshake.HandshakeMessage.Decline;
import io.fairlead.internal.handshake.HandshakeMessage.Hello;
import io.fairlead.internal.handshake.HandshakeMessage.Proof;
import io.fairlead.internal.handshake.HandshakeMessage.Ready;
import io.fairlead.internal.handshake.HandshakeMessage.Refusal;
import io.fairlead.internal.handshake.HandshakeMessage.Resume;
import io.fairlead.internal.handshake.HandshakeMessage.Resumed;
import io.fairlead.internal.handshake.HandshakeMessage.Settled;
import io.fairlead.internal.handshake.HandshakeMessage.Welcome;
import io.fairlead.internal.memory.KeySecret;
import io.fairlead.internal.wire.WireLimits;
import io.fairlead.internal.wire.WireWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class HandshakeCodecTest {
    private static final byte[] NONE = {};

    static Stream<HandshakeMessage> messages() {
        Hello hello = WireSamples.hello();
        Welcome welcome = WireSamples.welcome();
        return Stream.of(
                hello,
                WireSamples.with(hello, 1, 1, 1),
                WireSamples.with(hello, 1, 65535, 255),
                hello.withFeatures(0x8001),
                welcome.withFeatures(0xFFFF),
                WireSamples.hello(Long.MIN_VALUE, KeySecret.random()),
                WireSamples.welcome(-1, KeySecret.random()),
                new Ready(new byte[256]),
                new Decline("a-9", FairleadException.Reason.TRANSPORT, "no such device"),
                new Settled(),
                new Resume(Long.MIN_VALUE, -1, new Bytes32(new byte[32])),
                new Challenge(Bytes32.random()),
                new Proof(Long.MAX_VALUE, Bytes32.random()),
                new Resumed(0, Bytes32.random()),
                welcome.withWireUpData(new byte[256]),
                new Hello(1, 1, 0, -1, "", 65535, 4096, 0, PathPolicy.named("a-9"), List.of(), NONE),
                new Hello(
                        1,
                        1,
                        0,
                        Long.MIN_VALUE,
                        "é".repeat(32),
                        1,
                        1 << 30,
                        1 << 24,
                        PathPolicy.REQUIRE_RDMA,
                        offers(16),
                        new byte[4096]),
                welcome,
                new Welcome(
                        1, 1, "", 1, 4096, 4096, "t", NONE, PathClass.RDMA, "", List.of(), PathCause.FASTEST, "", NONE),
                new Welcome(
                        1,
                        -2,
                        "n".repeat(64),
                        65535,
                        1 << 30,
                        1 << 24,
                        "t".repeat(32),
                        new byte[4096],
                        PathClass.IN_PROCESS,
                        "d".repeat(256),
                        Collections.nCopies(16, "l".repeat(64)),
                        PathCause.ONLY_REACHING,
                        "r".repeat(512),
                        new byte[4096]),
                new Refusal(FairleadException.Reason.NO_PATH, "policy require-rdma: no RDMA path"),
                new Refusal(FairleadException.Reason.VERSION_MISMATCH, ""),
                new Ready(NONE));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void shouldReadWhatItWrote(HandshakeMessage message) {
        ByteBuffer frame = HandshakeCodec.encode(message);
        assertEquals(frame.remaining(), HandshakeCodec.frameLength(frame));

        assertEquals(message, HandshakeCodec.decode(frame));
        assertFalse(frame.hasRemaining());
    }

    @Test
    void shouldPutFeaturesWhereEarlierReleasesWriteZeroAndLookAtNothing() {
        ByteBuffer none = HandshakeCodec.encode(WireSamples.hello());
        ByteBuffer some = HandshakeCodec.encode(WireSamples.hello().withFeatures(0x0201));
        assertEquals(none.remaining(), some.remaining());
        assertEquals(1, some.get(6));
        assertEquals(2, some.get(7));
        some.put(6, (byte) 0).put(7, (byte) 0);
        assertEquals(none, some);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0x1_0000})
    void shouldRefuseToWriteFeaturesOutOfRange(int features) {
        Welcome welcome = WireSamples.welcome().withFeatures(features);
        assertThrows(IllegalArgumentException.class, () -> HandshakeCodec.encode(welcome));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void shouldReadFromTheMiddleOfABufferOfAnyOrder(HandshakeMessage message) {
        ByteBuffer frame = HandshakeCodec.encode(message);
        int length = frame.remaining();
        for (ByteOrder order : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
            ByteBuffer stream = ByteBuffer.allocateDirect(length + 10).order(order);
            stream.position(3).put(frame.duplicate()).position(3);

            assertEquals(length, HandshakeCodec.frameLength(stream));
            assertEquals(message, HandshakeCodec.decode(stream));
            assertEquals(3 + length, stream.position());
        }
    }

    @ParameterizedTest
    @MethodSource("messages")
    void shouldWaitForTheHeaderAndRefuseACutBody(HandshakeMessage message) {
        ByteBuffer frame = HandshakeCodec.encode(message);
        int length = frame.remaining();
        for (int cut = 0; cut < length; cut++) {
            ByteBuffer part = frame.duplicate().limit(cut);
            assertEquals(cut < HandshakeCodec.HEADER_LENGTH ? -1 : length, HandshakeCodec.frameLength(part));
            assertViolation(part, "handshake message is cut short: needs=");
            assertEquals(0, part.position());
        }
    }

    @ParameterizedTest
    @MethodSource("messages")
    void shouldRefuseABodyWhoseLastFieldIsCut(HandshakeMessage message) {
        ByteBuffer frame = HandshakeCodec.encode(message);
        int body = frame.remaining() - HandshakeCodec.HEADER_LENGTH;
        // Every byte of a body counts: none of its prefixes is a message.
        for (int cut = 0; cut < body; cut += body > 1000 ? 61 : 1) {
            ByteBuffer part = WireSamples.copy(frame).limit(HandshakeCodec.HEADER_LENGTH + cut);
            part.order(ByteOrder.LITTLE_ENDIAN).putInt(8, cut);
            assertViolation(part, " is cut short: field=");
        }
    }

    @Test
    void shouldNameWhatKnocksInsteadOfAPeer() {
        ByteBuffer http = ByteBuffer.wrap("GET / HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII));
        FairleadException failure = assertThrows(FairleadException.class, () -> HandshakeCodec.frameLength(http));
        assertEquals("not a Fairlead peer: magic=0x47455420 (\"GET \"), expected 0xF0464C44", failure.getMessage());
        assertEquals(FairleadException.Reason.PROTOCOL_VIOLATION, failure.reason());

        ByteBuffer tls = ByteBuffer.wrap(new byte[] {0x16, 0x03, 0x01, 0x02});
        assertViolation(tls, "magic=0x16030102 (\"....\")");
        assertEquals(-1, HandshakeCodec.frameLength(ByteBuffer.wrap(new byte[] {'G', 'E', 'T'})));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 11, 255})
    void shouldRefuseAnUnknownType(int type) {
        ByteBuffer frame = HandshakeCodec.encode(new Ready(NONE)).put(4, (byte) type);
        assertViolation(frame, "unknown handshake message: type=" + type + ", allowed 1 to 10");
    }

    @Test
    void shouldRefuseTheReservedByteAndIgnoreTheReservedBytes() {
        assertEquals(
                new Ready(NONE),
                HandshakeCodec.decode(HandshakeCodec.encode(new Ready(NONE)).putShort(6, (short) -1)));
        assertViolation(HandshakeCodec.encode(new Ready(NONE)).put(5, (byte) 1), "reserved=1, expected 0");
    }

    @ParameterizedTest
    @ValueSource(ints = {65537, Integer.MAX_VALUE, -1})
    void shouldRefuseALongerBodyBeforeItArrives(int length) {
        ByteBuffer header = HandshakeCodec.encode(new Ready(NONE))
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(8, length);
        assertViolation(
                header,
                "handshake message is too long: length=" + Integer.toUnsignedString(length) + ", limit=65536 bytes");
    }

    @Test
    void shouldWaitForTheLongestBody() {
        ByteBuffer header = HandshakeCodec.encode(new Ready(NONE))
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(8, 65536);
        assertEquals(HandshakeCodec.HEADER_LENGTH + 65536, HandshakeCodec.frameLength(header));
    }

    @Test
    void shouldReadOnlyTheVersionsOfAHelloFromTheFuture() {
        ByteBuffer frame = WireSamples.frame(1, ByteBuffer.wrap(new byte[] {2, 0, 7, 0, -1, -1, -1}));
        Hello hello = (Hello) HandshakeCodec.decode(frame);
        assertEquals(2, hello.versionMin());
        assertEquals(7, hello.versionMax());
        assertFalse(hello.speaks(HandshakeCodec.VERSION));
    }

    @Test
    void shouldIgnoreWhatALaterVersionAppendsToAHello() {
        Hello later = WireSamples.with(WireSamples.hello(), 1, 2, 0);
        assertTrue(later.speaks(HandshakeCodec.VERSION));
        assertEquals(later, HandshakeCodec.decode(WireSamples.append(HandshakeCodec.encode(later), 5)));

        ByteBuffer sameVersion = WireSamples.append(HandshakeCodec.encode(WireSamples.hello()), 5);
        assertViolation(sameVersion, "Hello is longer than its fields: surplus=5 bytes");
    }

    @Test
    void shouldRefuseSurplusBytesOfOtherMessages() {
        assertViolation(
                WireSamples.append(HandshakeCodec.encode(new Ready(NONE)), 1),
                "Ready is longer than its fields: surplus=1");
        assertViolation(
                WireSamples.append(HandshakeCodec.encode(WireSamples.welcome()), 2),
                "Welcome is longer than its fields");
        assertViolation(
                WireSamples.append(HandshakeCodec.encode(new Refusal(FairleadException.Reason.REFUSED, "no")), 3),
                "Refusal is longer than its fields");
    }

    @ParameterizedTest
    @EnumSource(FairleadException.Reason.class)
    void shouldCarryEveryReason(FairleadException.Reason reason) {
        Refusal refusal = new Refusal(reason, "because");
        assertEquals(refusal, HandshakeCodec.decode(HandshakeCodec.encode(refusal)));
    }

    @ParameterizedTest
    @EnumSource(PathClass.class)
    void shouldCarryEveryPathClass(PathClass pathClass) {
        Welcome welcome = new Welcome(
                1, 1, "n", 1, 4096, 0, "t", NONE, pathClass, "lo", List.of("posix"), PathCause.POLICY, "why", NONE);
        assertEquals(welcome, HandshakeCodec.decode(HandshakeCodec.encode(welcome)));
    }

    @ParameterizedTest
    @EnumSource(value = PathCause.class, mode = EnumSource.Mode.EXCLUDE, names = "FAILOVER")
    void shouldCarryEveryPathCause(PathCause cause) {
        Welcome welcome =
                new Welcome(1, 1, "n", 1, 4096, 0, "t", NONE, PathClass.TCP, "lo", List.of(), cause, "why", NONE);
        assertEquals(welcome, HandshakeCodec.decode(HandshakeCodec.encode(welcome)));
    }

    @Test
    void shouldTakeAReasonOfALaterReleaseForARefusal() {
        ByteBuffer body = new WireWriter("Refusal")
                .text("reason", "MOON_IN_WRONG_PHASE", 64)
                .text("message", "wait", 64)
                .finish();
        assertEquals(
                new Refusal(FairleadException.Reason.REFUSED, "wait"),
                HandshakeCodec.decode(WireSamples.frame(3, body)));
    }

    @Test
    void shouldCutWhatIsWrittenForPeople() {
        Refusal refusal = new Refusal(FairleadException.Reason.REFUSED, "two\nlines " + "ü".repeat(300));
        Refusal received = (Refusal) HandshakeCodec.decode(HandshakeCodec.encode(refusal));
        // 10 bytes and 251 times 2 bytes: the 252nd letter has no room.
        assertEquals("two lines " + "ü".repeat(251), received.message());

        List<String> lanes = Collections.nCopies(17, "l".repeat(65));
        Welcome welcome = new Welcome(
                1,
                1,
                "n",
                1,
                4096,
                0,
                "t",
                NONE,
                PathClass.TCP,
                "d".repeat(257),
                lanes,
                PathCause.POLICY,
                "r".repeat(513),
                NONE);
        Welcome cut = (Welcome) HandshakeCodec.decode(HandshakeCodec.encode(welcome));
        assertEquals(Collections.nCopies(16, "l".repeat(64)), cut.lanes());
        assertEquals("d".repeat(256), cut.device());
        assertEquals("r".repeat(512), cut.reason());
    }

    @Test
    void shouldRefuseToWriteAMessageLongerThanABody() {
        List<Offer> offers = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            offers.add(new Offer("t" + i, "1", new byte[4096]));
        }
        Hello hello = new Hello(1, 1, 0, 1, "n", 1, 4096, 0, PathPolicy.AUTO, offers, NONE);
        String message = assertThrows(IllegalArgumentException.class, () -> HandshakeCodec.encode(hello))
                .getMessage();
        assertTrue(message.startsWith("handshake message is too long: length="), message);
    }

    @Test
    void shouldCarryEveryValueThatTheConfigurationAllows() {
        assertSameLimits(ConfigKeys.CREDIT_BYTES, WireLimits.CREDIT_BYTES_MIN, WireLimits.CREDIT_BYTES_MAX);
        assertSameLimits(ConfigKeys.EAGER_MAX, WireLimits.EAGER_MAX_MIN, WireLimits.EAGER_MAX_MAX);
        assertSameLimits(ConfigKeys.ENDPOINTS_MAX, WireLimits.SOURCE_ID_MIN, WireLimits.SOURCE_ID_MAX);
        String longest = "n".repeat(WireLimits.NODE_NAME);
        assertEquals(longest, ConfigKeys.NODE_NAME.parse(longest));
        assertThrows(IllegalArgumentException.class, () -> ConfigKeys.NODE_NAME.parse(longest + "n"));
    }

    private static void assertSameLimits(ConfigKey<Integer> key, int min, int max) {
        assertEquals(min, key.parse(Integer.toString(min)));
        assertEquals(max, key.parse(Integer.toString(max)));
        assertThrows(IllegalArgumentException.class, () -> key.parse(Integer.toString(min - 1)));
        assertThrows(IllegalArgumentException.class, () -> key.parse(Integer.toString(max + 1)));
    }

    private static List<Offer> offers(int count) {
        List<Offer> offers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            offers.add(new Offer("t" + i, "v".repeat(64), new byte[3000 + i]));
        }
        return offers;
    }

    private static void assertViolation(ByteBuffer frame, String part) {
        FairleadException failure = assertThrows(FairleadException.class, () -> HandshakeCodec.decode(frame));
        assertEquals(FairleadException.Reason.PROTOCOL_VIOLATION, failure.reason());
        assertTrue(failure.getMessage().contains(part), failure::getMessage);
    }
}
