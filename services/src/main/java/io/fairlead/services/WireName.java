package io.fairlead.services;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The name of a service or of one of its methods between processes. Without it a service has the full name of its interface, and a method its own name.
 * Keep it when an interface or method is renamed, so that older callers still find it.
 */
@Documented
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface WireName {
    /**
     * The name.
     *
     * @return 1 to 200 characters, neither blank nor with a slash
     */
    String value();
}
