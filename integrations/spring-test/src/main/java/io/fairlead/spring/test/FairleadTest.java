package io.fairlead.spring.test;

import io.fairlead.servicetest.MemoryRegistry;
import io.fairlead.spring.FairleadService;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * A test of the typed services of a Spring Boot application, which starts with the beans of {@link FairleadService} alone, and a {@link FairleadTestClient} that
 * calls them. Other components, such as repositories, come from the test: as {@code @MockitoBean}, {@code @Import} or {@code @TestConfiguration}.
 *
 * <p>The node listens on a free port of the loopback address, without security, and is registered nowhere. Each set of {@code fairlead.spring.sets} is the
 * service of its name in {@link MemoryRegistry}: the members of {@code orders} are those of {@code memory:orders}. Nothing else of the application's
 * configuration is changed.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@BootstrapWith(FairleadTestBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(ServiceTypeFilter.class)
@ImportAutoConfiguration
public @interface FairleadTest {
    /**
     * Properties of the test.
     *
     * @return each as {@code name=value}
     */
    String[] properties() default {};

    /**
     * Whether components with {@link FairleadService} are found.
     *
     * @return false for those of {@link #includeFilters()} alone
     */
    boolean useDefaultFilters() default true;

    /**
     * Further components that are found.
     *
     * @return as of a component scan
     */
    ComponentScan.Filter[] includeFilters() default {};

    /**
     * Components that are not found.
     *
     * @return as of a component scan
     */
    ComponentScan.Filter[] excludeFilters() default {};

    /**
     * Auto-configurations of Fairlead's that are left out.
     *
     * @return their classes
     */
    @AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
    Class<?>[] excludeAutoConfiguration() default {};
}
