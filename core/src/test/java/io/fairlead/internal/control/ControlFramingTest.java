package io.fairlead.internal.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class ControlFramingTest {
    private final ControlFrameTest.Recorder recorder = new ControlFrameTest.Recorder();

    @Test
    void shouldFindEachFrameHoweverTheStreamIsCut() {
        ByteBuffer sent = ByteBuffer.allocate(100);
        int start = ControlFraming.begin(sent);
        ControlFrame.ping(sent, 7);
        ControlFraming.end(sent, start);
        ByteBuffer credit = ByteBuffer.allocate(ControlFrame.MAX_LENGTH);
        ControlFrame.credit(credit, 4096);
        ControlFraming.wrap(credit.flip(), sent);
        start = ControlFraming.begin(sent);
        ControlFrame.disconnect(sent);
        ControlFraming.end(sent, start);
        sent.flip();

        for (int piece = 1; piece <= sent.limit(); piece++) {
            recorder.calls.clear();
            ByteBuffer stream = ByteBuffer.allocate(100);
            int frames = 0;
            for (int from = 0; from < sent.limit(); from += piece) {
                stream.put(sent.slice(from, Math.min(piece, sent.limit() - from)));
                frames += ControlFraming.dispatch(stream.flip(), recorder);
                stream.compact();
            }
            assertEquals(3, frames);
            assertEquals(List.of("ping 7", "credit 4096", "disconnect"), recorder.calls);
            assertEquals(0, stream.position());
        }
    }

    @Test
    void shouldTellTheLengthOfACompleteFrameOnly() {
        ByteBuffer stream = ByteBuffer.allocate(ControlFraming.MAX_LENGTH);
        int start = ControlFraming.begin(stream);
        ControlFrame.revoke(stream, 5);
        ControlFraming.end(stream, start);
        stream.flip();
        assertEquals(ControlFraming.MAX_LENGTH, stream.remaining());
        for (int limit = 0; limit < stream.limit(); limit++) {
            assertEquals(-1, ControlFraming.frameLength(stream.duplicate().limit(limit)));
        }
        assertEquals(ControlFrame.MAX_LENGTH, ControlFraming.frameLength(stream));
        assertEquals(0, stream.position());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, ControlFrame.MAX_LENGTH + 1, 256, 65535})
    void shouldRefuseALengthThatNoFrameHas(int length) {
        ByteBuffer stream = ByteBuffer.wrap(new byte[] {(byte) length, (byte) (length >>> 8)});
        FairleadException failure =
                assertThrows(FairleadException.class, () -> ControlFraming.dispatch(stream, recorder));
        assertEquals(FairleadException.Reason.PROTOCOL_VIOLATION, failure.reason());
        assertTrue(failure.getMessage().contains("length=" + length + ", allowed 1 to 9 bytes"), failure::getMessage);
    }

    @Test
    void shouldRefuseToEndWhatIsNoFrame() {
        ByteBuffer target = ByteBuffer.allocate(100);
        int start = ControlFraming.begin(target);
        assertThrows(IllegalArgumentException.class, () -> ControlFraming.end(target, start));
        target.put(new byte[ControlFrame.MAX_LENGTH + 1]);
        assertThrows(IllegalArgumentException.class, () -> ControlFraming.end(target, start));
    }

    @Test
    void shouldTellFramesBeforeABrokenOneAndRestoreTheLimit() {
        ByteBuffer stream = ByteBuffer.allocate(50);
        int start = ControlFraming.begin(stream);
        ControlFrame.pong(stream, 3);
        ControlFraming.end(stream, start);
        stream.put(new byte[] {1, 0, 99}).flip();
        int limit = stream.limit();
        assertThrows(FairleadException.class, () -> ControlFraming.dispatch(stream, recorder));
        assertEquals(List.of("pong 3"), recorder.calls);
        assertEquals(limit, stream.limit());
    }

    @Test
    void shouldAllocateNothing() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        Counting counting = new Counting();
        ByteBuffer stream = ByteBuffer.allocateDirect(100);
        exchange(stream, counting, 10_000);
        long before = threads.getCurrentThreadAllocatedBytes();
        exchange(stream, counting, 10_000);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertEquals(20_000 * 3, counting.frames);
        // A single object per exchange would come to more than this.
        assertTrue(allocated < 10_000 * 8, "allocated=" + allocated + " bytes in 10000 exchanges");
    }

    private static void exchange(ByteBuffer stream, ControlFrame.Handler handler, int times) {
        for (int i = 0; i < times; i++) {
            stream.clear();
            int start = ControlFraming.begin(stream);
            ControlFrame.ping(stream, i);
            ControlFraming.end(stream, start);
            start = ControlFraming.begin(stream);
            ControlFrame.credit(stream, 1 + i);
            ControlFraming.end(stream, start);
            start = ControlFraming.begin(stream);
            ControlFrame.disconnect(stream);
            ControlFraming.end(stream, start);
            ControlFraming.dispatch(stream.flip(), handler);
        }
    }

    private static final class Counting implements ControlFrame.Handler {
        long frames;

        @Override
        public void ping(long sequence) {
            frames++;
        }

        @Override
        public void pong(long sequence) {
            frames++;
        }

        @Override
        public void credit(long bytes) {
            frames++;
        }

        @Override
        public void disconnect() {
            frames++;
        }

        @Override
        public void revoke(long regionId) {
            frames++;
        }

        @Override
        public void withdraw(long regionId) {
            frames++;
        }

        @Override
        public void wake() {
            frames++;
        }
    }
}
