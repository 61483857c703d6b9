package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.ConfigKeys;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.Worker;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a close waits for, and what it brings to the peer. */
public abstract class GracefulCloseContract extends TransportContract {
    private static final int LONG_MESSAGE = 1 << 20;

    /** Creates the suite. */
    protected GracefulCloseContract() {}

    @Test
    @Semantics("F-18")
    void shouldDeliverWhatWasSentBeforeAClose() {
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(60));
        PeerThread peer = newPeerThread("receiver");
        End client = connect(peer);
        int count = 200;
        MemorySegment source = pattern(1024L * count, 4);
        MemorySegment target = buffer(1024L * count);
        int sent = 0;
        while (sent < count) {
            MemorySegment message = source.asSlice(1024L * sent, 1024);
            long posted = client.endpoint().send(message, 0, 1024, sent, client.recorder(), 0);
            if (posted == Status.BACK_PRESSURE.code()) {
                client.side().progress();
            } else {
                client.posted(posted);
                sent++;
            }
        }
        client.endpoint().close();
        progressUntil(() -> peer.call(side -> side.events().count(Event.Kind.CLOSED)) == 1, "the goodbye to arrive");
        List<Long> ids = peer.call(side -> {
            List<Long> received = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                received.add(side.receive(target.asSlice(1024L * i, 1024), i, Worker.FULL_TAG_MASK));
            }
            return received;
        });
        progressUntil(
                () -> peer.call(
                        side -> ids.stream().allMatch(id -> side.recorder().has(id))),
                "all to be received");
        Pattern.verify(target, 0, 1024L * count, 4);
    }

    @Test
    @Semantics("F-19")
    void shouldFinishALongMessageBeforeAClose() {
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(60));
        PeerThread peer = newPeerThread("receiver");
        End client = connect(peer);
        MemorySegment target = buffer(16L * LONG_MESSAGE);
        long received = peer.call(side -> side.receive(target, 1, Worker.FULL_TAG_MASK));
        long sent = client.send(pattern(16L * LONG_MESSAGE, 6), 1);
        client.endpoint().close();
        assertEquals(Status.OK, client.recorder().outcome(sent).status());
        progressUntil(() -> peer.call(side -> side.recorder().has(received)), "the message to be received");
        assertEquals(
                Status.OK, peer.call(side -> side.recorder().outcome(received)).status());
        Pattern.verify(target, 0, target.byteSize(), 6);
    }

    @Test
    @Semantics("F-21")
    void shouldDeliverSignalsBeforeTheEnd() {
        requires(Capability.PUT_SIGNAL);
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(60));
        PeerThread peer = newPeerThread("signalled");
        End client = connect(peer);
        byte[] packed = peer.call(side ->
                side.context().allocate(64, EnumSet.allOf(AccessRight.class)).packedKey());
        RemoteKey key = client.endpoint().unpack(packed);
        for (int i = 1; i <= 10; i++) {
            client.putSignal(pattern(8, i), key, 0, i);
        }
        client.endpoint().close();
        progressUntil(() -> peer.call(side -> side.events().count(Event.Kind.CLOSED)) == 1, "the goodbye to arrive");
        List<Long> signals =
                peer.call(side -> side.events().signals(side.events().lastConnected()));
        assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L), signals);
    }
}
