/** What the suites of the worker API and those of the layers share, and nobody else sees. */
@NullMarked
package io.fairlead.testkit.internal;

import org.jspecify.annotations.NullMarked;
