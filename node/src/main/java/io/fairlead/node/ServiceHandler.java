package io.fairlead.node;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.Function;

/**
 * Answers the requests of a service. Called by the service's executor, for several requests at a time unless {@link ServiceOptions} bound them to one.
 *
 * @see Node#serve(long, ServiceHandler)
 */
@FunctionalInterface
public interface ServiceHandler {
    /**
     * Takes a request. It may answer in the call, or later from any thread. It should answer each request: a forgotten one ends at its deadline.
     *
     * @param request the request, whose memory is the handler's until it has answered
     * @throws Exception fails the request, unless it is answered: with the status and text of a {@link RequestException}, any other with
     *     {@link RequestStatus#FAILED} and the exception's name and message, and a line in the log
     */
    void handle(ServiceRequest request) throws Exception;

    /**
     * A handler that replies with what a function returns.
     *
     * @param function the reply of a request; what it throws fails the request
     * @return replies in the call
     */
    static ServiceHandler replying(Function<? super ServiceRequest, ? extends MemorySegment> function) {
        Objects.requireNonNull(function, "function");
        return request -> request.reply(function.apply(request));
    }
}
