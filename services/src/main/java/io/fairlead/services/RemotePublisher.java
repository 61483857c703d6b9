package io.fairlead.services;

import io.fairlead.services.ClientProxy.Requester;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Flow;

/** What a streaming method returns at its caller: each subscription opens a stream. Thread-safe. */
final class RemotePublisher implements Flow.Publisher<Object> {
    private final RemoteStream.Source source;

    /**
     * The heads of the requests of open streams.
     *
     * @param tag their tag
     */
    record Heads(long tag, CallHead next, CallHead credit, CallHead cancel) {
        static Heads of(ServiceMethod method, PayloadCodec codec) {
            return new Heads(
                    method.streamTag(),
                    new CallHead(CallHead.NEXT, codec),
                    new CallHead(CallHead.CREDIT, codec),
                    new CallHead(CallHead.CANCEL, codec));
        }
    }

    RemotePublisher(
            String method,
            Requester requester,
            long tag,
            Heads heads,
            MethodCoders coders,
            MemorySegment message,
            Duration deadline) {
        this.source = new RemoteStream.Source(method, requester, tag, heads, coders, message, deadline);
    }

    @Override
    public void subscribe(Flow.Subscriber<? super Object> subscriber) {
        new RemoteStream(source, Objects.requireNonNull(subscriber, "subscriber")).open();
    }
}
