package io.fairlead.internal.control;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.fuzz.Expect;
import io.fairlead.fuzz.Harness;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;

/** Control frames of a stream: those that are understood, written again, are the same bytes. */
public final class ControlHarness implements Harness {
    private final Again again = new Again();

    @Override
    public List<byte[]> seeds() {
        return List.of(stream(frame -> {
            ControlFrame.ping(frame, 1);
            Again.next(frame);
            ControlFrame.pong(frame, 1);
            Again.next(frame);
            ControlFrame.credit(frame, 1 << 16);
            Again.next(frame);
            ControlFrame.revoke(frame, 9);
            Again.next(frame);
            ControlFrame.wake(frame);
            Again.next(frame);
            ControlFrame.withdraw(frame, 9);
            Again.next(frame);
            ControlFrame.disconnect(frame);
        }));
    }

    private static byte[] stream(Consumer<ByteBuffer> frames) {
        ByteBuffer out = ByteBuffer.allocate(512);
        Again.first(out);
        frames.accept(out);
        Again.last(out);
        byte[] bytes = new byte[out.flip().remaining()];
        out.get(bytes);
        return bytes;
    }

    @Override
    public void run(byte[] input) {
        ByteBuffer stream = ByteBuffer.wrap(input);
        again.out.clear();
        try {
            int frames = ControlFraming.dispatch(stream, again);
            Expect.that(frames <= input.length / 3, "more frames than there is room for");
            Expect.same(-1, ControlFraming.frameLength(stream), "a whole frame was left");
        } catch (FairleadException refused) {
            Expect.refusal(refused, Reason.PROTOCOL_VIOLATION);
        }
        Expect.same(input.length, stream.limit(), "the limit of the stream has moved");
        again.out.flip();
        Expect.that(again.out.remaining() <= input.length, "more was understood than was said");
        // A wake's number is not looked at, so that those eight bytes may differ.
        Expect.that(again.agrees(input), "a frame means something else");
    }

    /** Writes each frame again. */
    private static final class Again implements ControlFrame.Handler {
        private static final byte WAKE = 6;

        private final ByteBuffer out = ByteBuffer.allocate(1024);

        private static void first(ByteBuffer out) {
            out.mark();
            out.position(out.position() + ControlFraming.HEADER_LENGTH);
        }

        private static void last(ByteBuffer out) {
            int end = out.position();
            int start = out.reset().position();
            out.position(end);
            ControlFraming.end(out, start);
        }

        private static void next(ByteBuffer out) {
            last(out);
            first(out);
        }

        private void write(Consumer<ByteBuffer> frame) {
            first(out);
            frame.accept(out);
            last(out);
        }

        private boolean agrees(byte[] input) {
            byte[] said = out.array();
            int at = 0;
            while (at < out.limit()) {
                int length = said[at];
                boolean isWake = said[at + ControlFraming.HEADER_LENGTH] == WAKE;
                int compared = isWake ? ControlFraming.HEADER_LENGTH + 1 : ControlFraming.HEADER_LENGTH + length;
                for (int i = 0; i < compared; i++) {
                    if (said[at + i] != input[at + i]) {
                        return false;
                    }
                }
                at += ControlFraming.HEADER_LENGTH + length;
            }
            return true;
        }

        @Override
        public void ping(long sequence) {
            write(frame -> ControlFrame.ping(frame, sequence));
        }

        @Override
        public void pong(long sequence) {
            write(frame -> ControlFrame.pong(frame, sequence));
        }

        @Override
        public void credit(long bytes) {
            Expect.that(bytes > 0, "a credit grants nothing");
            write(frame -> ControlFrame.credit(frame, bytes));
        }

        @Override
        public void disconnect() {
            write(ControlFrame::disconnect);
        }

        @Override
        public void revoke(long regionId) {
            write(frame -> ControlFrame.revoke(frame, regionId));
        }

        @Override
        public void withdraw(long regionId) {
            write(frame -> ControlFrame.withdraw(frame, regionId));
        }

        @Override
        public void wake() {
            write(ControlFrame::wake);
        }
    }
}
