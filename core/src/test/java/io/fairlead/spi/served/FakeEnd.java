package io.fairlead.spi.served;

import static org.junit.jupiter.api.Assertions.assertFalse;

import io.fairlead.FairleadException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection whose messages wait in a queue until somebody moves them: the transport's part, with room for so many messages, with or
 * without borrowing.
 */
final class FakeEnd implements ServedChannel {
    /** Data that is read where it is, later. */
    private record Borrowed(byte[] message, int header, MemorySegment data, long at, boolean isAnswer) {}

    final FakeHost host = new FakeHost();
    final ServedLimits limits;
    final RemoteRequester requester;
    final RemoteResponder responder;
    final ArrayDeque<byte[]> sent = new ArrayDeque<>();
    int room = Integer.MAX_VALUE;
    boolean mayAsk = true;

    @Nullable FairleadException failure;

    @Nullable IllegalStateException memoryClosed;

    private final ServedMessage incoming = new ServedMessage();
    private @Nullable Borrowed borrowed;

    FakeEnd(ServedLimits limits) {
        this.limits = limits;
        requester = new RemoteRequester(host, this, limits);
        responder = new RemoteResponder(host, this, limits);
    }

    @Override
    public Outcome send(ServedMessage message) {
        int header = message.headerLength();
        int length = message.dataLength();
        if (sent.size() >= room || borrowed != null) {
            return Outcome.FULL;
        }
        byte[] bytes = new byte[header + length];
        message.write(MemorySegment.ofArray(bytes), 0);
        if (length > limits.copyMax()) {
            borrowed = new Borrowed(bytes, header, message.data(), message.dataOffset(), message.isAnswer());
            return Outcome.BORROWED;
        }
        MemorySegment.copy(message.data(), message.dataOffset(), MemorySegment.ofArray(bytes), header, length);
        sent.add(bytes);
        return Outcome.COPIED;
    }

    @Override
    public boolean mayAsk() {
        return mayAsk && failure == null && memoryClosed == null;
    }

    @Override
    public void memoryClosed(IllegalStateException cause) {
        memoryClosed = cause;
    }

    boolean isBorrowing() {
        return borrowed != null;
    }

    /** Reads what was borrowed, or zeros if its region is closed. */
    void finish(boolean gone) {
        Borrowed data = borrowed;
        if (data == null) {
            return;
        }
        borrowed = null;
        if (!gone) {
            MemorySegment.copy(
                    data.data(),
                    data.at(),
                    MemorySegment.ofArray(data.message()),
                    data.header(),
                    data.message().length - data.header());
        }
        sent.add(data.message());
        if (data.isAnswer()) {
            responder.left(gone);
        } else {
            assertFalse(gone, "an operation's memory is not a region");
            requester.left();
        }
    }

    /** A turn of progress: what waits goes out as far as there is room. */
    void resume() {
        finish(false);
        responder.resume();
        requester.resume();
    }

    /** Takes a message of the peer's, in pieces of at most so many bytes if it has more data. */
    void receive(byte[] message, int piece) {
        if (failure != null) {
            return;
        }
        MemorySegment segment = MemorySegment.ofArray(message);
        try {
            int at = incoming.readWhole(segment, 0, message.length, limits.dataMax());
            int length = incoming.dataLength();
            if (length <= piece) {
                if (incoming.isAnswer()) {
                    requester.answered(incoming, segment, at);
                } else {
                    responder.request(incoming, segment, at);
                }
                return;
            }
            Intake intake = incoming.isAnswer() ? requester.begin(incoming) : responder.begin(incoming);
            for (int done = 0; done < length; done += piece) {
                int count = Math.min(piece, length - done);
                // Every other piece goes where it belongs without a copy in between.
                MemorySegment target = done / piece % 2 == 0 ? intake.hold() : null;
                if (target == null) {
                    intake.take(segment, at + done, count);
                } else {
                    MemorySegment.copy(segment, at + done, target, intake.offset(), count);
                    intake.took(count);
                }
            }
            intake.end();
        } catch (FairleadException violation) {
            failure = violation;
        }
    }
}
