/** The contract that every transport is held to, as JUnit suites that run over any of them. */
@NullMarked
package io.fairlead.testkit.contract;

import org.jspecify.annotations.NullMarked;
