package io.fairlead.pubsub;

import io.fairlead.EndpointHandler;
import io.fairlead.FairleadException;
import io.fairlead.Worker;
import io.fairlead.pubsub.internal.LivePublisher;
import io.fairlead.spi.host.HostPort;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * Publishes named topics to any number of subscribers. Implemented by Fairlead only.
 *
 * <p>Belongs to its worker's thread, and is {@linkplain Worker#attach attached} to the worker: {@link Worker#progress()} sends what was
 * published, serves joins and calls the events. An exception of an event is logged and has no other effect. Receives of any source on the
 * same worker take none of its messages. If the endpoints belong to a listener of the application, its receives must not match tags
 * whose first four bits are 0xB to 0xD.
 *
 * {@snippet file="io/fairlead/pubsub/PubSubExamples.java" region="publisher"}
 */
public interface Publisher extends AutoCloseable {
    /**
     * Makes a publisher that listens, with default bounds.
     *
     * @param worker the worker of the calling thread
     * @param address where to listen; port 0 takes a free one
     * @return the publisher, accepting as the worker makes progress
     * @throws FairleadException {@code ADDRESS_UNAVAILABLE} or {@code UNKNOWN_HOST}
     */
    static Publisher listen(Worker worker, InetSocketAddress address) {
        return listen(worker, address, PublisherOptions.defaults());
    }

    /**
     * Makes a publisher that listens at an address that is written as text, with default bounds.
     *
     * @param worker the worker of the calling thread
     * @param address {@code HOST:PORT} or {@code [IPV6]:PORT}; port 0 takes a free one
     * @return the publisher, accepting as the worker makes progress
     * @throws FairleadException {@code ADDRESS_UNAVAILABLE} or {@code UNKNOWN_HOST}
     * @throws IllegalArgumentException if the text is no host and port
     */
    static Publisher listen(Worker worker, String address) {
        return listen(worker, HostPort.resolve(address, 0));
    }

    /**
     * Makes a publisher that listens. A subscriber that asks for a topic before it is made asks again, for {@link SubscriptionOptions#topicTimeout()}.
     *
     * @param worker the worker of the calling thread
     * @param address where to listen; port 0 takes a free one
     * @param options its bounds
     * @return the publisher, accepting as the worker makes progress
     * @throws FairleadException {@code ADDRESS_UNAVAILABLE} or {@code UNKNOWN_HOST}
     */
    static Publisher listen(Worker worker, InetSocketAddress address, PublisherOptions options) {
        return LivePublisher.listen(worker, address, options);
    }

    /**
     * Makes a publisher for endpoints of a listener that the caller owns: pass {@link #endpointHandler()} to
     * {@link Worker#listen}, or call its methods for the endpoints that are subscribers.
     *
     * @param worker the worker of the calling thread
     * @param options its bounds
     * @return the publisher
     */
    static Publisher attach(Worker worker, PublisherOptions options) {
        return LivePublisher.attach(worker, options);
    }

    /**
     * Creates a topic.
     *
     * @param name its name, 1 to 200 bytes of UTF-8 without control characters
     * @param options how it behaves
     * @return the topic, open for subscribers
     * @throws IllegalArgumentException if the name is not allowed, or is that of an open topic
     * @throws IllegalStateException if the publisher is closed
     * @throws FairleadException {@code LIMIT_REACHED} with too many topics, {@code REGISTRATION_FAILED} if the snapshot's memory
     *     region cannot be made
     */
    Topic topic(String name, TopicOptions options);

    /**
     * Creates a topic with default options.
     *
     * @param name its name
     * @return the topic
     * @throws IllegalArgumentException as {@link #topic(String, TopicOptions)}
     * @throws FairleadException as {@link #topic(String, TopicOptions)}
     */
    default Topic topic(String name) {
        return topic(name, TopicOptions.defaults());
    }

    /**
     * Whether every subscriber has been sent everything that was published, and the transport is done with it. That says
     * nothing about what subscribers have consumed.
     *
     * @return true if nothing waits
     */
    boolean drained();

    /**
     * The identity of this publisher, by which subscribers distinguish a restart from a reconnect.
     *
     * @return a random number other than 0
     */
    long epoch();

    /**
     * The address at which it listens.
     *
     * @return the address with the port that was taken
     * @throws IllegalStateException if it was made with {@link #attach}
     */
    InetSocketAddress address();

    /**
     * What makes endpoints subscribers of this publisher.
     *
     * @return always the same
     */
    EndpointHandler endpointHandler();

    /**
     * The subscribers of all topics now. Allocates.
     *
     * @return a copy, topic by topic
     */
    List<SubscriberStats> subscribers();

    /**
     * Starts to close as {@link #close()} does, and returns: the worker's progress finishes it. Idempotent.
     */
    void startClose();

    /**
     * Stops listening, goes on sending for at most {@code drainTimeout} what subscribers have not been sent, sends them the end, and closes their
     * endpoints and the topics. What was not sent by then is counted by {@link Topic#messagesDropped()} and logged. Idempotent. Makes the worker's progress meanwhile; inside a completion, handler or task of the worker it only
     * starts to close. Closing the worker closes the publisher too, without the time to drain.
     */
    @Override
    void close();
}
