package io.fairlead.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Makes clients of typed services beans of the application. It stands on a configuration class, and may be repeated. The bean of an interface
 * {@code Orders} is called {@code ordersClient}.
 *
 * {@snippet file="io/fairlead/spring/orders/OrderDesk.java" region="clients"}
 *
 * <p>A call goes to one member of the set, and waits for one for {@code node.wait-timeout} if none is connected.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(ImportFairleadClients.Several.class)
@Import(ClientRegistrar.class)
@SuppressWarnings("exports") // Spring alone looks at the registrar.
public @interface ImportFairleadClients {
    /**
     * The set whose members serve the interfaces.
     *
     * @return a name in {@code fairlead.spring.sets}
     */
    String set();

    /**
     * The interfaces of the services.
     *
     * @return one or more
     */
    Class<?>[] types();

    /**
     * The name of the codec.
     *
     * @return as {@link FairleadService#codec()}
     */
    String codec() default "";

    /**
     * How long a call may take.
     *
     * @return a time with its unit, such as {@code 2 s}; may hold placeholders; empty for the bean of type {@code ClientOptions}, or 10 s without one
     */
    String deadline() default "";

    /** More than one of them. */
    @Documented
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    @Import(ClientRegistrar.class)
    @SuppressWarnings("exports")
    @interface Several {
        /**
         * The annotations.
         *
         * @return in their order
         */
        ImportFairleadClients[] value();
    }
}
