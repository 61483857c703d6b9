package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Requests of served memory outside of what the peer was given, and answers that nobody has asked for. */
final class HostileRequestTest extends HostilePeerCases {
    private static final int ATOMIC = 3;
    private static final int DONE = 5;

    @Test
    void shouldServeAnHonestRequest() {
        request(PUT, REGION, SIZE - 8, 0, 8);
        progressUntil(() -> region.get(JAVA_BYTE, SIZE - 1) != CANARY);
        assertNull(victimHost.failure);
        assertEquals(CANARY, region.get(JAVA_BYTE, SIZE - 9));
        assertOutsideUntouched();
    }

    @Test
    void shouldRefuseRequestsOutsideOfTheRegion() {
        request(PUT, REGION, SIZE - 7, 0, 8);
        assertRefused("put exceeds memory region: offset=4089, length=8, regionLength=4096 bytes");
    }

    @Test
    void shouldRefuseOffsetsThatOverflow() {
        request(GET, REGION, Long.MAX_VALUE, 8, 0);
        assertRefused("get exceeds memory region: offset=" + Long.MAX_VALUE);
    }

    @Test
    void shouldRefuseRequestsWithoutTheRight() {
        request(PUT, READ_ONLY, 0, 0, 8);
        assertRefused("put on a region without WRITE");
    }

    @Test
    void shouldRefuseAtomicsAcrossWords() {
        request(ATOMIC, REGION, 4, 0, 0);
        assertRefused("atomic is not aligned: offset=4, allowed multiples of 8 bytes");
    }

    @Test
    void shouldRefuseAnswersToNothing() {
        served(DONE, 8, 0);
        assertRefused("DONE");
    }

    @Test
    void shouldRefuseMessagesOfServedMemoryThatAreCutOff() {
        served(PUT, 16, 0);
        assertRefused("message of served memory is malformed: message=PUT, length=16");
    }

    private void served(int kind, int length, int data) {
        MemorySegment message = arena.allocate(length);
        message.set(WORD, 0, kind | (long) data << 32);
        write(message);
    }
}
