package io.fairlead.testkit.fault;

import io.fairlead.spi.Arrival;
import io.fairlead.spi.Operation;
import org.jspecify.annotations.Nullable;

/** An arrival whose receive is one that may be held back. The core's arrival keeps it as its attachment. */
final class FaultArrival extends Arrival {
    private final Arrival inner;
    private @Nullable Operation operation;

    FaultArrival(Arrival inner) {
        this.inner = inner;
    }

    void matched(Operation receive) {
        operation = receive;
    }

    @Override
    public @Nullable Operation operation() {
        return operation;
    }

    @Override
    public long tag() {
        return inner.tag();
    }

    @Override
    public long length() {
        return inner.length();
    }

    @Override
    public void markWhole() {
        inner.markWhole();
    }
}
