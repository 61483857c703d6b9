package io.fairlead.testkit.loopback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.fairlead.AccessRight;
import io.fairlead.Endpoint;
import io.fairlead.RemoteKey;
import io.fairlead.testkit.contract.End;
import io.fairlead.testkit.contract.Pair;
import io.fairlead.testkit.contract.Pattern;
import io.fairlead.testkit.contract.TransportContract;
import io.fairlead.testkit.contract.TransportUnderTest;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What no other transport has: the bound on frames that wait for a worker, here as tight as it gets. */
class LoopbackInboxTest extends TransportContract {
    @Override
    protected TransportUnderTest transport() {
        return new LoopbackUnderTest();
    }

    @Test
    void shouldAnswerBackPressureWhenTheInboxIsFull() {
        configure(LoopbackProvider.INBOX_MAX, 4);
        Pair pair = connect();
        End client = pair.client();
        MemorySegment message = pattern(8, 1);
        for (int i = 0; i < 4; i++) {
            client.send(message, i);
        }
        assertEquals(Endpoint.BACK_PRESSURE, client.endpoint().send(message, 0, 8, 4, client.recorder(), 0));
        server().progress();
        client.send(message, 4);
        for (int i = 0; i < 5; i++) {
            completeOk(pair.server(), pair.server().receive(buffer(8), i));
        }
    }

    @Test
    void shouldKeepSignalsInOrderBehindAFullInbox() {
        configure(LoopbackProvider.INBOX_MAX, 1);
        Pair pair = connect();
        End client = pair.client();
        RemoteKey key = client.unpack(server().context().allocate(64, EnumSet.allOf(AccessRight.class)));
        MemorySegment word = buffer(8);
        long last = 0;
        for (int signal = 0; signal < 100; signal++) {
            last = client.endpoint().putSignal(word, signal, key, 0, client.recorder());
            client.posted(last);
        }
        client().progress();
        assertFalse(client().recorder().has(last), "the inbox holds one frame, and the put has left");
        progressUntil(() -> server().events().signals(pair.server().endpoint()).size() == 100, "the signals to arrive");
        List<Long> signals = server().events().signals(pair.server().endpoint());
        for (int i = 0; i < 100; i++) {
            assertEquals(i, signals.get(i));
        }
    }

    @Test
    void shouldMoveLongMessagesBothWaysThroughInboxesOfOneFrame() {
        configure(LoopbackProvider.INBOX_MAX, 1);
        Pair pair = connect();
        long length = 3 << 20;
        MemorySegment atServer = buffer(length);
        MemorySegment atClient = buffer(length);
        long there = pair.server().receive(atServer, 1);
        long back = pair.client().receive(atClient, 1);
        long sentThere = pair.client().send(pattern(length, 1), 1);
        long sentBack = pair.server().send(pattern(length, 2), 1);
        assertFalse(client().recorder().has(sentThere));
        completeOk(pair.server(), there);
        completeOk(pair.client(), back);
        completeOk(pair.client(), sentThere);
        completeOk(pair.server(), sentBack);
        Pattern.verify(atServer, 0, length, 1);
        Pattern.verify(atClient, 0, length, 2);
    }
}
