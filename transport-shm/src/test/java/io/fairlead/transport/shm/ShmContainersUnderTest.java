package io.fairlead.transport.shm;

import io.fairlead.Capability;
import io.fairlead.FairleadConfig;
import io.fairlead.PathClass;
import io.fairlead.spi.TransportProvider;
import io.fairlead.testkit.contract.TransportUnderTest;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The transport over shared memory between containers of a pod, which have the network namespace in common and nothing is configured for. */
final class ShmContainersUnderTest implements TransportUnderTest {
    /** Cases of the suites in {@link ShmServersApartTest}. */
    private static final List<String> WITHOUT_SERVER = List.of(
            "FailureContract.shouldRefuseTheKeyOfAPastIncarnation",
            "GracefulCloseContract.shouldCloseAWorkerThoughItsPeersDoNotHangUp",
            "GracefulCloseContract.shouldDeliverALongerMessageBehindManyShortOnesBeforeAClose",
            "GracefulCloseContract.shouldDeliverAllBeforeACloseThoughThePeerSendsMeanwhile",
            "GracefulCloseContract.shouldDeliverAllBeforeTheCloseOfAWorkerThoughThePeerSendsMeanwhile",
            "GracefulCloseContract.shouldDeliverSignalsBeforeTheEnd",
            "GracefulCloseContract.shouldDeliverWhatWasSentBeforeAClose",
            "GracefulCloseContract.shouldFailToConnectWhenTheHandlerIsTold",
            "GracefulCloseContract.shouldFinishALongMessageBeforeAClose",
            "GracefulCloseContract.shouldNotWaitForALongMessageThatItReceives",
            "GracefulCloseContract.shouldSayGoodbyeThoughOperationsWaitUntilTheTimeIsOver",
            "LivenessContract.shouldConnectInSpiteOfAStallOfItsOwn",
            "LivenessContract.shouldGiveUpConnectingInLongTurns",
            "LivenessContract.shouldKeepAPeerThatStandsStillForLessThanTheStallTimeout",
            "LivenessContract.shouldKeepAPeerWhoseTurnsAreBusyAndLong",
            "LivenessContract.shouldKeepItsEndpointsWhenItStoodStillUnderTraffic",
            "LivenessContract.shouldNotBlameThePeerForAStallOfItsOwn",
            "LivenessContract.shouldRefuseAStallTimeoutBelowTheLivenessTimeout");

    private final TransportProvider provider = new ShmProvider();

    @Override
    public TransportProvider provider() {
        return provider;
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.allOf(Capability.class);
    }

    @Override
    public PathClass pathClass() {
        return PathClass.SHARED_MEMORY;
    }

    /** The choice of one copy is the processors' otherwise. */
    @Override
    public FairleadConfig configure(FairleadConfig base) {
        return base.with(ShmKeys.ONE_COPY, "always");
    }

    @Override
    public Map<String, String> leftOut() {
        Map<String, String> leftOut = new HashMap<>();
        WITHOUT_SERVER.forEach(name -> leftOut.put(name, "it has no server, or one on a thread of the case's process"));
        leftOut.put("ActiveMessageContract.shouldAllocateNothingForAMessage", "it measures one process");
        leftOut.put(
                "ActiveMessageContract.shouldPutThePayloadBehindTheHeader",
                "it writes to the memory of a message, of which the case has a copy");
        leftOut.put(
                "RemoteAtomicContract.shouldBeAtomicAcrossWorkersOfTarget",
                "its target has two workers, each on a thread of its own");
        return Map.copyOf(leftOut);
    }
}
