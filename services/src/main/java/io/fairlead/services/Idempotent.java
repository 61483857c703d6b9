package io.fairlead.services;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method of a typed service that does the same if it gets a call twice, such as a query. The {@code RetryPolicy} of a set of peers may send such a call again
 * although a member may have carried it out. Opening a stream is never repeated so.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Idempotent {}
