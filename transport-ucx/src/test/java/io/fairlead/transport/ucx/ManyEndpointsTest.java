package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.Completion;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** More endpoints on a worker than it looks at in every turn. */
@Timeout(60)
final class ManyEndpointsTest {
    private static final int ENDPOINTS = 80;
    private static final int MESSAGES = 5_000;

    private final List<Long> arrived = new ArrayList<>();
    private int closed;

    @Test
    void shouldBringWhatComesByQuietEndpointsToo() {
        assumeTrue(
                new UcxProvider().availability().available(),
                () -> new UcxProvider().availability().toString());
        FairleadConfig config =
                new UcxUnderTest().configure(FairleadConfig.defaults().with(ConfigKeys.TRANSPORTS, "ucx"));
        // The memory goes last, whatever fails: UCX writes where a receive was posted.
        try (Arena arena = Arena.ofConfined();
                Context here = Context.open(config);
                Context there = Context.open(config);
                Worker server = here.newWorker();
                Worker client = there.newWorker()) {
            Listener listener =
                    server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), new EndpointHandler() {
                        @Override
                        public void closed(Endpoint endpoint) {
                            closed++;
                        }
                    });
            List<Endpoint> endpoints = new ArrayList<>();
            for (int i = 0; i < ENDPOINTS; i++) {
                Endpoint endpoint = client.connect(listener.address(), EndpointHandler.NONE);
                while (endpoint.state() == EndpointState.CONNECTING) {
                    server.progress();
                    client.progress();
                }
                endpoints.add(endpoint);
            }
            assertEquals("ucx", endpoints.getFirst().path().orElseThrow().transport());
            MemorySegment incoming = arena.allocate(Long.BYTES);
            MemorySegment outgoing = arena.allocate(Long.BYTES);
            Random random = new Random(1);
            for (long i = 0; i < MESSAGES; i++) {
                // A few speak often, the others now and then.
                int who = random.nextInt(4) > 0 ? random.nextInt(4) : random.nextInt(ENDPOINTS);
                receive(server, incoming);
                outgoing.set(ValueLayout.JAVA_LONG, 0, i);
                assertTrue(endpoints.get(who).send(outgoing, 0, Long.BYTES, 1, Completion.IGNORE, 0) > 0);
                while (arrived.size() <= i) {
                    client.progress();
                    server.progress();
                }
                assertEquals(i, arrived.getLast());
            }
            // What was sent right before a goodbye is not lost with it, however quiet the endpoint was.
            for (Endpoint endpoint : endpoints) {
                receive(server, incoming);
                assertTrue(endpoint.send(outgoing, 0, Long.BYTES, 1, Completion.IGNORE, 0) > 0);
                endpoint.startClose();
            }
            while (closed < ENDPOINTS || arrived.size() < MESSAGES + ENDPOINTS) {
                client.progress();
                server.progress();
            }
        }
    }

    private void receive(Worker worker, MemorySegment room) {
        long request = worker.receive(
                room,
                0,
                Long.BYTES,
                1,
                Worker.FULL_TAG_MASK,
                ended -> arrived.add(room.get(ValueLayout.JAVA_LONG, 0)),
                0);
        assertTrue(request > 0);
    }
}
