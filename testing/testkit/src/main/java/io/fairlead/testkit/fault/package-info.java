/** Fault injection: a provider that wraps any transport and makes it fail at operations that a test chooses. */
@NullMarked
package io.fairlead.testkit.fault;

import org.jspecify.annotations.NullMarked;
