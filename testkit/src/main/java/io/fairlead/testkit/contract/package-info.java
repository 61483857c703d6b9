/** The contract that every transport is held to, as JUnit suites to extend. */
@NullMarked
package io.fairlead.testkit.contract;

import org.jspecify.annotations.NullMarked;
