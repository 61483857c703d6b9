package io.fairlead.internal.engine;

import io.fairlead.Endpoint;
import io.fairlead.Worker;
import io.fairlead.internal.matching.CoreArrival;
import io.fairlead.spi.PrefacedMessage;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The result of a probe, or the message that a claim holds. */
final class CoreMessageInfo implements PrefacedMessage {
    final Worker worker;

    @Nullable CoreArrival claimed;

    private Optional<Endpoint> source = Optional.empty();
    private long tag;
    private long length;
    private @Nullable Object preface;

    CoreMessageInfo(Worker worker) {
        this.worker = worker;
    }

    void fill(CoreArrival arrival, Optional<Endpoint> from) {
        fill(from, arrival.tag, arrival.length, arrival.preface);
    }

    void fill(Optional<Endpoint> from, long messageTag, long messageLength, @Nullable Object prefacedBy) {
        source = from;
        tag = messageTag;
        length = messageLength;
        preface = prefacedBy;
    }

    @Override
    public Optional<Endpoint> source() {
        return source;
    }

    @Override
    public long tag() {
        return tag;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public Optional<Object> preface() {
        return Optional.ofNullable(preface);
    }

    @Override
    public boolean isClaimed() {
        return claimed != null;
    }
}
