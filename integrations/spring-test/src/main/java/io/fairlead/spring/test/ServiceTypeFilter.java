package io.fairlead.spring.test;

import io.fairlead.spring.FairleadService;
import java.util.Set;
import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;

/** Leaves out the components of an application that are no typed services. */
final class ServiceTypeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<FairleadTest> {
    /** For Spring, which knows the parameter. */
    ServiceTypeFilter(Class<?> testClass) {
        super(testClass);
    }

    @Override
    protected Set<Class<?>> getKnownIncludes() {
        return Set.of(FairleadService.class);
    }
}
