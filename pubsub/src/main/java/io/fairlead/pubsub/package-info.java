/**
 * Named topics on the worker API and on nodes: publishers, subscribers, credits, gaps and snapshots.
 *
 * <p>A {@link io.fairlead.pubsub.Publisher} owns {@linkplain io.fairlead.pubsub.Topic topics} and a listener; a
 * {@link io.fairlead.pubsub.Subscriber} connects and holds {@linkplain io.fairlead.pubsub.Subscription subscriptions}.
 * Each belongs to the thread of the worker that it was made with, and does its work inside that worker's
 * {@link io.fairlead.Worker#progress()}:
 *
 * {@snippet file="io/fairlead/pubsub/PubSubExamples.java" region="subscriber"}
 *
 * <p>{@link io.fairlead.pubsub.NodePublisher} and {@link io.fairlead.pubsub.NodeSubscriber} are the same on a node, for any thread.
 *
 * <p>A topic may keep a snapshot for subscribers that join late:
 *
 * {@snippet file="io/fairlead/pubsub/PubSubExamples.java" region="snapshot"}
 *
 * <p>A subscriber gets every message of a topic from the one it joined at, in order and once. If it misses some, the exact range of sequence
 * numbers is reported before the next message. Only after a restart of the publisher is their number unknown, which is reported too.
 */
@NullMarked
package io.fairlead.pubsub;

import org.jspecify.annotations.NullMarked;
