package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.AccessRight;
import io.fairlead.Authorizer;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.MemoryRegion;
import io.fairlead.PeerIdentity;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.AtomicOperation;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a peer may do to regions by the owner's {@link Authorizer}. A transport whose memory a peer reaches without the owner gets no key that anybody may hold: where one of these cases has
 * none, nothing of the region can be reached, which is what it is about.
 */
public class RegionAccessContract extends RemoteMemoryCases {
    private static final int LENGTH = 64;

    /** Gives the rights that a label names. */
    private static final class ByLabel implements Authorizer {
        private int asked;

        @Override
        public Verdict connect(PeerIdentity peer, InetSocketAddress source) {
            return Verdict.ALLOWED;
        }

        @Override
        public Set<AccessRight> region(PeerIdentity peer, String label) {
            asked++;
            return switch (label) {
                case "all" -> ALL_RIGHTS;
                case "read" -> Set.of(AccessRight.READ);
                case "thrown" -> throw new IllegalStateException("thrown by a case on purpose");
                default -> Set.of();
            };
        }
    }

    private final ByLabel authorizer = new ByLabel();

    @TempDir
    private Path folder;

    /** Creates the suite. */
    protected RegionAccessContract() {}

    @BeforeEach
    final void openServer() {
        authorize(authorizer);
        server();
        authorize(Authorizer.ALL);
    }

    @Test
    @Semantics("A-11")
    void shouldDoWhatThePeerMayAndRefuseTheRest() {
        Pair pair = connect();
        MemoryRegion region = server().context().allocate(LENGTH, ALL_RIGHTS, "read");
        region.segment().fill(UNTOUCHED);
        Optional<RemoteKey> key = unpack(pair, region);
        if (key.isEmpty()) {
            return;
        }
        assertEquals(UNTOUCHED, got(pair.client(), key.get(), 0, 8).get(ValueLayout.JAVA_BYTE, 0));

        complete(pair.client(), pair.client().put(buffer(8), key.get(), 0));

        assertEquals(Status.REVOKED, flushed(pair.client()));
        assertUntouched(region);
        assertEquals(UNTOUCHED, got(pair.client(), key.get(), 0, 8).get(ValueLayout.JAVA_BYTE, 0));
        assertEquals(EndpointState.CONNECTED, pair.client().endpoint().state());
        assertEquals(EndpointState.CONNECTED, pair.server().endpoint().state());
    }

    @Test
    @Semantics("A-12")
    void shouldShowNothingOfARegionThatThePeerMayNotReach() {
        Pair pair = connect();
        for (String label : new String[] {"", "other", "thrown"}) {
            MemoryRegion region = server().context().allocate(LENGTH, ALL_RIGHTS, label);
            region.segment().fill(UNTOUCHED);
            Optional<RemoteKey> key = unpack(pair, region);
            if (key.isEmpty()) {
                continue;
            }
            long get = pair.client().get(buffer(8), key.get(), 0);
            assertEquals(Status.REVOKED, complete(pair.client(), get).status(), label);
            complete(pair.client(), pair.client().put(buffer(8), key.get(), 0));
            assertEquals(Status.REVOKED, flushed(pair.client()), label);
            assertUntouched(region);
        }
        assertEquals(EndpointState.CONNECTED, pair.client().endpoint().state());
    }

    @Test
    @Semantics("A-13")
    void shouldAskOnceForEachEndpointAndRegion() {
        Pair pair = connect();
        MemoryRegion region = server().context().allocate(LENGTH, ALL_RIGHTS, "all");
        Optional<RemoteKey> key = unpack(pair, region);
        if (key.isEmpty()) {
            return;
        }
        for (int i = 0; i < 10; i++) {
            got(pair.client(), key.get(), 0, 8);
            completeOk(pair.client(), pair.client().put(buffer(8), key.get(), 0));
            flush(pair.client());
        }

        assertEquals(1, authorizer.asked);
        Pair second = connect();
        got(second.client(), unpack(second, region).orElseThrow(), 0, 8);
        assertEquals(2, authorizer.asked);
    }

    @Test
    @Semantics("A-14")
    void shouldGiveAKeyToThePeerOfOneEndpointAlone() {
        Pair pair = connect();
        Pair other = connect();
        MemoryRegion region = server().context().allocate(LENGTH, ALL_RIGHTS, "all");
        byte[] packed = region.packedKey(pair.server().endpoint());

        FairleadException stolen = assertThrows(
                FairleadException.class, () -> other.client().endpoint().unpack(packed));

        assertEquals(Reason.STALE_KEY, stolen.reason());
        packed[packed.length - 1] ^= 1;
        assertThrows(FairleadException.class, () -> pair.client().endpoint().unpack(packed));
        packed[packed.length - 1] ^= 1;
        RemoteKey key = pair.client().endpoint().unpack(packed);
        assertEquals(ALL_RIGHTS, key.rights());
        completeOk(pair.client(), pair.client().put(buffer(8).fill(UNTOUCHED), key, 8));
        flush(pair.client());
        assertEquals(UNTOUCHED, got(pair.client(), key, 8, 8).get(ValueLayout.JAVA_BYTE, 7));
        region.close();
        awaitRevocation(key);
    }

    @Test
    @Semantics("A-14")
    void shouldGiveAKeyOfTheConnectorsRegionToTheListener() {
        Pair pair = connect();
        MemoryRegion region = client().context().allocate(LENGTH, ALL_RIGHTS);
        region.segment().fill(UNTOUCHED);

        byte[] packed = region.packedKey(pair.client().endpoint());

        RemoteKey key = pair.server().endpoint().unpack(packed);
        assertEquals(UNTOUCHED, got(pair.server(), key, 0, 8).get(ValueLayout.JAVA_BYTE, 0));
        assertThrows(FairleadException.class, () -> pair.client().endpoint().unpack(packed));
    }

    @Test
    @Semantics("A-15")
    void shouldPutNoMoreIntoABoundKeyThanThePeerMay() {
        Pair pair = connect();
        Endpoint toPeer = pair.server().endpoint();
        MemoryRegion hidden = server().context().allocate(LENGTH, ALL_RIGHTS, "other");
        assertEquals(
                Reason.REFUSED,
                assertThrows(FairleadException.class, () -> hidden.packedKey(toPeer))
                        .reason());
        MemoryRegion readable = server().context().allocate(LENGTH, ALL_RIGHTS, "read");
        byte[] packed;
        try {
            packed = readable.packedKey(toPeer);
        } catch (FairleadException unchecked) {
            assertEquals(Reason.UNSUPPORTED, unchecked.reason(), unchecked::getMessage);
            return;
        }

        RemoteKey key = pair.client().endpoint().unpack(packed);

        assertEquals(Set.of(AccessRight.READ), key.rights());
        got(pair.client(), key, 0, 8);
        assertThrows(IllegalArgumentException.class, () -> pair.client().put(buffer(8), key, 0));
    }

    @Test
    @Semantics("A-16")
    void shouldPackKeysForEndpointsOfTheRegionsContextAlone() {
        Pair pair = connect();
        MemoryRegion region = server().context().allocate(LENGTH, ALL_RIGHTS, "all");

        assertThrows(
                IllegalArgumentException.class,
                () -> region.packedKey(pair.client().endpoint()));
        region.close();
        assertEquals(
                Reason.REVOKED,
                assertThrows(
                                FairleadException.class,
                                () -> region.packedKey(pair.server().endpoint()))
                        .reason());
    }

    @Test
    @Semantics("A-18")
    void shouldWithdrawWhatABoundKeyAllowsWhenOtherRulesAreInForce() throws IOException {
        Path file = folder.resolve("acl.conf");
        change(file, "[read, write, atomic]");
        configure(ConfigKeys.SECURITY_ACL, file.toString());
        configure(ConfigKeys.SECURITY_ACL_INTERVAL, Duration.ofMillis(10));
        Side owner = newSide("owner");
        configure(ConfigKeys.SECURITY_ACL, "");
        Pair pair = connect(newSide("user"), owner);
        MemoryRegion region = owner.context().allocate(LENGTH, ALL_RIGHTS, "cache/1");
        byte[] packed = region.packedKey(pair.server().endpoint());
        RemoteKey used = pair.client().endpoint().unpack(packed);
        assertEquals(Status.OK, putAndFlush(pair, used));

        change(file, "[read]");

        progressUntil(() -> hasEnded(pair) || putAndFlush(pair, used) == Status.REVOKED, "the right to write to end");
        if (hasEnded(pair)) {
            // The peer reaches the memory without its owner, who can do no more than hang up.
            assertEquals(
                    Reason.REFUSED,
                    pair.server().endpoint().failure().orElseThrow().reason());
            return;
        }
        region.segment().fill(UNTOUCHED);
        RemoteKey late = pair.client().endpoint().unpack(packed);
        for (RemoteKey key : List.of(used, late)) {
            assertEquals(Optional.empty(), key.mapped());
            assertEquals(Status.REVOKED, putAndFlush(pair, key));
            assertEquals(Status.REVOKED, addAndWait(pair, key));
            assertEquals(UNTOUCHED, got(pair.client(), key, 0, 8).get(ValueLayout.JAVA_BYTE, 0));
        }
        assertUntouched(region);
        change(file, "[]");
        progressUntil(() -> getAndWait(pair, used) == Status.REVOKED, "the right to read to end");
        assertEquals(Status.REVOKED, getAndWait(pair, late));
        change(file, "[read, write, atomic]");
        progressUntil(() -> putAndFlush(pair, used) == Status.OK, "the right to write to come back");
        RemoteKey again =
                pair.client().endpoint().unpack(region.packedKey(pair.server().endpoint()));
        assertEquals(Status.OK, putAndFlush(pair, again));
        assertEquals(EndpointState.CONNECTED, pair.client().endpoint().state());
        assertEquals(EndpointState.CONNECTED, pair.server().endpoint().state());
    }

    private static boolean hasEnded(Pair pair) {
        return pair.client().endpoint().state() != EndpointState.CONNECTED;
    }

    private Status putAndFlush(Pair pair, RemoteKey key) {
        complete(pair.client(), pair.client().put(buffer(8), key, 0));
        return flushed(pair.client());
    }

    private Status addAndWait(Pair pair, RemoteKey key) {
        long add = pair.client().atomic(AtomicOperation.ADD, 1, 0, key, 0);
        return complete(pair.client(), add).status();
    }

    private Status getAndWait(Pair pair, RemoteKey key) {
        return complete(pair.client(), pair.client().get(buffer(8), key, 0)).status();
    }

    /** Replaces the rules by a rename, as an administrator should. */
    private static void change(Path file, String rights) throws IOException {
        Path next = Files.writeString(
                file.resolveSibling("acl.next"),
                "rules = [ { identity = \"*\", connect = true, messages = true, regions = [ { label = \"cache/*\", rights = "
                        + rights + " } ] } ]");
        Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    /** The key at the client; empty where the transport is given none that anybody may hold. */
    private static Optional<RemoteKey> unpack(Pair pair, MemoryRegion region) {
        try {
            return Optional.of(pair.client().endpoint().unpack(region.packedKey()));
        } catch (FairleadException none) {
            assertEquals(Reason.UNSUPPORTED, none.reason(), none::getMessage);
            return Optional.empty();
        }
    }

    private static void assertUntouched(MemoryRegion region) {
        for (long i = 0; i < LENGTH; i++) {
            assertEquals(UNTOUCHED, region.segment().get(ValueLayout.JAVA_BYTE, i));
        }
    }

    @Test
    @Semantics("A-17")
    void shouldLetAnIdentityReachNoMoreRegionsAtOnceThanItMay() throws IOException {
        assumeTrue(SecuredTransport.isAvailable(), "fairlead-security is not on the path");
        CertificateFolder keys = new CertificateFolder(folder);
        FairleadConfig base = config();
        reconfigure(keys.certified(
                base.with(ConfigKeys.IDENTITY_REGIONS_MAX, 1),
                "owner",
                "owner.example.org",
                "spiffe://example.org/owner"));
        Side owner = newSide("owner");
        reconfigure(keys.certified(base, "user", "user.example.org", "spiffe://example.org/user"));
        Pair pair = connect(newSide("user"), owner);
        MemoryRegion first = owner.context().allocate(LENGTH, ALL_RIGHTS, "first");
        MemoryRegion second = owner.context().allocate(LENGTH, ALL_RIGHTS, "second");
        pair.client().endpoint().unpack(first.packedKey(pair.server().endpoint()));

        assertFalse(packs(second, pair.server()));
        Optional<RemoteKey> unbound = unpack(pair, second);
        if (unbound.isPresent()) {
            long refused = pair.client().get(buffer(8), unbound.get(), 0);
            assertEquals(Status.REVOKED, complete(pair.client(), refused).status());
        }

        first.close();
        progressUntil(() -> packs(second, pair.server()), "a place for the second region");
        RemoteKey bound =
                pair.client().endpoint().unpack(second.packedKey(pair.server().endpoint()));
        got(pair.client(), bound, 0, 8);
        unbound.ifPresent(key -> got(pair.client(), key, 0, 8));
    }

    private static boolean packs(MemoryRegion region, End owner) {
        try {
            region.packedKey(owner.endpoint());
            return true;
        } catch (FairleadException refused) {
            assertEquals(Reason.REFUSED, refused.reason());
            return false;
        }
    }
}
