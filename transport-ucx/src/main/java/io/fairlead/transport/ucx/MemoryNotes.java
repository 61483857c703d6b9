package io.fairlead.transport.ucx;

import io.fairlead.spi.served.Asking;
import io.fairlead.spi.served.ServedChannel;
import io.fairlead.spi.served.ServedLimits;
import io.fairlead.spi.served.ServedMessage;
import io.fairlead.spi.served.Serving;
import java.lang.foreign.MemorySegment;

/**
 * What one endpoint and its peer ask of each other on regions that only the owner reaches: each message is a {@link Note}. UCX keeps notes in memory that
 * their receiver has not come round to, so that the window bounds what is asked, every put is answered, and an answer that UCX has not sent counts.
 */
final class MemoryNotes implements ServedChannel {
    static final int WINDOW = 64;
    static final int DATA_MAX = Note.CAPACITY - ServedMessage.HEADER_MAX;
    private static final ServedLimits LIMITS = new ServedLimits(DATA_MAX, DATA_MAX, DATA_MAX, WINDOW, 1);

    final Asking asking;
    final Serving serving;

    private final UcxEndpoint endpoint;
    private final ServedMessage incoming = new ServedMessage();
    /** Answers that have not left, each of which takes memory. */
    private int unsentAnswers;
    /** An answer was refused because of those. */
    private boolean full;

    MemoryNotes(UcxEndpoint endpoint) {
        this.endpoint = endpoint;
        this.asking = new Asking(endpoint.host(), this, LIMITS);
        this.serving = new Serving(endpoint.host(), this, LIMITS);
    }

    @Override
    public Outcome send(ServedMessage message) {
        boolean isAnswer = message.isAnswer();
        if (isAnswer && unsentAnswers == WINDOW) {
            full = true;
            return Outcome.FULL;
        }
        Note note = endpoint.note();
        int header = message.headerLength();
        message.write(note.memory, 0);
        try {
            MemorySegment.copy(message.data(), message.dataOffset(), note.memory, header, message.dataLength());
        } catch (RuntimeException | Error thrown) {
            endpoint.giveBack(note);
            throw thrown;
        }
        note.length = header + message.dataLength();
        if (isAnswer) {
            unsentAnswers++;
        }
        endpoint.send(note, isAnswer ? Note.ANSWER : Note.REQUEST);
        return Outcome.COPIED;
    }

    /** An answer has left, or never will. */
    void answerSent() {
        unsentAnswers--;
        if (full && !endpoint.ended()) {
            full = false;
            serving.resume();
        }
    }

    /** A note of the peer. */
    void received(Note note) {
        int data = incoming.readWhole(note.memory, 0, note.length, DATA_MAX);
        if (incoming.isAnswer()) {
            asking.answered(incoming, note.memory, data);
        } else {
            serving.request(incoming, note.memory, data);
        }
    }

    @Override
    public boolean mayAsk() {
        return !endpoint.ended() && endpoint.mayAsk();
    }

    @Override
    public void memoryClosed(IllegalStateException cause) {
        endpoint.memoryClosed(cause);
    }
}
