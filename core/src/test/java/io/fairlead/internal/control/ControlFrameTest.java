package io.fairlead.internal.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class ControlFrameTest {
    /** Writes down what it is told. */
    static final class Recorder implements ControlFrame.Handler {
        final List<String> calls = new ArrayList<>();

        @Override
        public void ping(long sequence) {
            calls.add("ping " + sequence);
        }

        @Override
        public void pong(long sequence) {
            calls.add("pong " + sequence);
        }

        @Override
        public void credit(long bytes) {
            calls.add("credit " + bytes);
        }

        @Override
        public void disconnect() {
            calls.add("disconnect");
        }

        @Override
        public void revoke(long regionId) {
            calls.add("revoke " + regionId);
        }

        @Override
        public void withdraw(long regionId) {
            calls.add("withdraw " + regionId);
        }

        @Override
        public void wake() {
            calls.add("wake");
        }
    }

    private final Recorder recorder = new Recorder();

    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, 0x0102030405060708L, Long.MIN_VALUE, Long.MAX_VALUE})
    void shouldCarryNumbersInBuffersOfAnyOrder(long number) {
        for (ByteOrder writer : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
            for (ByteOrder reader : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
                recorder.calls.clear();
                roundTrip(writer, reader, number, ControlFrame::ping);
                roundTrip(writer, reader, number, ControlFrame::pong);
                roundTrip(writer, reader, number, ControlFrame::revoke);
                roundTrip(writer, reader, number, ControlFrame::withdraw);
                assertEquals(
                        List.of("ping " + number, "pong " + number, "revoke " + number, "withdraw " + number),
                        recorder.calls);
            }
        }
    }

    @Test
    void shouldCarryAWakeUp() {
        ByteBuffer frame = ByteBuffer.allocate(ControlFrame.MAX_LENGTH);
        ControlFrame.wake(frame);
        ControlFrame.dispatch(frame.flip(), recorder);
        assertEquals(List.of("wake"), recorder.calls);
    }

    @Test
    void shouldWriteLittleEndianBytes() {
        ByteBuffer frame = ByteBuffer.allocate(ControlFrame.MAX_LENGTH);
        ControlFrame.ping(frame, 0x0102030405060708L);
        assertEquals(ByteBuffer.wrap(new byte[] {1, 8, 7, 6, 5, 4, 3, 2, 1}), frame.flip());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, Long.MAX_VALUE})
    void shouldGrantPositiveCredit(long bytes) {
        roundTrip(ByteOrder.BIG_ENDIAN, ByteOrder.BIG_ENDIAN, bytes, ControlFrame::credit);
        assertEquals(List.of("credit " + bytes), recorder.calls);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void shouldRefuseCreditThatGrantsNothing(long bytes) {
        ByteBuffer frame = ByteBuffer.allocate(ControlFrame.MAX_LENGTH);
        assertThrows(IllegalArgumentException.class, () -> ControlFrame.credit(frame, bytes));
        assertEquals(0, frame.position());

        ControlFrame.ping(frame, bytes);
        assertViolation(frame.flip().put(0, (byte) 3), "credit must be positive: bytes=" + bytes);
    }

    @Test
    void shouldSayGoodbyeInOneByte() {
        ByteBuffer frame = ByteBuffer.allocate(ControlFrame.MAX_LENGTH);
        ControlFrame.disconnect(frame);
        assertEquals(1, frame.flip().remaining());
        ControlFrame.dispatch(frame, recorder);
        assertEquals(List.of("disconnect"), recorder.calls);
    }

    @Test
    void shouldLeaveABufferWithoutRoomAsItWas() {
        ByteBuffer frame = ByteBuffer.allocate(ControlFrame.MAX_LENGTH - 1);
        assertThrows(BufferOverflowException.class, () -> ControlFrame.ping(frame, 1));
        assertEquals(0, frame.position());
    }

    @Test
    void shouldRefuseEveryTypeAndLengthThatIsNone() {
        for (int type = 0; type < 256; type++) {
            for (int length = 1; length <= 2 * ControlFrame.MAX_LENGTH; length++) {
                boolean known = type >= 1 && type <= 7;
                if (known && length == (type == 4 ? 1 : ControlFrame.MAX_LENGTH)) {
                    continue;
                }
                ByteBuffer frame = ByteBuffer.allocate(length).put(0, (byte) type);
                assertViolation(
                        frame,
                        known
                                ? "control frame has a wrong length: type=" + type + ", length=" + length
                                : "unknown control frame: type=" + type + ", allowed 1 to 7");
            }
        }
        assertViolation(ByteBuffer.allocate(0), "control frame is empty");
    }

    private void roundTrip(ByteOrder writer, ByteOrder reader, long number, BiConsumer<ByteBuffer, Long> write) {
        ByteBuffer frame =
                ByteBuffer.allocate(ControlFrame.MAX_LENGTH + 3).order(writer).position(3);
        write.accept(frame, number);
        assertEquals(writer, frame.order());
        ByteBuffer received = frame.position(3).order(reader);
        ControlFrame.dispatch(received, recorder);
        assertEquals(received.limit(), received.position());
    }

    private void assertViolation(ByteBuffer frame, String part) {
        FairleadException failure = assertThrows(FairleadException.class, () -> ControlFrame.dispatch(frame, recorder));
        assertEquals(FairleadException.Reason.PROTOCOL_VIOLATION, failure.reason());
        assertTrue(failure.getMessage().contains(part), failure::getMessage);
        assertEquals(List.of(), recorder.calls);
    }
}
