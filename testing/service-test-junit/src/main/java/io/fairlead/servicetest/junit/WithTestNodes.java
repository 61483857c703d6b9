package io.fairlead.servicetest.junit;

import io.fairlead.servicetest.TestNodes;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Methods of a test class, or one test, may have a parameter of type {@link TestNodes}. Each test has nodes of its own, which start when the first of its methods
 * asks for them: a {@code @BeforeEach} method, the test or an {@code @AfterEach} method. They are closed after the {@code @AfterEach} methods.
 *
 * <p>The annotation of a test overrides that of its class, and that of a nested class the one around it.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(TestNodesExtension.class)
public @interface WithTestNodes {
    /**
     * How many members the service has.
     *
     * @return 1 and up
     */
    int members() default 1;
}
