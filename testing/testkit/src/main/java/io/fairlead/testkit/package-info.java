/** Support for tests of transports and of what is built on them. */
@NullMarked
package io.fairlead.testkit;

import org.jspecify.annotations.NullMarked;
