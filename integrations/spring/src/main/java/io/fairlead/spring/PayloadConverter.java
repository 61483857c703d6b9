package io.fairlead.spring;

import java.lang.reflect.Type;

/**
 * Makes the parameter of a {@link FairleadListener} of a message. A bean of this type is asked for every parameter type that the starter does not know; the first
 * that supports it, in the order of the beans, is used. Must be thread-safe.
 */
public interface PayloadConverter {
    /**
     * Whether this converter makes values of a type.
     *
     * @param type of a method's parameter, with its type arguments
     * @return true if it does
     */
    boolean supports(Type type);

    /**
     * Makes a value. What this throws counts as an error of the listener.
     *
     * @param message the message
     * @param type one that is supported
     * @return what the method is called with
     */
    Object convert(TopicMessage message, Type type);
}
