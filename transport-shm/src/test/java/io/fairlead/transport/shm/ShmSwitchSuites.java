package io.fairlead.transport.shm;

import io.fairlead.testkit.contract.ActiveMessageContract;
import io.fairlead.testkit.contract.CompletionContract;
import io.fairlead.testkit.contract.ContractSuites;
import io.fairlead.testkit.contract.RemoteAtomicContract;
import io.fairlead.testkit.contract.RemoteMemoryModelContract;
import io.fairlead.testkit.contract.RemoteSignalContract;
import io.fairlead.testkit.contract.TaggedModelContract;
import io.fairlead.testkit.contract.TaggedOrderContract;
import io.fairlead.testkit.contract.TaggedSendContract;
import org.junit.platform.suite.api.ConfigurationParameter;
import org.junit.platform.suite.api.IncludeEngines;
import org.junit.platform.suite.api.SelectClasses;
import org.junit.platform.suite.api.Suite;

/**
 * Suites over endpoints that leave their rings for TCP, or return to them, every 50 ms. The others take too long for each run: {@code ./fairlead test
 * transport-shm -Dfairlead.contract.switch-every-ms=50} runs all.
 */
@Suite
@IncludeEngines("junit-jupiter")
@SelectClasses({
    ActiveMessageContract.class,
    CompletionContract.class,
    RemoteAtomicContract.class,
    RemoteMemoryModelContract.class,
    RemoteSignalContract.class,
    TaggedModelContract.class,
    TaggedOrderContract.class,
    TaggedSendContract.class
})
@ConfigurationParameter(key = ContractSuites.TRANSPORT, value = "io.fairlead.transport.shm.ShmUnderTest")
final class ShmSwitchSuites {}
