package io.fairlead.spi.served;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.RegionProof;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The serving side alone, and a peer that asks what it likes. */
@Timeout(60)
final class RemoteResponderTest {
    private static final int SIZE = 4096;
    private static final int WINDOW = 8;
    private static final byte CANARY = 0x5A;

    private final Arena arena = Arena.ofAuto();
    private final FakeEnd end = new FakeEnd(new ServedLimits(256, 256, 256, WINDOW, 1));
    /** A region with memory of nobody else's on both sides. */
    private final MemorySegment whole = arena.allocate(3L * SIZE, 8).fill(CANARY);

    private final MemorySegment untouched = arena.allocate(3L * SIZE, 8).fill(CANARY);
    private final ServedMessage request = new ServedMessage();

    @BeforeEach
    void open() {
        MemorySegment region = whole.asSlice(SIZE, SIZE);
        end.host.region(1, region);
        end.host.region(2, region, AccessRight.READ);
        end.host.region(3, region, AccessRight.WRITE);
        for (long id = 1; id <= 3; id++) {
            end.host.admitRegion(FakeHost.proof(id));
        }
    }

    @AfterEach
    void close() {
        assertEquals(0, end.host.holders, "a region is left held");
    }

    private byte[] request(int kind, int flags, long region, long offset, long value, int length) {
        request.request(kind, flags, known(region), offset, value);
        request.data(MemorySegment.NULL, 0, length);
        byte[] bytes = new byte[request.headerLength() + length];
        request.write(MemorySegment.ofArray(bytes), 0);
        return bytes;
    }

    private static ServedMemory known(long region) {
        ServedMemory memory = new ServedMemory(FakeHost.proof(region));
        memory.markShown();
        return memory;
    }

    @ParameterizedTest
    @ValueSource(ints = {ServedMessage.PUT, ServedMessage.GET, ServedMessage.ATOMIC})
    void shouldServeNobodyWhoHasNotShownTheKey(int kind) {
        end.host.region(4, whole.asSlice(SIZE, SIZE));
        byte[] guessed = request(kind, kind == ServedMessage.PUT ? ServedMessage.ANSWERED : 0, 4, 0, 8, 0);
        end.receive(guessed, Integer.MAX_VALUE);
        for (RegionProof wrong :
                new RegionProof[] {new RegionProof(4, ~4L, 0), new RegionProof(4, 0, 31 * 4), FakeHost.proof(5)}) {
            request.request(kind, 0, new ServedMemory(wrong), 0, 8);
            byte[] bytes = new byte[request.headerLength()];
            request.write(MemorySegment.ofArray(bytes), 0);
            end.receive(bytes, Integer.MAX_VALUE);
            end.receive(guessed, Integer.MAX_VALUE);
        }
        assertNull(end.failure);
        assertEquals(-1, whole.mismatch(untouched));
        byte[] last = end.sent.removeLast();
        assertEquals(kind == ServedMessage.PUT ? ServedMessage.REFUSED : ServedMessage.GONE, last[1]);
        // By the right proof all later requests are served.
        request.request(kind, 0, new ServedMemory(FakeHost.proof(4)), 0, 8);
        byte[] shown = new byte[request.headerLength()];
        request.write(MemorySegment.ofArray(shown), 0);
        end.receive(shown, Integer.MAX_VALUE);
        end.sent.clear();
        end.receive(guessed, Integer.MAX_VALUE);
        assertNull(end.failure);
        assertEquals(0, end.sent.remove()[1]);
    }

    private void assertRefused(byte[] message, String text) {
        end.receive(message, Integer.MAX_VALUE);
        assertNotNull(end.failure, "no violation");
        assertEquals(Reason.PROTOCOL_VIOLATION, end.failure.reason());
        assertTrue(end.failure.getMessage().contains(text), end.failure::getMessage);
        assertEquals(-1, whole.mismatch(untouched));
        assertEquals(List.of(), end.host.signals);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1 | 4089 | 8 | put exceeds memory region: offset=4089, length=8, regionLength=4096 bytes, endpoint=#1 to fake",
                "1 | -8 | 8 | put exceeds memory region: offset=-8",
                "1 | 9223372036854775807 | 8 | put exceeds memory region: offset=9223372036854775807",
                "1 | 4097 | 0 | put exceeds memory region",
                "2 | 0 | 8 | put on a region without WRITE"
            })
    void shouldRefusePuts(long region, long offset, int length, String text) {
        assertRefused(request(ServedMessage.PUT, ServedMessage.SIGNAL, region, offset, 1, length), text);
    }

    @ParameterizedTest
    @ValueSource(longs = {4089, -8, Long.MAX_VALUE})
    void shouldRefusePutsInPiecesBeforeTheFirst(long offset) {
        byte[] message = request(ServedMessage.PUT, 0, 1, offset, 0, 8);
        end.receive(message, 3);
        assertNotNull(end.failure);
        assertEquals(-1, whole.mismatch(untouched));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1 | 4089 | 8 | get exceeds memory region: offset=4089",
                "1 | -1 | 1 | get exceeds memory region: offset=-1",
                "1 | 0 | 257 | get of a wrong length: length=257, allowed 0 to 256 bytes",
                "1 | 0 | -1 | get of a wrong length: length=-1",
                "1 | 8 | 9223372036854775807 | get of a wrong length",
                "3 | 0 | 8 | get on a region without READ"
            })
    void shouldRefuseGets(long region, long offset, long length, String text) {
        assertRefused(request(ServedMessage.GET, 0, region, offset, length, 0), text);
        assertEquals(0, end.sent.size());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1 | 4096 | atomic exceeds memory region: offset=4096",
                "1 | 4092 | atomic exceeds memory region: offset=4092",
                "1 | 4 | atomic is not aligned: offset=4",
                "1 | -8 | atomic exceeds memory region: offset=-8",
                "2 | 0 | atomic on a region without ATOMIC"
            })
    void shouldRefuseAtomics(long region, long offset, String text) {
        assertRefused(request(ServedMessage.ATOMIC, 0, region, offset, 1, 0), text);
        assertEquals(0, end.sent.size());
    }

    @Test
    void shouldServeAnswersOnlyToThoseWhoAsked() {
        ServedMessage answer = new ServedMessage();
        answer.answer(ServedMessage.DONE, 0, 0);
        assertThrows(IllegalArgumentException.class, () -> end.responder.request(answer, MemorySegment.NULL, 0));
    }

    @Test
    void shouldKeepSoManyAnswersAndNoMore() {
        end.room = 0;
        for (int i = 0; i < WINDOW; i++) {
            end.receive(request(ServedMessage.GET, 0, 1, 0, 8, 0), Integer.MAX_VALUE);
            assertNull(end.failure);
        }
        assertTrue(end.responder.isWaiting());
        assertRefused(
                request(ServedMessage.ATOMIC, 0, 1, 0, 1, 0),
                "the peer sends requests and does not read the answers: unread=8, allowed 8");
        end.room = WINDOW;
        end.responder.resume();
        assertEquals(WINDOW, end.sent.size());
        assertFalse(end.responder.isWaiting());
    }

    @ParameterizedTest
    @ValueSource(ints = {ServedMessage.PUT, ServedMessage.GET, ServedMessage.ATOMIC, ServedMessage.FLUSH})
    void shouldBoundAFloodOfAnyKind(int kind) {
        end.room = 0;
        int flags = kind == ServedMessage.PUT ? ServedMessage.ANSWERED : 0;
        int asked = 0;
        while (end.failure == null && asked < 100) {
            end.receive(request(kind, flags, 1, 0, 0, 0), Integer.MAX_VALUE);
            asked++;
        }
        assertEquals(WINDOW + 1, asked);
    }

    @Test
    void shouldServePutsWithoutAnAnswerWithoutEnd() {
        end.room = 0;
        for (int i = 0; i < 100 * WINDOW; i++) {
            end.receive(request(ServedMessage.PUT, 0, 1, 0, 0, 8), Integer.MAX_VALUE);
        }
        assertNull(end.failure);
        assertFalse(end.responder.isWaiting());
    }

    @Test
    void shouldAnswerBeforeASignalThatThrows() {
        end.host.onSignal = _ -> {
            throw new UnsupportedOperationException("the application's");
        };
        byte[] put = request(ServedMessage.PUT, ServedMessage.ANSWERED | ServedMessage.SIGNAL, 1, 0, 5, 8);
        assertThrows(UnsupportedOperationException.class, () -> end.receive(put, Integer.MAX_VALUE));
        assertThrows(UnsupportedOperationException.class, () -> end.receive(put, 3));
        assertEquals(2, end.sent.size());
        assertEquals(List.of(5L, 5L), end.host.signals);
    }

    @Test
    void shouldReadTheDataOfAGetWhenItsAnswerLeaves() {
        end.room = 0;
        end.receive(request(ServedMessage.GET, 0, 1, 0, 8, 0), Integer.MAX_VALUE);
        whole.set(ValueLayout.JAVA_BYTE, SIZE, (byte) 1);
        end.host.close(1);
        end.room = 1;
        end.responder.resume();
        byte[] answer = end.sent.remove();
        assertEquals(ServedMessage.GONE, answer[1]);
        assertEquals(ServedMessage.HEADER_MIN, answer.length);
    }
}
