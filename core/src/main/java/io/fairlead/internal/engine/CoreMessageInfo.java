package io.fairlead.internal.engine;

import io.fairlead.Endpoint;
import io.fairlead.MessageInfo;
import io.fairlead.internal.matching.CoreArrival;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a probe found, and the message that a claim holds. */
final class CoreMessageInfo implements MessageInfo {
    final CoreWorker worker;

    @Nullable CoreArrival claimed;

    private Optional<Endpoint> source = Optional.empty();
    private long tag;
    private long length;

    CoreMessageInfo(CoreWorker worker) {
        this.worker = worker;
    }

    void fill(CoreArrival arrival, CoreEndpoint endpoint) {
        source = endpoint.asSource();
        tag = arrival.tag;
        length = arrival.length;
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
    public boolean claimed() {
        return claimed != null;
    }
}
