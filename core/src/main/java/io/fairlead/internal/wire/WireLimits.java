package io.fairlead.internal.wire;

/** The limits of fields in handshakes and remote keys. Lengths are bytes; for text, its bytes in UTF-8. */
public final class WireLimits {
    public static final int NODE_NAME = 64;
    public static final int OFFERS = 16;
    public static final int TRANSPORT_NAME = 32;
    public static final int TRANSPORT_VERSION = 64;
    public static final int ADDRESS = 4096;
    public static final int DEVICE = 256;
    public static final int LANES = 16;
    public static final int LANE = 64;
    public static final int REASON = 512;
    public static final int MESSAGE = 512;
    public static final int AUTH = 4096;
    public static final int WIRE_UP_DATA = 256;
    public static final int SOURCE_ID_MIN = 1;
    public static final int SOURCE_ID_MAX = 65535;
    public static final int CREDIT_BYTES_MIN = 4096;
    public static final int CREDIT_BYTES_MAX = 1 << 30;
    public static final int EAGER_MAX_MIN = 0;
    public static final int EAGER_MAX_MAX = 1 << 24;
    public static final int KEY_TRANSPORTS = 8;
    public static final int TRANSPORT_KEY = 4096;

    private WireLimits() {}
}
