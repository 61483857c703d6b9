package io.fairlead.services;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * A method of a typed service.
 *
 * @param method the declaration
 * @param name the names of service and method, with a slash between
 * @param shape how the result comes
 * @param argument the type of its argument, boxed; null if it has none
 * @param result the type of its result or items, boxed; null if it has none
 */
record ServiceMethod(
        Method method,
        String name,
        Shape shape,
        @Nullable Type argument,
        @Nullable Type result) {
    private static final int LABEL_MAX = 64;

    /** How a result comes. */
    enum Shape {
        /** The method blocks and returns it. */
        VALUE,
        /** The method returns its future. */
        FUTURE,
        /** The method returns a publisher of any number. */
        STREAM
    }

    /** The name of this method in metrics: the end of its name where that is long, and empty, for the tag, where metrics do not take it. */
    String label() {
        return label(name);
    }

    /** The same for the requests by which subscribers ask for items, which are counted apart. */
    String streamLabel() {
        return label(name + ".next");
    }

    private static String label(String name) {
        String end = name.substring(Math.max(0, name.length() - LABEL_MAX));
        return end.chars().allMatch(each -> each > ' ' && each < 0x7F) ? end : "";
    }

    /** Whether a call may be carried out twice. */
    boolean isIdempotent() {
        return method.isAnnotationPresent(Idempotent.class);
    }

    /** The tag of its requests. */
    long tag() {
        return MethodTags.of(name);
    }

    /** The tag of the requests by which subscribers ask for items. */
    long streamTag() {
        return MethodTags.of(name + "/next");
    }
}
