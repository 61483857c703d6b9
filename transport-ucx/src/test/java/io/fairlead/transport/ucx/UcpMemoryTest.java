package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpParams;

/** Mappings come and go on any host; that a network card refuses what was unmapped, {@code fairlead roce-test --suite faults} shows. */
@Timeout(60)
final class UcpMemoryTest {
    @Test
    void shouldMapTheSameMemoryAgainAndTwiceAtOnce() {
        assumeTrue(
                new UcxProvider().availability().available(),
                () -> new UcxProvider().availability().toString());
        UcpContext context = new UcpContext(new UcpParams().requestRmaFeature().setConfig("TLS", "posix,self"));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(1 << 16, 4096).fill((byte) 1);
            for (int i = 0; i < 3; i++) {
                UcpMemory whole = UcpMemory.wrap(context.getNativeId(), memory);
                UcpMemory part = UcpMemory.wrap(context.getNativeId(), memory.asSlice(4096, 100));
                assertTrue(whole.packedKey().length > 0);
                whole.unmap();
                assertTrue(part.packedKey().length > 0);
                part.unmap();
            }
        } finally {
            context.close();
        }
    }
}
