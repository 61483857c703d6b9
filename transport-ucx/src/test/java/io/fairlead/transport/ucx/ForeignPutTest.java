package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRemoteKey;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

/**
 * A process that speaks UCX itself and puts where it likes: without a memory domain in the key UCX sends the bytes and the address along, and a UCX
 * that knows such puts writes them wherever that is.
 */
@Timeout(60)
final class ForeignPutTest {
    private static final long CANARY = 0x5A5A_5A5A_5A5A_5A5AL;
    private static final int TURNS = 200_000;

    @Test
    void shouldTakeNoPutOfUcxItself() throws Exception {
        assumeTrue(
                new UcxProvider().availability().available(),
                () -> new UcxProvider().availability().toString());
        UcxUnderTest transport = new UcxUnderTest();
        assumeFalse(transport.lanes().startsWith("rc"), "where a card accesses memory UCX takes such puts");
        UcpParams params = new UcpParams()
                .requestTagFeature()
                .requestRmaFeature()
                .setConfig("MM_ERROR_HANDLING", "y")
                .setConfig("TLS", transport.lanes())
                .setConfig("LOG_LEVEL", "fatal");
        try (Arena arena = Arena.ofConfined();
                RawNode victim = new RawNode();
                UcpContext context = new UcpContext(params);
                UcpWorker worker = context.newWorker(new UcpWorkerParams())) {
            UcpEndpoint endpoint = worker.newEndpoint(new UcpEndpointParams()
                    .setPeerErrorHandlingMode()
                    .setUcpAddress(direct(victim.address().address())));
            MemorySegment memory = arena.allocate(ValueLayout.JAVA_LONG);
            memory.set(ValueLayout.JAVA_LONG, 0, CANARY);
            UcpRemoteKey key = endpoint.unpackRemoteKey(ByteBuffer.allocateDirect(64));
            ByteBuffer source = ByteBuffer.allocateDirect(Long.BYTES);
            endpoint.putNonBlocking(source, memory.address(), key, new UcxCallback());
            for (int turn = 0; turn < TURNS && memory.get(ValueLayout.JAVA_LONG, 0) == CANARY; turn++) {
                int events = worker.progress() + victim.worker.progress();
                assertTrue(events >= 0);
            }
            assertEquals(CANARY, memory.get(ValueLayout.JAVA_LONG, 0));
            key.close();
            // Otherwise it waits for an end of the put, which nobody tells.
            endpoint.closeNonBlockingForce();
        }
    }

    private static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }
}
