package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.testkit.contract.TransportContract;
import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is left out over RDMA is pinned here, so that no case goes missing unnoticed. */
@Timeout(60)
final class RdmaExclusionsTest {
    @Test
    void shouldLeaveOutNothingButWhatIsPinned() {
        assertEquals(
                Set.of(
                        "TaggedSizeContract.shouldKeepPayloadOfUnmatchedRendezvousMessagesAtSender",
                        "RemoteKeyContract.shouldEndOperationsThatTargetRefused",
                        "RemoteKeyContract.shouldLeaveOtherRegionsAsTheyWere",
                        "RemoteKeyContract.shouldNotTouchMemoryThatOtherThreadCloses",
                        "RemoteKeyContract.shouldRefuseKeyUnpackedAfterRevocation",
                        "HostLossContract.shouldTakeAVanishedHostForLost",
                        "HostLossContract.shouldTakeAHostForLostWhoseWireIsPulled",
                        "HostLossContract.shouldTakeAHostForLostThatVanishesUnderTraffic",
                        "HostLossContract.shouldTakeAHostForLostThatVanishesWhileItsProcessReadsNothing",
                        "RemoteRegionContract.shouldServeRegionOfClosedMemoryAsAClosedOne",
                        "RemoteRegionContract.shouldSurviveThatOtherThreadClosesLocalMemory",
                        "RemoteSignalContract.shouldNotDeliverValueOfRefusedData"),
                RdmaExclusions.CASES.keySet());
        assertEquals(
                Set.of(
                        "NodeListenerContract.shouldCloseWhileConnectionsAreMade",
                        "NodeMemoryContract.shouldGoOnWhenItsOwnerClosesTheMemoryOfARegion",
                        "NodeMemoryContract.shouldTellWhenRegionIsClosed"),
                RdmaExclusions.LAYERS.keySet());
    }

    @Test
    void shouldLeaveOutNothingElseWithinAHost() {
        assertEquals(
                Set.of(
                        "FaultRoundsContract",
                        "ProcessContract.shouldKeepOtherPeersWhenProcessesAreKilledWhileTheySend"),
                UcxUnderTest.LEFT_OUT_WITHIN_A_HOST.keySet());
    }

    @Test
    void shouldFindTheSuites() {
        assertTrue(RdmaSuites.all().contains("RemoteMemoryContract"));
        assertTrue(RdmaSuites.all().size() >= 46, RdmaSuites.all()::toString);
    }

    @Test
    void shouldBeginWithTheSuitesThatTakeLongest() {
        assertEquals("ProcessContract", RdmaSuites.all().getFirst());
        assertEquals("WorkerTaskContract", RdmaSuites.all().getLast());
        assertEquals(RdmaSuites.all().stream().distinct().toList(), RdmaSuites.all());
    }

    @Test
    void shouldNameCasesThatExistWithAReason() throws ClassNotFoundException {
        for (Map.Entry<String, String> entry : RdmaExclusions.CASES.entrySet()) {
            String[] name = entry.getKey().split("\\.", -1);
            Class<?> suite = Class.forName(TransportContract.class.getPackageName() + "." + name[0]);
            assertTrue(
                    Arrays.stream(suite.getDeclaredMethods())
                            .anyMatch(method -> method.getName().equals(name[1])),
                    entry::toString);
            assertTrue(entry.getValue().length() > 20, entry::toString);
        }
    }

    /** By their sources: the module of the layers is built after this one. */
    @Test
    void shouldNameCasesOfLayersThatExistWithAReason() throws IOException {
        Path suites = RepositoryRoot.path().resolve("testing/layers/src/main/java/io/fairlead/testkit/layers");
        for (Map.Entry<String, String> entry : RdmaExclusions.LAYERS.entrySet()) {
            String[] name = entry.getKey().split("\\.", -1);
            String suite = Files.readString(suites.resolve(name[0] + ".java"));
            assertTrue(suite.contains("void " + name[1] + "("), entry::toString);
            assertTrue(entry.getValue().length() > 20, entry::toString);
        }
    }
}
