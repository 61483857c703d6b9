/** Parameters of JUnit tests: nodes of a service and its caller. */
@NullMarked
package io.fairlead.servicetest.junit;

import org.jspecify.annotations.NullMarked;
