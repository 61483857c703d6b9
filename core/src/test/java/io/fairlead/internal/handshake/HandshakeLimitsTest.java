package io.fairlead.internal.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.PathCause;
import io.fairlead.PathClass;
import io.fairlead.PathPolicy;
import io.fairlead.internal.handshake.HandshakeMessage.Hello;
import io.fairlead.internal.handshake.HandshakeMessage.Welcome;
import io.fairlead.internal.wire.WireWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each field beyond each of its limits, written by a hostile peer and by this process; limits themselves are in the codec's test. */
@Timeout(60)
final class HandshakeLimitsTest {
    /** The fields of a Hello, each as a hostile peer may write it. */
    private static final class RawHello {
        int versionMin = 1;
        int versionMax = 1;
        long incarnation = 1;
        byte[] name = {'n'};
        int sourceId = 1;
        int creditBytes = 4096;
        int eagerMax = 4096;
        byte[] policy = {'t', 'c', 'p'};
        int offers;
        Consumer<WireWriter> offerWriter = out -> {};
        byte[] auth = {};

        ByteBuffer frame() {
            WireWriter out = new WireWriter("raw")
                    .u16(versionMin)
                    .u16(versionMax)
                    .u8(0)
                    .i64(incarnation)
                    .bytes("name", name, 65535)
                    .u16(sourceId)
                    .i32(creditBytes)
                    .i32(eagerMax)
                    .bytes("policy", policy, 65535)
                    .u8(offers);
            offerWriter.accept(out);
            return WireSamples.frame(1, out.bytes("auth", auth, 65535).finish());
        }
    }

    static Stream<Arguments> hostileHellos() {
        return Stream.of(
                hello("Hello.versionMin is out of range: versionMin=0, allowed 1 to 65535", h -> h.versionMin = 0),
                hello("Hello.versionMax is out of range: versionMax=0, allowed 1 to 65535", h -> h.versionMax = 0),
                hello("incarnation=0", h -> h.incarnation = 0),
                hello("Hello.name is too long: length=65, limit=64 bytes", h -> h.name = new byte[65]),
                hello("Hello.name is not UTF-8: length=2 bytes", h -> h.name = new byte[] {(byte) 0xC3, 'x'}),
                hello("Hello.name is not UTF-8", h -> h.name = new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80}),
                hello(
                        "Hello.name contains a control character: character=U+000A, index=1",
                        h -> h.name = "a\nb".getBytes(StandardCharsets.UTF_8)),
                hello("character=U+0085", h -> h.name = "\u0085".getBytes(StandardCharsets.UTF_8)),
                hello("character=U+202E, index=1", h -> h.name = "a\u202Eb".getBytes(StandardCharsets.UTF_8)),
                hello("character=U+200B", h -> h.name = "\u200B".getBytes(StandardCharsets.UTF_8)),
                hello("character=U+DB40", h -> h.name = "\uDB40\uDC41".getBytes(StandardCharsets.UTF_8)),
                hello("character=U+2028", h -> h.name = "\u2028".getBytes(StandardCharsets.UTF_8)),
                hello("Hello.sourceId is out of range: sourceId=0, allowed 1 to 65535", h -> h.sourceId = 0),
                hello("creditBytes=4095, allowed 4096 to 1073741824", h -> {
                    h.creditBytes = 4095;
                    h.eagerMax = 0;
                }),
                hello("creditBytes=1073741825", h -> h.creditBytes = (1 << 30) + 1),
                hello("creditBytes=-1", h -> h.creditBytes = -1),
                hello("Hello.eagerMax is out of range: eagerMax=-1, allowed 0 to 4096", h -> h.eagerMax = -1),
                hello("eagerMax=4097, allowed 0 to 4096", h -> h.eagerMax = 4097),
                hello("eagerMax=16777217, allowed 0 to 16777216", h -> {
                    h.creditBytes = 1 << 30;
                    h.eagerMax = (1 << 24) + 1;
                }),
                hello("Hello.policy is no transport name: policy=\"\"", h -> h.policy = new byte[0]),
                hello(
                        "Hello.policy is no transport name: policy=\"TCP\"",
                        h -> h.policy = "TCP".getBytes(StandardCharsets.UTF_8)),
                hello("Hello.policy is too long: length=33, limit=32 bytes", h -> h.policy = new byte[33]),
                hello("too many Hello.offers: count=17, limit=16", h -> h.offers = 17),
                hello("too many Hello.offers: count=255, limit=16", h -> h.offers = 255),
                hello("Hello.offer.transport is no transport name: offer.transport=\"a b\"", h -> {
                    h.offers = 1;
                    h.offerWriter = out -> out.bytes("t", "a b".getBytes(StandardCharsets.UTF_8), 99);
                }),
                hello("Hello.offer.version is too long: length=65, limit=64 bytes", h -> {
                    h.offers = 1;
                    h.offerWriter = out -> out.transportName("t", "tcp").bytes("v", new byte[65], 99);
                }),
                hello("Hello.offer.address is too long: length=4097, limit=4096 bytes", h -> {
                    h.offers = 1;
                    h.offerWriter = out ->
                            out.transportName("t", "tcp").text("v", "1", 99).bytes("a", new byte[4097], 9999);
                }),
                hello("Hello offers a transport twice: transport=tcp", h -> {
                    h.offers = 2;
                    h.offerWriter = out -> {
                        offer(out);
                        offer(out);
                    };
                }),
                hello("Hello.auth is too long: length=4097, limit=4096 bytes", h -> h.auth = new byte[4097]));
    }

    static Stream<Arguments> hostileWelcomes() {
        return Stream.of(
                welcome("Welcome.version is out of range: version=2, allowed 1 to 1", out -> out.u16(2)),
                welcome("Welcome.version is out of range: version=0", out -> out.u16(0)),
                welcome("incarnation=0", out -> out.u16(1).i64(0)),
                welcome(
                        "Welcome.name is too long: length=65",
                        out -> out.u16(1).i64(1).bytes("n", new byte[65], 99)),
                welcome(
                        "Welcome.sourceId is out of range: sourceId=0",
                        out -> start(out).u16(0)),
                welcome(
                        "Welcome.creditBytes is out of range: creditBytes=0",
                        out -> start(out).u16(1).i32(0)),
                welcome(
                        "Welcome.eagerMax is out of range: eagerMax=5000, allowed 0 to 4096",
                        out -> start(out).u16(1).i32(4096).i32(5000)),
                welcome(
                        "Welcome.transport is no transport name",
                        out -> limits(out).text("t", "", 9)),
                welcome(
                        "Welcome.address is too long: length=4097",
                        out -> limits(out).text("t", "tcp", 9).bytes("a", new byte[4097], 9999)),
                welcome(
                        "Welcome.pathClass is out of range: pathClass=0, allowed 1 to 4",
                        out -> reach(out).u8(0)),
                welcome(
                        "Welcome.pathClass is out of range: pathClass=5, allowed 1 to 4",
                        out -> reach(out).u8(5)),
                welcome(
                        "Welcome.device is too long: length=257, limit=256",
                        out -> reach(out).u8(1).bytes("d", new byte[257], 999)),
                welcome(
                        "too many Welcome.lanes: count=17, limit=16",
                        out -> device(out).u8(17)),
                welcome(
                        "Welcome.lane is too long: length=65, limit=64",
                        out -> device(out).u8(1).bytes("l", new byte[65], 99)),
                welcome(
                        "Welcome.cause is out of range: cause=0, allowed 1 to 4",
                        out -> device(out).u8(0).u8(0)),
                welcome(
                        "Welcome.cause is out of range: cause=5, allowed 1 to 4",
                        out -> device(out).u8(0).u8(5)),
                welcome(
                        "Welcome.reason is too long: length=513, limit=512",
                        out -> device(out).u8(0).u8(1).bytes("r", new byte[513], 999)),
                welcome(
                        "Welcome.auth is too long: length=4097, limit=4096",
                        out -> device(out).u8(0).u8(1).text("r", "", 9).bytes("a", new byte[4097], 9999)));
    }

    @Test
    void shouldRefuseReady() {
        assertViolation(
                "Ready.wireUpData is too long: length=257, limit=256 bytes",
                WireSamples.frame(
                        4, new WireWriter("raw").bytes("p", new byte[257], 999).finish()));
    }

    static Stream<Arguments> hostileRefusals() {
        return Stream.of(
                Arguments.of(
                        "Refusal.reason is too long: length=65, limit=64",
                        new WireWriter("raw").bytes("r", new byte[65], 99)),
                Arguments.of(
                        "Refusal.message is too long: length=513, limit=512",
                        new WireWriter("raw").text("r", "REFUSED", 99).bytes("m", new byte[513], 999)),
                Arguments.of(
                        "Refusal.message contains a control character: character=U+001B, index=0",
                        new WireWriter("raw").text("r", "REFUSED", 99).bytes("m", new byte[] {0x1B}, 999)));
    }

    @ParameterizedTest
    @MethodSource("hostileHellos")
    void shouldRefuseHello(String expected, RawHello hello) {
        assertViolation(expected, hello.frame());
    }

    @ParameterizedTest
    @MethodSource("hostileWelcomes")
    void shouldRefuseWelcome(String expected, WireWriter body) {
        assertViolation(expected, WireSamples.frame(2, body.finish()));
    }

    @ParameterizedTest
    @MethodSource("hostileRefusals")
    void shouldRefuseRefusal(String expected, WireWriter body) {
        assertViolation(expected, WireSamples.frame(3, body.finish()));
    }

    static Stream<Arguments> unwritable() {
        byte[] none = {};
        List<Offer> tooMany = new ArrayList<>();
        for (int i = 0; i < 17; i++) {
            tooMany.add(new Offer("t" + i, "1", none));
        }
        return Stream.of(
                Arguments.of("versionMin=0", mine(0, 1, 0, 1, "n", 1, 4096, 0, List.of(), none)),
                Arguments.of("versionMax=1, allowed 2", mine(2, 1, 0, 1, "n", 1, 4096, 0, List.of(), none)),
                Arguments.of("versionMax=65536", mine(1, 65536, 0, 1, "n", 1, 4096, 0, List.of(), none)),
                Arguments.of("security=256", mine(1, 1, 256, 1, "n", 1, 4096, 0, List.of(), none)),
                Arguments.of("security=-1", mine(1, 1, -1, 1, "n", 1, 4096, 0, List.of(), none)),
                Arguments.of("incarnation must not be 0", mine(1, 1, 0, 0, "n", 1, 4096, 0, List.of(), none)),
                Arguments.of(
                        "Hello.name is too long: length=66",
                        mine(1, 1, 0, 1, "é".repeat(33), 1, 4096, 0, List.of(), none)),
                Arguments.of("character=U+0000", mine(1, 1, 0, 1, "\0", 1, 4096, 0, List.of(), none)),
                Arguments.of("sourceId=0", mine(1, 1, 0, 1, "n", 0, 4096, 0, List.of(), none)),
                Arguments.of("sourceId=65536", mine(1, 1, 0, 1, "n", 65536, 4096, 0, List.of(), none)),
                Arguments.of("creditBytes=4095", mine(1, 1, 0, 1, "n", 1, 4095, 0, List.of(), none)),
                Arguments.of("eagerMax=4097", mine(1, 1, 0, 1, "n", 1, 4096, 4097, List.of(), none)),
                Arguments.of("offers=17", mine(1, 1, 0, 1, "n", 1, 4096, 0, tooMany, none)),
                Arguments.of(
                        "offer.transport=\"A\"",
                        mine(1, 1, 0, 1, "n", 1, 4096, 0, List.of(new Offer("A", "1", none)), none)),
                Arguments.of(
                        "Hello.offer.version is too long: length=65",
                        mine(1, 1, 0, 1, "n", 1, 4096, 0, List.of(new Offer("a", "v".repeat(65), none)), none)),
                Arguments.of(
                        "Hello.offer.address is too long: length=4097",
                        mine(1, 1, 0, 1, "n", 1, 4096, 0, List.of(new Offer("a", "1", new byte[4097])), none)),
                Arguments.of(
                        "Hello.auth is too long: length=4097",
                        mine(1, 1, 0, 1, "n", 1, 4096, 0, List.of(), new byte[4097])),
                Arguments.of(
                        "version=2",
                        new Welcome(
                                2,
                                1,
                                "n",
                                1,
                                4096,
                                0,
                                "t",
                                none,
                                PathClass.TCP,
                                "",
                                List.of(),
                                PathCause.POLICY,
                                "",
                                none)),
                Arguments.of(
                        "incarnation must not be 0",
                        new Welcome(
                                1,
                                0,
                                "n",
                                1,
                                4096,
                                0,
                                "t",
                                none,
                                PathClass.TCP,
                                "",
                                List.of(),
                                PathCause.POLICY,
                                "",
                                none)),
                Arguments.of(
                        "Welcome.address is too long",
                        new Welcome(
                                1,
                                1,
                                "n",
                                1,
                                4096,
                                0,
                                "t",
                                new byte[4097],
                                PathClass.TCP,
                                "",
                                List.of(),
                                PathCause.POLICY,
                                "",
                                none)));
    }

    @ParameterizedTest
    @MethodSource("unwritable")
    void shouldRefuseToWriteWhatAPeerWouldRefuse(String expected, HandshakeMessage message) {
        String text = assertThrows(IllegalArgumentException.class, () -> HandshakeCodec.encode(message))
                .getMessage();
        assertTrue(text.contains(expected), text);
    }

    private static Hello mine(
            int versionMin,
            int versionMax,
            int security,
            long incarnation,
            String name,
            int sourceId,
            int creditBytes,
            int eagerMax,
            List<Offer> offers,
            byte[] auth) {
        return new Hello(
                versionMin,
                versionMax,
                security,
                incarnation,
                name,
                sourceId,
                creditBytes,
                eagerMax,
                PathPolicy.AUTO,
                offers,
                auth);
    }

    private static Arguments hello(String expected, Consumer<RawHello> change) {
        RawHello hello = new RawHello();
        change.accept(hello);
        return Arguments.of(expected, hello);
    }

    private static Arguments welcome(String expected, Consumer<WireWriter> body) {
        WireWriter out = new WireWriter("raw");
        body.accept(out);
        return Arguments.of(expected, out);
    }

    private static void offer(WireWriter out) {
        out.transportName("t", "tcp").text("v", "1", 99).bytes("a", new byte[0], 9);
    }

    private static WireWriter start(WireWriter out) {
        return out.u16(1).i64(1).text("n", "n", 9);
    }

    private static WireWriter limits(WireWriter out) {
        return start(out).u16(1).i32(4096).i32(0);
    }

    private static WireWriter reach(WireWriter out) {
        return limits(out).text("t", "tcp", 9).bytes("a", new byte[0], 9);
    }

    private static WireWriter device(WireWriter out) {
        return reach(out).u8(4).text("d", "lo", 9);
    }

    private static void assertViolation(String expected, ByteBuffer frame) {
        FairleadException failure = assertThrows(FairleadException.class, () -> HandshakeCodec.decode(frame));
        assertEquals(FairleadException.Reason.PROTOCOL_VIOLATION, failure.reason());
        assertTrue(failure.getMessage().contains(expected), failure::getMessage);
        assertEquals(0, frame.position());
    }
}
