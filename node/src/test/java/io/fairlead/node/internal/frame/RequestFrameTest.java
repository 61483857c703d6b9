package io.fairlead.node.internal.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.ActiveMessage;
import io.fairlead.FairleadException;
import io.fairlead.Worker;
import io.fairlead.node.RequestException;
import io.fairlead.node.RequestStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class RequestFrameTest {
    private final MemorySegment frame = MemorySegment.ofArray(new long[256]);

    @Test
    void shouldKeepKindAndIdInTheHeader() {
        for (int kind = RequestFrame.REQUEST; kind <= RequestFrame.CANCEL; kind++) {
            for (int slot : new int[] {0, 1, 63, 64, RequestFrame.SLOTS - 1}) {
                for (int generation : new int[] {0, 1, 63, 64, 127, -1}) {
                    int id = RequestFrame.id(slot, generation);
                    RequestFrame.writeHeader(frame, kind, id);
                    assertEquals(kind, RequestFrame.kind(frame, headerLength(kind)));
                    assertEquals(id, RequestFrame.id(frame));
                    assertEquals(slot, RequestFrame.slot(id));
                }
            }
        }
    }

    private static int headerLength(int kind) {
        return kind == RequestFrame.REQUEST ? RequestFrame.REQUEST_HEADER_LENGTH : RequestFrame.HEADER_LENGTH;
    }

    @Test
    void shouldRecognizeMalformedHeaders() {
        for (int length = 0; length <= ActiveMessage.HEADER_MAX; length++) {
            RequestFrame.writeHeader(frame, RequestFrame.REPLY, 1);
            assertEquals(length == 8 ? RequestFrame.REPLY : RequestFrame.MALFORMED, RequestFrame.kind(frame, length));
            RequestFrame.writeHeader(frame, RequestFrame.REQUEST, 1);
            assertEquals(
                    length == 24 ? RequestFrame.REQUEST : RequestFrame.MALFORMED, RequestFrame.kind(frame, length));
        }
        for (long word : new long[] {6L << 22, 1L << 32, -1, Long.MIN_VALUE}) {
            frame.set(ValueLayout.JAVA_LONG, 0, word);
            assertEquals(RequestFrame.MALFORMED, RequestFrame.kind(frame, RequestFrame.HEADER_LENGTH));
            assertEquals(RequestFrame.MALFORMED, RequestFrame.kind(frame, RequestFrame.REQUEST_HEADER_LENGTH));
        }
    }

    @Test
    void shouldReadTheHeaderThatItWrites() {
        RequestFrame.writeRequestHeader(frame, 77, Worker.TAG_MAX, 4096, RequestFrame.TIME_LEFT_MAX_NS);
        assertEquals(77, RequestFrame.id(frame));
        assertEquals(Worker.TAG_MAX, RequestFrame.service(frame));
        assertEquals(4096, RequestFrame.contextLength(frame));
        assertEquals(RequestFrame.TIME_LEFT_MAX_NS, RequestFrame.timeLeftNs(frame));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OK")
    void shouldReadTheRefusalThatItWrites(RequestStatus status) {
        for (boolean seen : new boolean[] {true, false}) {
            int length = RequestFrame.writeRefusal(frame, status, seen, "no \r\n\t\u2028\u0000 room");
            RequestException read = RequestFrame.readRefusal(frame, length);
            assertEquals(status, read.status());
            assertEquals(!seen, read.isSafeToRetry());
            assertEquals("no       room", read.text());
        }
    }

    @Test
    void shouldCutTextsAtACharacter() {
        int length = RequestFrame.writeRefusal(frame, RequestStatus.FAILED, true, "a" + "\u20AC".repeat(1000));
        assertEquals(
                "a" + "\u20AC".repeat(341),
                RequestFrame.readRefusal(frame, length).text());
        assertEquals(
                "half ?",
                RequestFrame.readRefusal(
                                frame, RequestFrame.writeRefusal(frame, RequestStatus.FAILED, true, "half \uD800"))
                        .text());
    }

    @Test
    void shouldReadOrRefuseWhateverArrives() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        for (int i = 0; i < 20_000; i++) {
            int length = random.nextInt(RequestFrame.REFUSAL_LENGTH_MAX + 1);
            for (int at = 0; at < Math.min(length, 16); at++) {
                frame.set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt(at < 2 ? 12 : 256));
            }
            try {
                RequestException read = RequestFrame.readRefusal(frame, length);
                assertTrue(read.text().length() <= RequestFrame.TEXT_MAX);
            } catch (FairleadException malformed) {
                assertEquals(FairleadException.Reason.PROTOCOL_VIOLATION, malformed.reason());
            }
        }
    }

    @Test
    void shouldNotFailWithOk() {
        assertThrows(IllegalArgumentException.class, () -> new RequestException(RequestStatus.OK, "fine"));
    }
}
