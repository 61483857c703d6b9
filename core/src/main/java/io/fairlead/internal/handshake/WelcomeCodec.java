package io.fairlead.internal.handshake;

import io.fairlead.PathCause;
import io.fairlead.PathClass;
import io.fairlead.internal.handshake.HandshakeMessage.Welcome;
import io.fairlead.internal.memory.KeySecret;
import io.fairlead.internal.wire.WireLimits;
import io.fairlead.internal.wire.WireReader;
import io.fairlead.internal.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/** The body of a Welcome as bytes. Stateless. */
final class WelcomeCodec {
    private WelcomeCodec() {}

    static WireWriter encode(Welcome welcome) {
        if (welcome.incarnation() == 0) {
            throw new IllegalArgumentException("Welcome.incarnation must not be 0");
        }
        List<String> lanes = welcome.lanes().subList(0, Math.min(welcome.lanes().size(), WireLimits.LANES));
        WireWriter out = new WireWriter("Welcome")
                .u16("version", welcome.version(), HelloCodec.VERSION, HelloCodec.VERSION)
                .i64(welcome.incarnation())
                .text("name", welcome.name(), WireLimits.NODE_NAME)
                .u16("sourceId", welcome.sourceId(), WireLimits.SOURCE_ID_MIN, WireLimits.SOURCE_ID_MAX)
                .i32("creditBytes", welcome.creditBytes(), WireLimits.CREDIT_BYTES_MIN, WireLimits.CREDIT_BYTES_MAX)
                .i32(
                        "eagerMax",
                        welcome.eagerMax(),
                        WireLimits.EAGER_MAX_MIN,
                        HandshakeFields.eagerLimit(welcome.creditBytes()))
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
                .bytes("wireUpData", welcome.wireUpData(), WireLimits.WIRE_UP_DATA);
    }

    static Welcome decode(WireReader in) {
        int version = in.within("version", in.u16("version"), HelloCodec.VERSION, HelloCodec.VERSION);
        long incarnation = HandshakeFields.incarnation(in);
        String name = in.text("name", WireLimits.NODE_NAME);
        int sourceId = HandshakeFields.sourceId(in);
        int creditBytes = HandshakeFields.creditBytes(in);
        int eagerMax = HandshakeFields.eagerMax(in, creditBytes);
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
        KeySecret keySecret = HandshakeFields.keySecret(in);
        byte[] wireUpData = in.bytes("wireUpData", WireLimits.WIRE_UP_DATA);
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
                wireUpData);
    }

    /** The wire number of a kind of path; not its ordinal, which a new kind would change. */
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

    /** The wire number of a cause, for the same reason. */
    private static int code(PathCause cause) {
        return switch (cause) {
            case FASTEST -> 1;
            case ONLY_SHARED -> 2;
            case ONLY_REACHING -> 3;
            case POLICY -> 4;
            // No handshake chooses a path for it.
            case FAILOVER -> 0;
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
}
