package io.fairlead.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Has a method of a bean called with the messages of a topic. The method returns nothing and has one parameter: {@code byte[]}, {@code MemorySegment},
 * {@code String} (UTF-8), {@link TopicMessage}, or a type that a {@link PayloadConverter} of the application makes. The message is the method's to keep.
 *
 * {@snippet file="io/fairlead/spring/samples/PriceBoard.java" region="listener"}
 *
 * <p>What the method throws is logged, counted and observed, and the next message follows. A listener begins when the application has started, ends
 * before anything else is closed, and connects again whenever its publisher is lost. Messages that were published meanwhile are missed, which is logged.
 *
 * <p>Back-pressure: a listener has a connection of its own. When {@code fairlead.spring.listener.queue-max} messages wait for its threads it takes no more from
 * its publisher, whose topic then does what its {@code SlowPolicy} says; other listeners go on.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface FairleadListener {
    /**
     * The topic's name.
     *
     * @return may hold placeholders such as {@code ${prices.topic}}
     */
    String topic();

    /**
     * What logs, health and observations call it.
     *
     * @return empty for the names of bean and method
     */
    String id() default "";

    /**
     * Where the publisher is found.
     *
     * @return host and port, or the name of a service such as {@code dns:feed.prod:7400}; may hold placeholders; empty for {@code fairlead.spring.subscriber.address}
     */
    String address() default "";

    /**
     * Threads that call the method at the same time. With one, messages are handled in the order in which they were published.
     *
     * @return 1 to 256; 0 for {@code fairlead.spring.listener.concurrency}
     */
    int concurrency() default 0;
}
