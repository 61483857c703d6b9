/** The contract that every transport must keep, as JUnit suites that run on any of them. Begin with {@link io.fairlead.testkit.contract.ContractSuites}. */
@NullMarked
package io.fairlead.testkit.contract;

import org.jspecify.annotations.NullMarked;
