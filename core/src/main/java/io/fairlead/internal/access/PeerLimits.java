package io.fairlead.internal.access;

import io.fairlead.FairleadConfig;
import io.fairlead.PeerIdentity;
import io.fairlead.config.ConfigKeys;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * Limits what peers of one identity, or of one address, use of a context concurrently, and how often they connect.
 * Unauthenticated peers have no identity to count; all peers that know a shared secret count as one. Thread-safe.
 */
final class PeerLimits {
    private static final class Holding {
        private int connections;
        private int regions;
        private long regionBytes;

        boolean isEmpty() {
            return connections == 0 && regions == 0;
        }
    }

    private final int sourceConnectionsMax;
    private final int identityConnectionsMax;
    private final int regionsMax;
    private final long regionBytesMax;
    private final HandshakeRate sourceRate;
    private final HandshakeRate identityRate;
    private final Map<Object, Holding> holdings = new HashMap<>();

    PeerLimits(FairleadConfig config) {
        this.sourceConnectionsMax = config.value(ConfigKeys.SOURCE_CONNECTIONS_MAX);
        this.identityConnectionsMax = config.value(ConfigKeys.IDENTITY_CONNECTIONS_MAX);
        this.regionsMax = config.value(ConfigKeys.IDENTITY_REGIONS_MAX);
        this.regionBytesMax = config.value(ConfigKeys.IDENTITY_REGION_BYTES_MAX);
        this.sourceRate = new HandshakeRate(config.value(ConfigKeys.SOURCE_HANDSHAKE_RATE));
        this.identityRate = new HandshakeRate(config.value(ConfigKeys.IDENTITY_HANDSHAKE_RATE));
    }

    /** Whether regions are counted per identity. */
    boolean countsRegions() {
        return regionsMax > 0 || regionBytesMax > 0;
    }

    /** Counts a new handshake; returns why it is refused, or an empty text. */
    String beginHandshake(InetAddress source, long nowNs) {
        SourceNetwork network = SourceNetwork.of(source);
        if (!sourceRate.tryCount(network, nowNs)) {
            return "too many handshakes from this address: source=" + source.getHostAddress()
                    + ", source.handshake-rate=" + sourceRate.max() + " a second; connect less often";
        }
        synchronized (holdings) {
            return shortageOfConnections(source, network);
        }
    }

    /** Why an address may not open another connection, or an empty text. */
    private String shortageOfConnections(InetAddress source, SourceNetwork network) {
        return sourceConnectionsMax == 0 || connections(network) < sourceConnectionsMax
                ? ""
                : "too many connections from this address: source=" + source.getHostAddress()
                        + ", source.connections-max=" + sourceConnectionsMax + "; close some";
    }

    /** Counts a connection; returns why it is refused, or an empty text. */
    String connect(PeerIdentity peer, InetAddress source, long nowNs) {
        if (isCounted(peer) && !identityRate.tryCount(peer, nowNs)) {
            return "too many handshakes of this identity: identity=" + peer + ", identity.handshake-rate="
                    + identityRate.max() + " a second; connect less often";
        }
        synchronized (holdings) {
            SourceNetwork network = SourceNetwork.of(source);
            // Others of that address may have been admitted since this handshake began.
            String shortage = shortageOfConnections(source, network);
            if (!shortage.isEmpty()) {
                return shortage;
            }
            if (identityConnectionsMax > 0 && isCounted(peer) && connections(peer) >= identityConnectionsMax) {
                return "too many connections of this identity: identity=" + peer + ", identity.connections-max="
                        + identityConnectionsMax + "; close some";
            }
            holding(network).connections++;
            holding(peer).connections++;
            return "";
        }
    }

    /** Uncounts a connection. */
    void disconnect(PeerIdentity peer, InetAddress source) {
        synchronized (holdings) {
            SourceNetwork network = SourceNetwork.of(source);
            holding(network).connections--;
            forgetIfEmpty(network);
            holding(peer).connections--;
            forgetIfEmpty(peer);
        }
    }

    /** Counts a region of a peer; returns why it is refused, or an empty text. */
    String takeRegion(PeerIdentity peer, long length) {
        if (!countsRegions() || !isCounted(peer)) {
            return "";
        }
        synchronized (holdings) {
            String shortage = regionShortage(peer, length);
            if (shortage.isEmpty()) {
                Holding held = holding(peer);
                held.regions++;
                held.regionBytes += length;
            }
            return shortage;
        }
    }

    /** Why a peer may not use a further region, or an empty text. */
    String regionShortage(PeerIdentity peer, long length) {
        synchronized (holdings) {
            Holding held = holdings.get(peer);
            if (regionsMax > 0 && held != null && held.regions >= regionsMax) {
                return "identity.regions-max=" + regionsMax;
            }
            if (regionBytesMax > 0 && length > regionBytesMax - (held == null ? 0 : held.regionBytes)) {
                return "identity.region-bytes-max=" + regionBytesMax + " bytes";
            }
            return "";
        }
    }

    /** Uncounts regions of a peer. */
    void returnRegion(PeerIdentity peer, long length) {
        if (!countsRegions() || !isCounted(peer)) {
            return;
        }
        synchronized (holdings) {
            Holding held = holding(peer);
            held.regions--;
            held.regionBytes -= length;
            forgetIfEmpty(peer);
        }
    }

    private static boolean isCounted(PeerIdentity peer) {
        return !peer.equals(PeerIdentity.ANONYMOUS);
    }

    private int connections(Object of) {
        Holding held = holdings.get(of);
        return held == null ? 0 : held.connections;
    }

    private Holding holding(Object of) {
        return holdings.computeIfAbsent(of, _ -> new Holding());
    }

    private void forgetIfEmpty(Object of) {
        Holding held = holdings.get(of);
        if (held != null && held.isEmpty()) {
            holdings.remove(of);
        }
    }
}
