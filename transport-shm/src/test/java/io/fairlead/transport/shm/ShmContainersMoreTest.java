package io.fairlead.transport.shm;

import io.fairlead.testkit.contract.ActiveMessageContract;
import io.fairlead.testkit.contract.ContractSuites;
import io.fairlead.testkit.contract.FailureContract;
import io.fairlead.testkit.contract.RemoteMemoryModelContract;
import io.fairlead.testkit.contract.RemoteSignalContract;
import io.fairlead.testkit.contract.TaggedDeliveryContract;
import io.fairlead.testkit.contract.TaggedMaskContract;
import io.fairlead.testkit.contract.TaggedProbeContract;
import io.fairlead.testkit.contract.TaggedTruncationContract;
import org.junit.platform.suite.api.ConfigurationParameter;
import org.junit.platform.suite.api.ExcludeTags;
import org.junit.platform.suite.api.IncludeEngines;
import org.junit.platform.suite.api.SelectClasses;
import org.junit.platform.suite.api.Suite;

/** What {@link ShmContainersServerTest} leaves to runs with {@code -Dfairlead.shm.containers.without=none}. */
@Suite
@IncludeEngines("junit-jupiter")
@ExcludeTags("one-process")
@SelectClasses({
    ActiveMessageContract.class,
    FailureContract.class,
    RemoteMemoryModelContract.class,
    RemoteSignalContract.class,
    TaggedDeliveryContract.class,
    TaggedMaskContract.class,
    TaggedProbeContract.class,
    TaggedTruncationContract.class
})
@ConfigurationParameter(key = ContractSuites.TRANSPORT, value = "io.fairlead.transport.shm.ShmUnderTest")
@ConfigurationParameter(key = "fairlead.contract.servers-apart", value = "true")
final class ShmContainersMoreTest {}
