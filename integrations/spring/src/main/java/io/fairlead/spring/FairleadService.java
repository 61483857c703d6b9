package io.fairlead.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.stereotype.Component;

/**
 * Has the application's node serve a bean as a typed service, under the rules of {@code io.fairlead.services.TypedServices}. On a class it makes the
 * class a component, which component scanning finds; it may also stand on a {@code @Bean} method.
 *
 * {@snippet file="io/fairlead/spring/orders/OrderDesk.java" region="service"}
 *
 * <p>Calls are taken when the application has started, and not any more when it ends; the calls that run then are answered. Methods run on virtual
 * threads, many at once, and may block. A bean of type {@code ServeOptions} sets other options for all services.
 */
@Documented
@Component
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface FairleadService {
    /**
     * The interface that callers use.
     *
     * @return {@code void.class} for the only interface that the bean's class names itself
     */
    Class<?> type() default void.class;

    /**
     * The name of the codec that carries arguments and results.
     *
     * @return such as {@code json} or {@code protobuf}; empty for the only {@code PayloadCodec} bean, or the primary one
     */
    String codec() default "";
}
