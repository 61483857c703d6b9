package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.testkit.internal.RawHost;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Wire-up messages that were overheard, sent back, changed or made up. UCX takes messages from whoever reaches a worker, so that each is dropped and none fails an
 * endpoint: neither one that is connected, nor one that is about to be.
 */
@Timeout(60)
final class HostileWireUpTest {
    private static final int TURNS = 2000;
    private static final int[] WIRE_UPS = {
        TransportMessage.WIRE_UP_REQUEST, TransportMessage.WIRE_UP_REPLY, TransportMessage.WIRE_UP_ACKNOWLEDGEMENT
    };

    private final Arena arena = Arena.ofConfined();
    private final RawHost victimHost = new RawHost(3, 4, false);
    private final RawHost hostileHost = new RawHost(4, 3, true);
    private RawNode victim;
    private RawNode hostile;
    private UcxEndpoint victimEnd;
    private UcxEndpoint end;

    @BeforeEach
    void connect() {
        assumeTrue(
                new UcxProvider().availability().available(),
                () -> new UcxProvider().availability().toString());
        victim = new RawNode();
        hostile = RawNode.leading(victim);
        victimEnd = victim.connect(victimHost, hostile.worker.address());
        end = hostile.connect(hostileHost, victim.worker.address());
        victimEnd.begin();
        end.begin();
        progressUntil(() -> end.isReady() && victimEnd.isReady());
        assertTrue(end.isReady() && victimEnd.isReady());
    }

    @AfterEach
    void close() {
        if (victim != null) {
            end.close();
            victimEnd.close();
            progressUntil(() -> false);
            hostile.close();
            victim.close();
        }
        arena.close();
    }

    @Test
    void shouldDropARequestThatIsSaidAgain() {
        wireUp(TransportMessage.WIRE_UP_REQUEST, seal().own(TransportMessage.WIRE_UP_REQUEST, 0));
        assertDropped(1);
    }

    @Test
    void shouldDropAReplyFromTheSideThatLeads() {
        wireUp(TransportMessage.WIRE_UP_REPLY, seal().own(TransportMessage.WIRE_UP_REPLY, 0));
        assertDropped(1);
    }

    @Test
    void shouldDropAnAcknowledgementThatIsSaidAgain() {
        wireUp(TransportMessage.WIRE_UP_ACKNOWLEDGEMENT, seal().own(TransportMessage.WIRE_UP_ACKNOWLEDGEMENT, 0));
        assertDropped(1);
    }

    @Test
    void shouldDropWireUpsOfOtherConnections() {
        WireUpSeal later = new WireUpSeal(new RawHost(4, 3, true, 1), hostile.address(), victim.address(), 0);
        WireUpSeal ofOthers = new WireUpSeal(new RawHost(5, 3, true), hostile.address(), victim.address(), 0);
        WireUpSeal ofAnotherWorker = new WireUpSeal(hostileHost, victim.address(), victim.address(), 0);
        for (int kind : WIRE_UPS) {
            wireUp(kind, later.own(kind, 0));
            wireUp(kind, ofOthers.own(kind, 0));
            wireUp(kind, ofAnotherWorker.own(kind, 0));
        }
        assertDropped(9);
    }

    @Test
    void shouldDropWireUpsThatAreSentBack() {
        for (int kind : WIRE_UPS) {
            wireUp(kind, seal().peer(kind, 0));
        }
        assertDropped(3);
    }

    @Test
    void shouldDropWireUpsOfAnotherKindOrNumberThanWasSealed() {
        wireUp(TransportMessage.WIRE_UP_REQUEST, seal().own(TransportMessage.WIRE_UP_REQUEST, 1));
        wireUp(TransportMessage.WIRE_UP_REQUEST, seal().own(TransportMessage.WIRE_UP_REPLY, 0));
        wireUp(TransportMessage.WIRE_UP_ACKNOWLEDGEMENT, seal().own(TransportMessage.WIRE_UP_REPLY, 0));
        assertDropped(3);
    }

    @Test
    void shouldDropWireUpsWithAChangedBit() {
        byte[] seal = seal().own(TransportMessage.WIRE_UP_ACKNOWLEDGEMENT, 0);
        for (int bit = 0; bit < seal.length * 8; bit++) {
            byte[] flipped = seal.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            wireUp(TransportMessage.WIRE_UP_ACKNOWLEDGEMENT, flipped);
            progressUntil(() -> false);
        }
        assertDropped(seal.length * 8);
    }

    @Test
    void shouldDropWireUpsOfAWrongLength() {
        int count = 0;
        for (int kind : WIRE_UPS) {
            for (int length : new int[] {0, 1, 15, 17, 23, 25, TransportMessage.CAPACITY}) {
                TransportMessage message = end.channel().take();
                message.request(seal().own(kind, 0), 0);
                message.length = length;
                end.channel().send(message, kind);
                count++;
                progressUntil(() -> false);
            }
            MemorySegment big = arena.allocate(2L * TransportMessage.CAPACITY);
            hostile.send(end.state().handle(), big, big.byteSize(), TransportMessage.tag(kind, 3));
            count++;
        }
        assertDropped(count);
    }

    /** An endpoint whose wire-up is under way goes on with the one request that is its peer's. */
    @Test
    void shouldConnectWhateverElseIsSaidBefore() {
        RawHost secondHost = new RawHost(8, 9, false, 2);
        RawHost secondPeer = new RawHost(9, 8, true, 2);
        UcxEndpoint second = victim.connect(secondHost, hostile.worker.address());
        UcxEndpoint other = hostile.connect(secondPeer, victim.worker.address());
        WireUpSeal genuine = new WireUpSeal(secondPeer, hostile.address(), victim.address(), 0);
        second.begin();
        for (int kind : WIRE_UPS) {
            TransportMessage forged = end.channel().take();
            forged.request(seal().own(kind, 0), 0);
            forged.length = kind == TransportMessage.WIRE_UP_REQUEST ? forged.length : WireUpSeal.LENGTH;
            send(forged, kind, 8);
        }
        // What makes sense later makes none before there is an endpoint to answer by, although the peer has sealed it.
        for (int kind : new int[] {TransportMessage.WIRE_UP_REPLY, TransportMessage.WIRE_UP_ACKNOWLEDGEMENT}) {
            TransportMessage early = end.channel().take();
            early.seal(genuine.own(kind, 0));
            send(early, kind, 8);
        }
        progressUntil(() -> false);
        assertNull(secondHost.failure);
        assertEquals(5, second.state().dropped());
        other.begin();
        progressUntil(() -> second.isReady() && other.isReady());
        assertTrue(second.isReady() && other.isReady());
        assertNull(secondHost.failure);
        other.close();
        second.close();
    }

    /** Whoever sends one forged message can send millions: the log has a line for the first of a connection, and their number at its end. */
    @Test
    void shouldLogTheFirstDroppedMessageOfEachConnectionAlone() {
        UcxEndpoint second = victim.connect(new RawHost(8, 9, false, 2), hostile.worker.address());
        byte[] forged = new WireUpSeal(new RawHost(4, 3, true, 1), hostile.address(), victim.address(), 0)
                .own(TransportMessage.WIRE_UP_REPLY, 0);
        try (LogLines log = new LogLines(UcxEndpointState.class)) {
            for (int sent = 0; sent < 100; sent++) {
                wireUp(TransportMessage.WIRE_UP_REPLY, forged);
                progressUntil(() -> false);
            }
            assertDropped(100);
            assertEquals(List.of(firstDropped("#3")), log.lines());

            for (int sent = 0; sent < 3; sent++) {
                TransportMessage message = end.channel().take();
                message.seal(forged);
                send(message, TransportMessage.WIRE_UP_REPLY, 8);
            }
            assertEquals(3, second.state().dropped());
            assertEquals(List.of(firstDropped("#3"), firstDropped("#8")), log.lines());

            second.close();
            assertEquals(
                    List.of(
                            firstDropped("#3"),
                            firstDropped("#8"),
                            "WARN dropped wire-up messages: endpoint=#8 to raw, count=3"),
                    log.lines());
        }
    }

    private static String firstDropped(String endpoint) {
        return "WARN dropped a wire-up message that is forged or replayed: endpoint=" + endpoint + " to raw, kind="
                + TransportMessage.WIRE_UP_REPLY + ", length=" + WireUpSeal.LENGTH
                + " bytes; further ones are only counted";
    }

    /** One message of a connection that says no more is told at once, and not again. */
    @Test
    void shouldNotCountAtTheEndWhatTheLogHasToldAlready() {
        UcxEndpoint second = victim.connect(new RawHost(8, 9, false, 2), hostile.worker.address());
        try (LogLines log = new LogLines(UcxEndpointState.class)) {
            TransportMessage message = end.channel().take();
            message.seal(seal().own(TransportMessage.WIRE_UP_REPLY, 0));
            send(message, TransportMessage.WIRE_UP_REPLY, 8);
            second.close();
            assertEquals(List.of(firstDropped("#8")), log.lines());
        }
    }

    private void send(TransportMessage message, int kind, int endpoint) {
        hostile.send(end.state().handle(), message.memory, message.length, TransportMessage.tag(kind, endpoint));
        progressUntil(() -> false);
        end.channel().giveBack(message);
    }

    /** As an honest peer seals. */
    private WireUpSeal seal() {
        return new WireUpSeal(hostileHost, hostile.address(), victim.address(), 0);
    }

    private void wireUp(int kind, byte[] seal) {
        TransportMessage message = end.channel().take();
        if (kind == TransportMessage.WIRE_UP_REQUEST) {
            message.request(seal, 0);
        } else {
            message.seal(seal);
        }
        end.channel().send(message, kind);
    }

    /** The victim has dropped so many messages, and listens to its peer as before. */
    private void assertDropped(int count) {
        progressUntil(() -> false);
        assertNull(victimHost.failure);
        assertEquals(count, victimEnd.state().dropped());
        TransportMessage signal = end.channel().take();
        signal.signal(count);
        end.channel().send(signal, TransportMessage.SIGNAL);
        progressUntil(() -> !victimHost.signals.isEmpty());
        assertEquals(List.of((long) count), victimHost.signals);
        assertNull(victimHost.failure);
    }

    /** Both workers make progress until something has come true, or nothing more can be on its way. */
    private void progressUntil(BooleanSupplier condition) {
        int idle = 0;
        while (!condition.getAsBoolean() && idle < TURNS) {
            int events = hostile.worker.progress() + victim.worker.progress();
            idle = events > 0 ? 0 : idle + 1;
        }
    }
}
