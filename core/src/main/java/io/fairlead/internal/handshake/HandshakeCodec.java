package io.fairlead.internal.handshake;

import static io.fairlead.FairleadException.Reason.PROTOCOL_VIOLATION;

import io.fairlead.FairleadException;
import io.fairlead.PathCause;
import io.fairlead.PathClass;
import io.fairlead.PathPolicy;
import io.fairlead.internal.handshake.HandshakeMessage.Hello;
import io.fairlead.internal.handshake.HandshakeMessage.Offer;
import io.fairlead.internal.handshake.HandshakeMessage.Ready;
import io.fairlead.internal.handshake.HandshakeMessage.Refusal;
import io.fairlead.internal.handshake.HandshakeMessage.Welcome;
import io.fairlead.internal.memory.KeySecret;
import io.fairlead.internal.wire.WireLimits;
import io.fairlead.internal.wire.WireReader;
import io.fairlead.internal.wire.WireText;
import io.fairlead.internal.wire.WireWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Handshake messages as bytes. Stateless.
 *
 * <p>A frame is a header of {@value #HEADER_LENGTH} bytes and a body; numbers are little-endian. The header: 4 bytes of magic, 1
 * byte of message type, 1 byte that must be 0 (for what an old peer has to refuse), 2 bytes for what a peer may ignore, 4 bytes of
 * body length. Those two are the features of a Hello's or Welcome's sender, and in other messages are written 0 and not looked at. Text and byte strings are preceded by their length in 2 bytes.
 *
 * <p>A Hello begins with the sender's lowest and highest version in every version of the protocol. Its fields are those of the
 * lowest version, and a sender that speaks later ones too may append what they need.
 */
public final class HandshakeCodec {
    /** The protocol version of this release. */
    public static final int VERSION = 1;

    /** Bytes of a frame before its body. */
    public static final int HEADER_LENGTH = 12;

    /** The longest body, in bytes. */
    public static final int BODY_MAX = 65536;

    /** All 16 bits of features. */
    public static final int FEATURES_MAX = 0xFFFF;

    /** The first four bytes of a frame, in the order of the stream: no text and no TLS record begins like this. */
    static final int MAGIC = 0xF0464C44;

    private static final int HELLO = 1;
    private static final int WELCOME = 2;
    private static final int REFUSAL = 3;
    private static final int READY = 4;

    private static final int REASON_NAME = 64;
    private static final int VERSION_LIMIT = 65535;

    private HandshakeCodec() {}

    /**
     * Writes a message.
     *
     * @param message the message
     * @return its frame, from position 0 to the limit
     * @throws IllegalArgumentException if a field exceeds its limit; device, lanes, reason and message are cut instead
     */
    public static ByteBuffer encode(HandshakeMessage message) {
        return switch (message) {
            case Hello hello -> frame(HELLO, hello.features(), encodeHello(hello));
            case Welcome welcome -> frame(WELCOME, welcome.features(), encodeWelcome(welcome));
            case Refusal refusal -> frame(REFUSAL, 0, encodeRefusal(refusal));
            case Ready ready ->
                frame(
                        READY,
                        0,
                        new WireWriter("Ready").bytes("introduction", ready.introduction(), WireLimits.INTRODUCTION));
        };
    }

    /**
     * How long the frame is that begins at a buffer's position. Leaves the buffer as it is.
     *
     * @param buffer what has been received so far
     * @return bytes of the whole frame, received or not; -1 if its header is not complete
     * @throws FairleadException {@code PROTOCOL_VIOLATION} as soon as the header is wrong
     */
    public static int frameLength(ByteBuffer buffer) {
        int start = buffer.position();
        if (buffer.remaining() < Integer.BYTES) {
            return -1;
        }
        int magic = bigEndian(buffer, start);
        if (magic != MAGIC) {
            throw violation("not a Fairlead peer: magic=0x" + WireText.hex(magic) + " (\"" + printable(magic)
                    + "\"), expected 0x" + WireText.hex(MAGIC));
        }
        if (buffer.remaining() < HEADER_LENGTH) {
            return -1;
        }
        int type = Byte.toUnsignedInt(buffer.get(start + 4));
        if (type < HELLO || type > READY) {
            throw violation("unknown handshake message: type=" + type + ", allowed " + HELLO + " to " + READY);
        }
        int reserved = Byte.toUnsignedInt(buffer.get(start + 5));
        if (reserved != 0) {
            throw violation("reserved byte of a handshake message is set: reserved=" + reserved + ", expected 0");
        }
        int length = Integer.reverseBytes(bigEndian(buffer, start + 8));
        if (length < 0 || length > BODY_MAX) {
            throw violation("handshake message is too long: length=" + Integer.toUnsignedString(length) + ", limit="
                    + BODY_MAX + " bytes");
        }
        return HEADER_LENGTH + length;
    }

    /**
     * Reads the frame at a buffer's position and moves the position behind it.
     *
     * @param buffer holds a whole frame, and maybe more behind it
     * @return the message
     * @throws FairleadException {@code PROTOCOL_VIOLATION} naming the field, its value and its limit; the position is as it was
     */
    public static HandshakeMessage decode(ByteBuffer buffer) {
        int length = frameLength(buffer);
        if (length < 0 || length > buffer.remaining()) {
            throw violation("handshake message is cut short: needs=" + Math.max(length, HEADER_LENGTH)
                    + " bytes, remaining=" + buffer.remaining());
        }
        int start = buffer.position();
        int features = Short.toUnsignedInt(Short.reverseBytes(bigEndianShort(buffer, start + 6)));
        ByteBuffer body = buffer.slice(start + HEADER_LENGTH, length - HEADER_LENGTH);
        HandshakeMessage message = switch (buffer.get(start + 4)) {
            case HELLO ->
                decodeHello(new WireReader(body, PROTOCOL_VIOLATION, "Hello")).withFeatures(features);
            case WELCOME ->
                decodeWelcome(new WireReader(body, PROTOCOL_VIOLATION, "Welcome"))
                        .withFeatures(features);
            case REFUSAL -> decodeRefusal(new WireReader(body, PROTOCOL_VIOLATION, "Refusal"));
            default -> decodeReady(new WireReader(body, PROTOCOL_VIOLATION, "Ready"));
        };
        buffer.position(start + length);
        return message;
    }

    private static WireWriter encodeHello(Hello hello) {
        if (hello.incarnation() == 0) {
            throw new IllegalArgumentException("Hello.incarnation must not be 0");
        }
        WireWriter out = new WireWriter("Hello")
                .u16("versionMin", hello.versionMin(), 1, VERSION_LIMIT)
                .u16("versionMax", hello.versionMax(), hello.versionMin(), VERSION_LIMIT)
                .u8("security", hello.security(), 0, 255)
                .i64(hello.incarnation())
                .text("name", hello.name(), WireLimits.NODE_NAME)
                .u16("sourceId", hello.sourceId(), WireLimits.SOURCE_ID_MIN, WireLimits.SOURCE_ID_MAX)
                .i32("creditBytes", hello.creditBytes(), WireLimits.CREDIT_BYTES_MIN, WireLimits.CREDIT_BYTES_MAX)
                .i32("eagerMax", hello.eagerMax(), WireLimits.EAGER_MAX_MIN, eagerLimit(hello.creditBytes()))
                .transportName("policy", hello.policy().toString())
                .u8("offers", hello.offers().size(), 0, WireLimits.OFFERS);
        for (Offer offer : hello.offers()) {
            out.transportName("offer.transport", offer.transport())
                    .text("offer.version", offer.version(), WireLimits.TRANSPORT_VERSION)
                    .bytes("offer.address", offer.address(), WireLimits.ADDRESS);
        }
        return out.bytes("auth", hello.auth(), WireLimits.AUTH)
                .i64(hello.token())
                .bytes("keySecret", hello.keySecret().bytes(), KeySecret.LENGTH);
    }

    private static Hello decodeHello(WireReader in) {
        int versionMin = in.within("versionMin", in.u16("versionMin"), 1, VERSION_LIMIT);
        int versionMax = in.within("versionMax", in.u16("versionMax"), versionMin, VERSION_LIMIT);
        if (versionMin > VERSION) {
            // What follows is laid out by a version that this release does not know; the versions are enough to refuse
            // it.
            return new Hello(versionMin, versionMax, 0, 0, "", 0, 0, 0, PathPolicy.AUTO, List.of(), new byte[0]);
        }
        int security = in.u8("security");
        long incarnation = incarnation(in);
        String name = in.text("name", WireLimits.NODE_NAME);
        int sourceId = sourceId(in);
        int creditBytes = creditBytes(in);
        int eagerMax = eagerMax(in, creditBytes);
        PathPolicy policy = PathPolicy.parse(in.transportName("policy"));
        List<Offer> offers = offers(in);
        byte[] auth = in.bytes("auth", WireLimits.AUTH);
        long token = in.i64("token");
        KeySecret keySecret = keySecret(in);
        if (versionMax == VERSION) {
            in.end();
        }
        return new Hello(
                versionMin,
                versionMax,
                security,
                incarnation,
                name,
                sourceId,
                creditBytes,
                eagerMax,
                policy,
                offers,
                auth,
                0,
                token,
                keySecret);
    }

    private static List<Offer> offers(WireReader in) {
        int count = in.count("offers", WireLimits.OFFERS);
        List<Offer> offers = new ArrayList<>(count);
        Set<String> names = new HashSet<>();
        for (int i = 0; i < count; i++) {
            String transport = in.transportName("offer.transport");
            if (!names.add(transport)) {
                throw in.violation("Hello offers a transport twice: transport=" + transport);
            }
            String version = in.text("offer.version", WireLimits.TRANSPORT_VERSION);
            offers.add(new Offer(transport, version, in.bytes("offer.address", WireLimits.ADDRESS)));
        }
        return offers;
    }

    private static WireWriter encodeWelcome(Welcome welcome) {
        if (welcome.incarnation() == 0) {
            throw new IllegalArgumentException("Welcome.incarnation must not be 0");
        }
        List<String> lanes = welcome.lanes().subList(0, Math.min(welcome.lanes().size(), WireLimits.LANES));
        WireWriter out = new WireWriter("Welcome")
                .u16("version", welcome.version(), VERSION, VERSION)
                .i64(welcome.incarnation())
                .text("name", welcome.name(), WireLimits.NODE_NAME)
                .u16("sourceId", welcome.sourceId(), WireLimits.SOURCE_ID_MIN, WireLimits.SOURCE_ID_MAX)
                .i32("creditBytes", welcome.creditBytes(), WireLimits.CREDIT_BYTES_MIN, WireLimits.CREDIT_BYTES_MAX)
                .i32("eagerMax", welcome.eagerMax(), WireLimits.EAGER_MAX_MIN, eagerLimit(welcome.creditBytes()))
                .transportName("transport", welcome.transport())
                .bytes("address", welcome.address(), WireLimits.ADDRESS)
                .u8(code(welcome.pathClass()))
                .prose("device", welcome.device(), WireLimits.DEVICE)
                .u8(lanes.size());
        for (String lane : lanes) {
            out.prose("lane", lane, WireLimits.LANE);
        }
        return out.u8(code(welcome.cause()))
                .prose("reason", welcome.reason(), WireLimits.REASON)
                .bytes("auth", welcome.auth(), WireLimits.AUTH)
                .i64(welcome.token())
                .bytes("keySecret", welcome.keySecret().bytes(), KeySecret.LENGTH)
                .bytes("introduction", welcome.introduction(), WireLimits.INTRODUCTION);
    }

    private static Welcome decodeWelcome(WireReader in) {
        int version = in.within("version", in.u16("version"), VERSION, VERSION);
        long incarnation = incarnation(in);
        String name = in.text("name", WireLimits.NODE_NAME);
        int sourceId = sourceId(in);
        int creditBytes = creditBytes(in);
        int eagerMax = eagerMax(in, creditBytes);
        String transport = in.transportName("transport");
        byte[] address = in.bytes("address", WireLimits.ADDRESS);
        PathClass pathClass = pathClass(in);
        String device = in.text("device", WireLimits.DEVICE);
        int laneCount = in.count("lanes", WireLimits.LANES);
        List<String> lanes = new ArrayList<>(laneCount);
        for (int i = 0; i < laneCount; i++) {
            lanes.add(in.text("lane", WireLimits.LANE));
        }
        PathCause cause = cause(in);
        String reason = in.text("reason", WireLimits.REASON);
        byte[] auth = in.bytes("auth", WireLimits.AUTH);
        long token = in.i64("token");
        KeySecret keySecret = keySecret(in);
        byte[] introduction = in.bytes("introduction", WireLimits.INTRODUCTION);
        in.end();
        return new Welcome(
                version,
                incarnation,
                name,
                sourceId,
                creditBytes,
                eagerMax,
                transport,
                address,
                pathClass,
                device,
                lanes,
                cause,
                reason,
                auth,
                0,
                token,
                keySecret,
                introduction);
    }

    private static WireWriter encodeRefusal(Refusal refusal) {
        return new WireWriter("Refusal")
                .text("reason", refusal.reason().name(), REASON_NAME)
                .prose("message", refusal.message(), WireLimits.MESSAGE);
    }

    private static Refusal decodeRefusal(WireReader in) {
        String name = in.text("reason", REASON_NAME);
        FairleadException.Reason reason = FairleadException.Reason.REFUSED;
        for (FairleadException.Reason known : FairleadException.Reason.values()) {
            if (known.name().equals(name)) {
                reason = known;
            }
        }
        String message = in.text("message", WireLimits.MESSAGE);
        in.end();
        return new Refusal(reason, message);
    }

    private static Ready decodeReady(WireReader in) {
        byte[] introduction = in.bytes("introduction", WireLimits.INTRODUCTION);
        in.end();
        return new Ready(introduction);
    }

    private static long incarnation(WireReader in) {
        long incarnation = in.i64("incarnation");
        if (incarnation == 0) {
            throw in.violation("incarnation must not be 0: incarnation=0");
        }
        return incarnation;
    }

    private static KeySecret keySecret(WireReader in) {
        byte[] secret = in.bytes("keySecret", KeySecret.LENGTH);
        if (secret.length != KeySecret.LENGTH) {
            throw in.violation(
                    "keySecret is too short: length=" + secret.length + ", expected " + KeySecret.LENGTH + " bytes");
        }
        return KeySecret.of(secret);
    }

    private static int sourceId(WireReader in) {
        return in.within("sourceId", in.u16("sourceId"), WireLimits.SOURCE_ID_MIN, WireLimits.SOURCE_ID_MAX);
    }

    private static int creditBytes(WireReader in) {
        return in.within(
                "creditBytes", in.i32("creditBytes"), WireLimits.CREDIT_BYTES_MIN, WireLimits.CREDIT_BYTES_MAX);
    }

    private static int eagerMax(WireReader in, int creditBytes) {
        return in.within("eagerMax", in.i32("eagerMax"), WireLimits.EAGER_MAX_MIN, eagerLimit(creditBytes));
    }

    /** An eager message that exceeds all credits there can ever be would wait for ever. */
    private static int eagerLimit(int creditBytes) {
        return Math.min(WireLimits.EAGER_MAX_MAX, creditBytes);
    }

    /** The number of a kind of path on the wire; not its ordinal, which a new kind would move. */
    private static int code(PathClass pathClass) {
        return switch (pathClass) {
            case IN_PROCESS -> 1;
            case SHARED_MEMORY -> 2;
            case RDMA -> 3;
            case TCP -> 4;
        };
    }

    private static PathClass pathClass(WireReader in) {
        int code = in.within("pathClass", in.u8("pathClass"), 1, 4);
        for (PathClass pathClass : PathClass.values()) {
            if (code(pathClass) == code) {
                return pathClass;
            }
        }
        throw new AssertionError("path class without a code: code=" + code);
    }

    /** As for the kinds of path. */
    private static int code(PathCause cause) {
        return switch (cause) {
            case FASTEST -> 1;
            case ONLY_SHARED -> 2;
            case ONLY_REACHING -> 3;
            case POLICY -> 4;
        };
    }

    private static PathCause cause(WireReader in) {
        int code = in.within("cause", in.u8("cause"), 1, 4);
        for (PathCause cause : PathCause.values()) {
            if (code(cause) == code) {
                return cause;
            }
        }
        throw new AssertionError("path cause without a code: code=" + code);
    }

    private static ByteBuffer frame(int type, int features, WireWriter body) {
        if (features < 0 || features > FEATURES_MAX) {
            throw new IllegalArgumentException(
                    "features out of range: features=" + features + ", allowed 0 to " + FEATURES_MAX);
        }
        int length = body.length();
        if (length > BODY_MAX) {
            throw new IllegalArgumentException(
                    "handshake message is too long: length=" + length + ", limit=" + BODY_MAX + " bytes");
        }
        return ByteBuffer.allocate(HEADER_LENGTH + length)
                .putInt(MAGIC)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) type)
                .put((byte) 0)
                .putShort((short) features)
                .putInt(length)
                .put(body.finish())
                .flip();
    }

    private static short bigEndianShort(ByteBuffer buffer, int index) {
        short value = buffer.getShort(index);
        return buffer.order() == ByteOrder.BIG_ENDIAN ? value : Short.reverseBytes(value);
    }

    private static int bigEndian(ByteBuffer buffer, int index) {
        int value = buffer.getInt(index);
        return buffer.order() == ByteOrder.BIG_ENDIAN ? value : Integer.reverseBytes(value);
    }

    /** The four bytes as characters, for the reader of a log who wonders what knocked. */
    private static String printable(int magic) {
        StringBuilder text = new StringBuilder(4);
        for (int shift = 24; shift >= 0; shift -= 8) {
            int character = (magic >>> shift) & 0xFF;
            text.append(character >= ' ' && character < 0x7F ? (char) character : '.');
        }
        return text.toString();
    }

    private static FairleadException violation(String message) {
        return new FairleadException(PROTOCOL_VIOLATION, message);
    }
}
