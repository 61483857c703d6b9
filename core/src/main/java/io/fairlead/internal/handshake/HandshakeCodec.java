package io.fairlead.internal.handshake;

import static io.fairlead.FairleadException.Reason.PROTOCOL_VIOLATION;

import io.fairlead.FairleadException;
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
import io.fairlead.internal.wire.WireLimits;
import io.fairlead.internal.wire.WireReader;
import io.fairlead.internal.wire.WireText;
import io.fairlead.internal.wire.WireWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Handshake messages as bytes. Stateless.
 *
 * <p>A frame is a header of {@value #HEADER_LENGTH} bytes and a body; numbers are little-endian. The header has 4 bytes
 * of magic, 1 byte of message type, 1 byte that must be 0 (for extensions that an old peer must refuse), 2 bytes that a
 * peer may ignore, and 4 bytes of body length. The 2 ignorable bytes are the sender's features in a Hello or Welcome;
 * in other messages they are written as 0 and not read. Text and byte strings are preceded by their length in 2 bytes.
 *
 * <p>In every version of the protocol, a Hello begins with the sender's lowest and highest version. It has the
 * fields of the lowest version. A sender that also supports later versions may append their fields.
 */
public final class HandshakeCodec {
    /** The protocol version of this release. */
    public static final int VERSION = HelloCodec.VERSION;

    /** Length of a frame's header, in bytes. */
    public static final int HEADER_LENGTH = 12;

    /** The maximum length of a body, in bytes. */
    public static final int BODY_MAX = 65536;

    /** All 16 bits of features. */
    public static final int FEATURES_MAX = 0xFFFF;

    /** The feature of the core: the connection can be resumed on another socket. */
    static final int RESUMABLE = 1 << 15;

    /** The other bits, which are the layers'. */
    public static final int LAYER_FEATURES_MAX = FEATURES_MAX & ~RESUMABLE;

    /** The first four bytes of a frame, in the order of the stream: neither text nor a TLS record begins with them. */
    static final int MAGIC = 0xF0464C44;

    /** The first bytes of a TLS record: a handshake message or an alert, and the major version. */
    private static final int TLS_HANDSHAKE = 22;

    private static final int TLS_ALERT = 21;
    private static final int TLS_MAJOR = 3;

    /** The number of bytes of a frame that tell its type. */
    static final int TYPE_KNOWN = 5;

    private static final int HELLO = 1;
    private static final int WELCOME = 2;
    private static final int REFUSAL = 3;
    private static final int READY = 4;
    private static final int DECLINE = 5;
    private static final int SETTLED = 6;
    private static final int RESUME = 7;
    private static final ByteBuffer RESUME_BEGINS =
            ByteBuffer.allocate(TYPE_KNOWN).putInt(MAGIC).put((byte) RESUME).flip();
    private static final int CHALLENGE = 8;
    private static final int PROOF = 9;
    private static final int RESUMED = 10;

    private static final int REASON_NAME = 64;

    private HandshakeCodec() {}

    /**
     * Writes a message.
     *
     * @param message the message
     * @return its frame, from position 0 to the limit
     * @throws IllegalArgumentException if a field exceeds its limit; device, lanes, reason and message are truncated
     *     instead
     */
    public static ByteBuffer encode(HandshakeMessage message) {
        return switch (message) {
            case Hello hello -> frame(HELLO, hello.features(), HelloCodec.encode(hello));
            case Welcome welcome -> frame(WELCOME, welcome.features(), WelcomeCodec.encode(welcome));
            case Refusal refusal -> frame(REFUSAL, 0, encodeRefusal(refusal));
            case Ready ready ->
                frame(
                        READY,
                        0,
                        new WireWriter("Ready").bytes("wireUpData", ready.wireUpData(), WireLimits.WIRE_UP_DATA));
            case Decline decline -> frame(DECLINE, 0, encodeDecline(decline));
            case Settled _ -> frame(SETTLED, 0, new WireWriter("Settled"));
            case Resume resume -> frame(RESUME, 0, ResumeCodec.encode(resume));
            case Challenge challenge -> frame(CHALLENGE, 0, ResumeCodec.encode(challenge));
            case Proof proof -> frame(PROOF, 0, ResumeCodec.encode(proof));
            case Resumed resumed -> frame(RESUMED, 0, ResumeCodec.encode(resumed));
        };
    }

    /** Whether the bytes at a buffer's position are TLS; false if there are fewer than two bytes. */
    static boolean isTls(ByteBuffer buffer) {
        if (buffer.remaining() < 2) {
            return false;
        }
        int type = buffer.get(buffer.position());
        return (type == TLS_HANDSHAKE || type == TLS_ALERT) && buffer.get(buffer.position() + 1) == TLS_MAJOR;
    }

    /**
     * Whether the bytes of a buffer, if there are any, are the first ones of a RESUME.
     *
     * @param buffer at most {@value #TYPE_KNOWN} bytes
     */
    static boolean mayBeResume(ByteBuffer buffer) {
        int at = buffer.mismatch(RESUME_BEGINS);
        return at < 0 || at == buffer.remaining();
    }

    /**
     * The length of the frame at a buffer's position. Leaves the buffer unchanged.
     *
     * @param buffer the bytes received so far
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
        if (type < HELLO || type > RESUMED) {
            throw violation("unknown handshake message: type=" + type + ", allowed " + HELLO + " to " + RESUMED);
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
     * Reads the frame at a buffer's position and moves the position after it.
     *
     * @param buffer holds a complete frame, possibly followed by more
     * @return the message
     * @throws FairleadException {@code PROTOCOL_VIOLATION} naming the field, its value and its limit; the position is
     *     unchanged
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
                HelloCodec.decode(new WireReader(body, PROTOCOL_VIOLATION, "Hello"))
                        .withFeatures(features);
            case WELCOME ->
                WelcomeCodec.decode(new WireReader(body, PROTOCOL_VIOLATION, "Welcome"))
                        .withFeatures(features);
            case REFUSAL -> decodeRefusal(new WireReader(body, PROTOCOL_VIOLATION, "Refusal"));
            case READY -> decodeReady(new WireReader(body, PROTOCOL_VIOLATION, "Ready"));
            case DECLINE -> decodeDecline(new WireReader(body, PROTOCOL_VIOLATION, "Decline"));
            case SETTLED -> decodeSettled(new WireReader(body, PROTOCOL_VIOLATION, "Settled"));
            case RESUME -> ResumeCodec.decodeResume(new WireReader(body, PROTOCOL_VIOLATION, "Resume"));
            case CHALLENGE -> ResumeCodec.decodeChallenge(new WireReader(body, PROTOCOL_VIOLATION, "Challenge"));
            case PROOF -> ResumeCodec.decodeProof(new WireReader(body, PROTOCOL_VIOLATION, "Proof"));
            default -> ResumeCodec.decodeResumed(new WireReader(body, PROTOCOL_VIOLATION, "Resumed"));
        };
        buffer.position(start + length);
        return message;
    }

    private static WireWriter encodeRefusal(Refusal refusal) {
        return new WireWriter("Refusal")
                .text("reason", refusal.reason().name(), REASON_NAME)
                .prose("message", refusal.message(), WireLimits.MESSAGE);
    }

    private static Refusal decodeRefusal(WireReader in) {
        FairleadException.Reason reason = reason(in);
        String message = in.text("message", WireLimits.MESSAGE);
        in.end();
        return new Refusal(reason, message);
    }

    private static FairleadException.Reason reason(WireReader in) {
        String name = in.text("reason", REASON_NAME);
        FairleadException.Reason reason = FairleadException.Reason.REFUSED;
        for (FairleadException.Reason known : FairleadException.Reason.values()) {
            if (known.name().equals(name)) {
                reason = known;
            }
        }
        return reason;
    }

    private static WireWriter encodeDecline(Decline decline) {
        return new WireWriter("Decline")
                .transportName("transport", decline.transport())
                .text("reason", decline.reason().name(), REASON_NAME)
                .prose("message", decline.message(), WireLimits.MESSAGE);
    }

    private static Decline decodeDecline(WireReader in) {
        String transport = in.transportName("transport");
        FairleadException.Reason reason = reason(in);
        String message = in.text("message", WireLimits.MESSAGE);
        in.end();
        return new Decline(transport, reason, message);
    }

    private static Settled decodeSettled(WireReader in) {
        in.end();
        return new Settled();
    }

    private static Ready decodeReady(WireReader in) {
        byte[] wireUpData = in.bytes("wireUpData", WireLimits.WIRE_UP_DATA);
        in.end();
        return new Ready(wireUpData);
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

    /** The four bytes as characters, which may identify the foreign protocol in a log. */
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
