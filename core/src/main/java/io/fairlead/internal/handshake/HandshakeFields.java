package io.fairlead.internal.handshake;

import io.fairlead.internal.memory.KeySecret;
import io.fairlead.internal.wire.WireLimits;
import io.fairlead.internal.wire.WireReader;

/** The common fields of a Hello and a Welcome. */
final class HandshakeFields {
    private HandshakeFields() {}

    static long incarnation(WireReader in) {
        long incarnation = in.i64("incarnation");
        if (incarnation == 0) {
            throw in.violation("incarnation must not be 0: incarnation=0");
        }
        return incarnation;
    }

    static KeySecret keySecret(WireReader in) {
        byte[] secret = in.bytes("keySecret", KeySecret.LENGTH);
        if (secret.length != KeySecret.LENGTH) {
            throw in.violation(
                    "keySecret is too short: length=" + secret.length + ", expected " + KeySecret.LENGTH + " bytes");
        }
        return KeySecret.of(secret);
    }

    static int sourceId(WireReader in) {
        return in.within("sourceId", in.u16("sourceId"), WireLimits.SOURCE_ID_MIN, WireLimits.SOURCE_ID_MAX);
    }

    static int creditBytes(WireReader in) {
        return in.within(
                "creditBytes", in.i32("creditBytes"), WireLimits.CREDIT_BYTES_MIN, WireLimits.CREDIT_BYTES_MAX);
    }

    static int eagerMax(WireReader in, int creditBytes) {
        return in.within("eagerMax", in.i32("eagerMax"), WireLimits.EAGER_MAX_MIN, eagerLimit(creditBytes));
    }

    /** An eager message that exceeds the maximum credits would wait forever. */
    static int eagerLimit(int creditBytes) {
        return Math.min(WireLimits.EAGER_MAX_MAX, creditBytes);
    }
}
