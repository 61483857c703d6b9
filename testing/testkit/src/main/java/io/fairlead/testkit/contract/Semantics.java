package io.fairlead.testkit.contract;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Names the sentences of {@code docs/semantics.md} that a contract case proves. */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Semantics {
    /**
     * The numbers of the sentences.
     *
     * @return at least one, such as {@code T-07}
     */
    String[] value();
}
