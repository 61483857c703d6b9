package io.fairlead.internal.handshake;

import io.fairlead.PathPolicy;
import io.fairlead.internal.handshake.HandshakeMessage.Hello;
import io.fairlead.internal.memory.KeySecret;
import io.fairlead.internal.wire.WireLimits;
import io.fairlead.internal.wire.WireReader;
import io.fairlead.internal.wire.WireWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The body of a Hello as bytes. Stateless. */
final class HelloCodec {
    /** The protocol version of this release. */
    static final int VERSION = 1;

    private static final int VERSION_LIMIT = 65535;

    private HelloCodec() {}

    static WireWriter encode(Hello hello) {
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
                .i32(
                        "eagerMax",
                        hello.eagerMax(),
                        WireLimits.EAGER_MAX_MIN,
                        HandshakeFields.eagerLimit(hello.creditBytes()))
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

    static Hello decode(WireReader in) {
        int versionMin = in.within("versionMin", in.u16("versionMin"), 1, VERSION_LIMIT);
        int versionMax = in.within("versionMax", in.u16("versionMax"), versionMin, VERSION_LIMIT);
        if (versionMin > VERSION) {
            // The following bytes belong to a version that this release does not know; the versions suffice for a
            // refusal.
            return new Hello(versionMin, versionMax, 0, 0, "", 0, 0, 0, PathPolicy.AUTO, List.of(), new byte[0]);
        }
        int security = in.u8("security");
        long incarnation = HandshakeFields.incarnation(in);
        String name = in.text("name", WireLimits.NODE_NAME);
        int sourceId = HandshakeFields.sourceId(in);
        int creditBytes = HandshakeFields.creditBytes(in);
        int eagerMax = HandshakeFields.eagerMax(in, creditBytes);
        PathPolicy policy = PathPolicy.parse(in.transportName("policy"));
        List<Offer> offers = offers(in);
        byte[] auth = in.bytes("auth", WireLimits.AUTH);
        long token = in.i64("token");
        KeySecret keySecret = HandshakeFields.keySecret(in);
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
}
