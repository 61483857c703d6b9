package io.fairlead.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/** What a handshake waits for, of a channel that is registered nowhere. */
public final class Interest extends SelectionKey {
    private static final Selector NOBODYS = open();

    private final SelectableChannel channel;
    private int operations = OP_READ;

    /** What a handshake over a channel waits for. */
    public Interest(SelectableChannel channel) {
        this.channel = channel;
    }

    private static Selector open() {
        try {
            return Selector.open();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public SelectableChannel channel() {
        return channel;
    }

    @Override
    public Selector selector() {
        return NOBODYS;
    }

    @Override
    public boolean isValid() {
        return true;
    }

    @Override
    public void cancel() {
        throw new UnsupportedOperationException("a handshake cancels nothing");
    }

    @Override
    public int interestOps() {
        return operations;
    }

    @Override
    public SelectionKey interestOps(int ops) {
        operations = ops;
        return this;
    }

    @Override
    public int readyOps() {
        return operations;
    }
}
