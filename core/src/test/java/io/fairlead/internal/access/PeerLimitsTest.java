package io.fairlead.internal.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.PeerIdentity;
import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

class PeerLimitsTest {
    private static final long SECOND_NS = 1_000_000_000;
    private static final PeerIdentity FEED = PeerIdentity.named("CN=feed");
    private static final PeerIdentity CACHE = PeerIdentity.named("CN=cache");
    private static final InetAddress HERE = InetAddress.ofLiteral("10.0.0.1");
    private static final InetAddress THERE = InetAddress.ofLiteral("10.0.0.2");

    private static PeerLimits limits(ConfigKey<Integer> key, int value) {
        return new PeerLimits(FairleadConfig.defaults().with(key, value));
    }

    @Test
    void shouldCountConnectionsOfAnIdentityWhereverTheyComeFrom() {
        PeerLimits limits = limits(ConfigKeys.IDENTITY_CONNECTIONS_MAX, 2);

        assertEquals("", limits.connect(FEED, HERE, 0));
        assertEquals("", limits.connect(FEED, THERE, 0));
        assertEquals(
                "too many connections of this identity: identity=CN=feed, identity.connections-max=2; close some",
                limits.connect(FEED, THERE, 0));
        assertEquals("", limits.connect(CACHE, THERE, 0));
        limits.disconnect(FEED, HERE);
        assertEquals("", limits.connect(FEED, THERE, 0));
    }

    @Test
    void shouldNotCountPeersByAnIdentityThatNobodyAskedFor() {
        PeerLimits limits = limits(ConfigKeys.IDENTITY_CONNECTIONS_MAX, 1);

        assertEquals("", limits.connect(PeerIdentity.ANONYMOUS, HERE, 0));
        assertEquals("", limits.connect(PeerIdentity.ANONYMOUS, HERE, 0));
        assertEquals("", limits.connect(PeerIdentity.SHARED_SECRET, HERE, 0));
        assertFalse(limits.connect(PeerIdentity.SHARED_SECRET, HERE, 0).isEmpty());
    }

    @Test
    void shouldCountConnectionsOfAnAddressWhoeverTheyAre() {
        PeerLimits limits = limits(ConfigKeys.SOURCE_CONNECTIONS_MAX, 1);

        assertEquals("", limits.connect(FEED, HERE, 0));
        assertEquals(
                "too many connections from this address: source=10.0.0.1, source.connections-max=1; close some",
                limits.connect(CACHE, HERE, 0));
        assertEquals("", limits.connect(CACHE, THERE, 0));
    }

    @Test
    void shouldRefuseHandshakesOfAnAddressThatHasAllItsConnections() {
        PeerLimits limits = limits(ConfigKeys.SOURCE_CONNECTIONS_MAX, 1);

        assertEquals("", limits.beginHandshake(HERE, 0));
        assertEquals("", limits.connect(FEED, HERE, 0));
        assertEquals(
                "too many connections from this address: source=10.0.0.1, source.connections-max=1; close some",
                limits.beginHandshake(HERE, 0));
        assertEquals("", limits.beginHandshake(THERE, 0));
        limits.disconnect(FEED, HERE);
        assertEquals("", limits.beginHandshake(HERE, 0));
    }

    @Test
    void shouldTakeANetworkOfIpv6ForOneSource() {
        PeerLimits limits = limits(ConfigKeys.SOURCE_CONNECTIONS_MAX, 1);

        assertEquals("", limits.connect(FEED, InetAddress.ofLiteral("2001:db8::1"), 0));
        assertFalse(limits.connect(FEED, InetAddress.ofLiteral("2001:db8::ffff:1"), 0)
                .isEmpty());
        assertEquals("", limits.connect(FEED, InetAddress.ofLiteral("2001:db8:0:1::1"), 0));
    }

    @Test
    void shouldCountHandshakesOfASecond() {
        PeerLimits limits = limits(ConfigKeys.SOURCE_HANDSHAKE_RATE, 2);

        assertEquals("", limits.beginHandshake(HERE, 5));
        assertEquals("", limits.beginHandshake(HERE, 6));
        assertEquals(
                "too many handshakes from this address: source=10.0.0.1, source.handshake-rate=2 a second; connect less often",
                limits.beginHandshake(HERE, 4 + SECOND_NS));
        assertEquals("", limits.beginHandshake(THERE, 4 + SECOND_NS));
        assertEquals("", limits.beginHandshake(HERE, 5 + SECOND_NS));
    }

    @Test
    void shouldNotTakeAPlaceForAHandshakeTooMany() {
        PeerLimits limits = new PeerLimits(FairleadConfig.defaults()
                .with(ConfigKeys.IDENTITY_HANDSHAKE_RATE, 1)
                .with(ConfigKeys.IDENTITY_CONNECTIONS_MAX, 2));

        assertEquals("", limits.connect(FEED, HERE, 0));
        assertTrue(limits.connect(FEED, HERE, 1).contains("identity.handshake-rate=1"));
        assertEquals("", limits.connect(FEED, HERE, SECOND_NS));
        assertTrue(limits.connect(FEED, HERE, 2 * SECOND_NS).contains("identity.connections-max=2"));
    }

    @Test
    void shouldCountRegionsAndTheirBytes() {
        PeerLimits limits = new PeerLimits(FairleadConfig.defaults()
                .with(ConfigKeys.IDENTITY_REGIONS_MAX, 2)
                .with(ConfigKeys.IDENTITY_REGION_BYTES_MAX, 100L));

        assertEquals("identity.region-bytes-max=100 bytes", limits.takeRegion(FEED, 101));
        assertEquals("", limits.takeRegion(FEED, 60));
        assertEquals("identity.region-bytes-max=100 bytes", limits.takeRegion(FEED, 41));
        assertEquals("", limits.takeRegion(FEED, 40));
        assertEquals("identity.regions-max=2", limits.takeRegion(FEED, 1));
        assertEquals("identity.regions-max=2", limits.regionShortage(FEED, 1));
        assertEquals("", limits.takeRegion(CACHE, 100));
        limits.returnRegion(FEED, 60);
        assertEquals("", limits.regionShortage(FEED, 60));
        assertEquals("identity.region-bytes-max=100 bytes", limits.regionShortage(FEED, 61));
        assertEquals("", limits.takeRegion(FEED, 60));
    }

    @Test
    void shouldLimitNothingByDefault() {
        PeerLimits limits = new PeerLimits(FairleadConfig.defaults());

        for (int i = 0; i < 1000; i++) {
            assertEquals("", limits.beginHandshake(HERE, 0));
            assertEquals("", limits.connect(FEED, HERE, 0));
            assertEquals("", limits.takeRegion(FEED, 1L << 40));
        }
        assertFalse(limits.countsRegions());
    }
}
