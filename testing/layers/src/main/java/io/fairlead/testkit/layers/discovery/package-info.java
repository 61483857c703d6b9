/** A registry of services in memory, for tests of applications that find their peers by name. */
@NullMarked
package io.fairlead.testkit.layers.discovery;

import org.jspecify.annotations.NullMarked;
