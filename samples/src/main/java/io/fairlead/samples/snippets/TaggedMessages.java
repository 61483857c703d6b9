package io.fairlead.samples.snippets;

import io.fairlead.Completion;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.Worker;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicBoolean;

/** A tagged message on the worker API. */
public final class TaggedMessages {
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
            Listener listener =
                    worker.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), EndpointHandler.NONE);
            Endpoint endpoint = worker.connect(listener.address(), EndpointHandler.NONE);
            while (endpoint.state() == EndpointState.CONNECTING) {
                worker.progress();
            }

            MemorySegment inbox = arena.allocate(64);
            AtomicBoolean received = new AtomicBoolean();
            worker.receive(inbox, 7, request -> received.set(true));

            MemorySegment message = arena.allocateFrom("hello, worker");
            endpoint.send(message, 7, Completion.IGNORE);
            while (!received.get()) {
                worker.progress();
            }
            System.out.println(inbox.getString(0));
        }
        // @end
    }
}
