/** The loopback reference transport and the fault-injecting decorator. */
@NullMarked
package io.fairlead.testkit;

import org.jspecify.annotations.NullMarked;
