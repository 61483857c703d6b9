package io.fairlead.transport.shm;

import io.fairlead.testkit.contract.ActiveMessagePayloadContract;
import io.fairlead.testkit.contract.ContractSuites;
import io.fairlead.testkit.contract.RemoteAtomicContract;
import io.fairlead.testkit.contract.RemoteMemoryContract;
import io.fairlead.testkit.contract.TaggedOrderContract;
import org.junit.platform.suite.api.ConfigurationParameter;
import org.junit.platform.suite.api.ExcludeTags;
import org.junit.platform.suite.api.IncludeEngines;
import org.junit.platform.suite.api.SelectClasses;
import org.junit.platform.suite.api.Suite;

/**
 * Suites whose servers are in another process, for a run that puts it into namespaces as a container has them. One suite of each kind of operation, so
 * that all runs have time for them: messages in order, handlers' payloads, put and get in regions that are passed by descriptor, and atomics there.
 * {@link ShmContainersMoreTest} has the others.
 */
@Suite
@IncludeEngines("junit-jupiter")
@ExcludeTags("one-process")
@SelectClasses({
    ActiveMessagePayloadContract.class,
    RemoteAtomicContract.class,
    RemoteMemoryContract.class,
    TaggedOrderContract.class
})
@ConfigurationParameter(key = ContractSuites.TRANSPORT, value = "io.fairlead.transport.shm.ShmUnderTest")
@ConfigurationParameter(key = "fairlead.contract.servers-apart", value = "true")
final class ShmContainersServerTest {}
