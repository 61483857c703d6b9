package io.fairlead.spring.test;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/** Starts the contexts of {@link FairleadTest}, with its properties. */
final class FairleadTestBootstrapper extends TestSliceTestContextBootstrapper<FairleadTest> {
    /** For Spring. */
    FairleadTestBootstrapper() {}
}
