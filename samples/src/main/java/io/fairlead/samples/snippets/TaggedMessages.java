package io.fairlead.samples.snippets;

import io.fairlead.Completion;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.Status;
import io.fairlead.Worker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/** A tagged message on the worker API. */
public final class TaggedMessages {
    private static final long TAG = 7;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private TaggedMessages() {}

    /**
     * Sends a message to itself.
     *
     * @param args none
     */
    public static void main(String[] args) {
        // @start region="example"
        try (Context context = Context.open(FairleadConfig.load());
                Worker worker = context.newWorker();
                Arena arena = Arena.ofConfined()) {
            Listener listener = worker.listen("127.0.0.1:0", EndpointHandler.NONE);
            Endpoint endpoint = worker.connect(listener.address(), EndpointHandler.NONE);

            MemorySegment inbox = arena.allocate(64);
            AtomicReference<Status> received = new AtomicReference<>();
            long receive = worker.receive(inbox, TAG, request -> received.set(request.status()));

            // A send that has started nothing, such as before the endpoint is connected, returns a negative number.
            MemorySegment message = arena.allocateFrom("hello, worker");
            boolean sent = worker.progressUntil(() -> endpoint.send(message, TAG, Completion.IGNORE) > 0, TIMEOUT);

            if (receive < 0 || !sent || !worker.progressUntil(() -> received.get() == Status.OK, TIMEOUT)) {
                throw new IllegalStateException("no message: " + endpoint.state() + " " + endpoint.failure());
            }
            System.out.println(inbox.getString(0));
        }
        // @end
    }
}
