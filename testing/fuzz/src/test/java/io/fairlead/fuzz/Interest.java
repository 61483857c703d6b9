package io.fairlead.fuzz;

import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/** What a handshake waits for, without a selector. */
public final class Interest extends SelectionKey {
    private final SelectableChannel channel;
    private int operations = OP_READ;

    /** What a handshake over a channel waits for. */
    public Interest(SelectableChannel channel) {
        this.channel = channel;
    }

    @Override
    public SelectableChannel channel() {
        return channel;
    }

    @Override
    public Selector selector() {
        throw new UnsupportedOperationException("there is none");
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
