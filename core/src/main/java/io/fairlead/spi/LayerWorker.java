package io.fairlead.spi;

import io.fairlead.ActiveMessage;
import io.fairlead.ActiveMessageHandler;
import io.fairlead.Endpoint;
import io.fairlead.Incubating;
import io.fairlead.Worker;

/**
 * A worker as layers between it and the application see it. They have handler numbers of their own for active messages,
 * which no application registers. Every worker of Fairlead implements it. Belongs to the worker's thread.
 */
@Incubating
public interface LayerWorker extends Worker {
    /** The first handler number of layers. */
    int LAYER_HANDLER_MIN = ActiveMessage.HANDLER_MAX + 1;

    /** The greatest handler number of layers. */
    int LAYER_HANDLER_MAX = 255;

    /**
     * Registers the handler of a layer's number, as {@link Worker#register} does for the application's. It takes the
     * messages of {@linkplain LayerHandler#isExclusive() exclusive} endpoints too. The context's
     * {@link io.fairlead.Authorizer} is not asked about them: the layer does that itself.
     *
     * @param number {@link #LAYER_HANDLER_MIN} to {@link #LAYER_HANDLER_MAX}
     * @param handler called with each message of the number
     * @throws IllegalArgumentException if the number is out of range
     * @throws IllegalStateException if the number has a handler
     */
    void registerLayer(int number, ActiveMessageHandler handler);

    /**
     * Registers the handler of a layer's number for one endpoint, until the endpoint has ended. It takes the messages
     * of the number that no handler of the whole worker takes. An endpoint has one such handler; the last one counts.
     *
     * @param number {@link #LAYER_HANDLER_MIN} to {@link #LAYER_HANDLER_MAX}
     * @param endpoint an endpoint of this worker
     * @param handler called with each message of the number from the endpoint
     * @throws IllegalArgumentException if the number is out of range
     */
    void registerLayer(int number, Endpoint endpoint, ActiveMessageHandler handler);

    /**
     * Removes the handler of a layer's number. Does nothing if there is none.
     *
     * @param number {@link #LAYER_HANDLER_MIN} to {@link #LAYER_HANDLER_MAX}
     * @throws IllegalArgumentException if the number is out of range
     */
    void unregisterLayer(int number);

    /**
     * Whether a connection of this worker's listeners is being made whose connector may have sent messages already: it may be connected on its side before the
     * handler here is notified.
     *
     * @return false if every connector that is connected has its endpoint here
     */
    boolean isAccepting();

    /**
     * Accepts no further connections, but those that a peer makes again for an endpoint whose connection has broken. Connections that are being made go
     * on. Idempotent.
     */
    void stopAccepting();
}
