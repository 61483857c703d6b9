package io.fairlead.fuzz;

import io.fairlead.internal.access.AccessHarness;
import io.fairlead.internal.config.ConfigHarness;
import io.fairlead.internal.control.ControlHarness;
import io.fairlead.internal.handshake.HandshakeHarness;
import io.fairlead.internal.handshake.ResumeHarness;
import io.fairlead.internal.memory.KeyHarness;
import io.fairlead.internal.net.StreamHarness;
import io.fairlead.internal.tls.RecordHarness;
import io.fairlead.internal.tls.TlsHarness;
import io.fairlead.metrics.MetricsHarness;
import io.fairlead.node.internal.NodeHarness;
import io.fairlead.pubsub.internal.PubSubHarness;
import io.fairlead.security.internal.files.CertificateHarness;
import io.fairlead.security.internal.files.RevocationHarness;
import io.fairlead.spi.LaneHarness;
import io.fairlead.transport.shm.ShmHarness;
import io.fairlead.transport.tcp.TcpHarness;
import io.fairlead.transport.ucx.UcxHarness;
import java.util.Locale;
import java.util.function.Supplier;

/** Everything that reads bytes which somebody else wrote. */
public enum Surface {
    /** The handshake of TLS, of a peer that has no key or between two whose bytes are changed on the way. */
    TLS(TlsHarness::new, 4096),
    /** Records inside and behind the handshake of TLS, and the proof of a shared secret. */
    RECORDS(RecordHarness::new, 4096),
    /** The messages of the handshake, as frames of a stream. */
    HANDSHAKE(HandshakeHarness::new, 4096),
    /** Records of a stream that outlives its sockets. */
    STREAM(StreamHarness::new, 2048),
    /** The messages that resume a connection on another socket, on either side. */
    RESUME(ResumeHarness::new, 1024),
    /** Frames of a return to lanes, on either side. */
    LANES(LaneHarness::new, 256),
    /** Control frames of a connection that no transport took. */
    CONTROL(ControlHarness::new, 512),
    /** Packed remote keys. */
    KEYS(KeyHarness::new, 2048),
    /** Frames of the tcp transport, with checksums and without, and served memory behind them. */
    TCP(TcpHarness::new, 4096),
    /** Records of a ring of the shm transport, the position of its reader, addresses and keys. */
    SHM(ShmHarness::new, 4096),
    /** Messages of the ucx transport's own, its numbers of endpoints, addresses and keys. */
    UCX(UcxHarness::new, 2048),
    /** Frames of contexts between nodes. */
    NODE(NodeHarness::new, 4200),
    /** What publishers and subscribers send each other, and snapshots. */
    PUBSUB(PubSubHarness::new, 4096),
    /** Configuration files, environment variables, and the values of keys. */
    CONFIG(ConfigHarness::new, 1024),
    /** Files of rules about who may do what. */
    ACCESS(AccessHarness::new, 1024),
    /** Files of certificates, keys, secrets and passwords. */
    CERTIFICATES(CertificateHarness::new, 4096),
    /** Files of revoked certificates. */
    REVOCATIONS(RevocationHarness::new, 2048),
    /** Requests over HTTP to the metrics server. */
    METRICS(MetricsHarness::new, 2048);

    private final Supplier<Harness> harness;
    private final int lengthMax;

    Surface(Supplier<Harness> harness, int lengthMax) {
        this.harness = harness;
        this.lengthMax = lengthMax;
    }

    /** How a person calls it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The longest input that is tried, in bytes. */
    public int lengthMax() {
        return lengthMax;
    }

    Harness open() {
        return harness.get();
    }

    static Surface of(String label) {
        return valueOf(label.toUpperCase(Locale.ROOT));
    }
}
