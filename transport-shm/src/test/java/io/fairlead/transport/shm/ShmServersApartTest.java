package io.fairlead.transport.shm;

import io.fairlead.testkit.contract.ActiveMessageContract;
import io.fairlead.testkit.contract.ActiveMessagePayloadContract;
import io.fairlead.testkit.contract.ContractSuites;
import io.fairlead.testkit.contract.FailureContract;
import io.fairlead.testkit.contract.GracefulCloseContract;
import io.fairlead.testkit.contract.LivenessContract;
import io.fairlead.testkit.contract.RemoteAtomicContract;
import io.fairlead.testkit.contract.RemoteMemoryContract;
import io.fairlead.testkit.contract.RemoteMemoryModelContract;
import io.fairlead.testkit.contract.RemoteSignalContract;
import io.fairlead.testkit.contract.TaggedDeliveryContract;
import io.fairlead.testkit.contract.TaggedMaskContract;
import io.fairlead.testkit.contract.TaggedOrderContract;
import io.fairlead.testkit.contract.TaggedProbeContract;
import io.fairlead.testkit.contract.TaggedTruncationContract;
import org.junit.platform.suite.api.ConfigurationParameter;
import org.junit.platform.suite.api.IncludeEngines;
import org.junit.platform.suite.api.SelectClasses;
import org.junit.platform.suite.api.Suite;

/** Suites of the contract with their servers in another process, for a run that puts it into namespaces as a container has them. */
@Suite
@IncludeEngines("junit-jupiter")
@SelectClasses({
    ActiveMessageContract.class,
    ActiveMessagePayloadContract.class,
    FailureContract.class,
    GracefulCloseContract.class,
    LivenessContract.class,
    RemoteAtomicContract.class,
    RemoteMemoryContract.class,
    RemoteMemoryModelContract.class,
    RemoteSignalContract.class,
    TaggedDeliveryContract.class,
    TaggedMaskContract.class,
    TaggedOrderContract.class,
    TaggedProbeContract.class,
    TaggedTruncationContract.class
})
@ConfigurationParameter(key = ContractSuites.TRANSPORT, value = "io.fairlead.transport.shm.ShmContainersUnderTest")
@ConfigurationParameter(key = "fairlead.contract.servers-apart", value = "true")
final class ShmServersApartTest {}
