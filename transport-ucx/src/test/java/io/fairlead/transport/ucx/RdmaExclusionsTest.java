package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
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
                        "UcxTaggedSizeContractTest.shouldKeepPayloadOfUnmatchedRendezvousMessagesAtSender",
                        "UcxRemoteKeyContractTest.shouldEndOperationsThatTargetRefused",
                        "UcxRemoteKeyContractTest.shouldLeaveOtherRegionsAsTheyWere",
                        "UcxRemoteKeyContractTest.shouldNotTouchMemoryThatOtherThreadCloses",
                        "UcxRemoteKeyContractTest.shouldRefuseKeyUnpackedAfterRevocation",
                        "UcxRemoteRegionContractTest.shouldServeRegionOfClosedMemoryAsAClosedOne",
                        "UcxNodeMemoryContractTest.shouldGoOnWhenItsOwnerClosesTheMemoryOfARegion",
                        "UcxRemoteSignalContractTest.shouldNotDeliverValueOfRefusedData",
                        "UcxNodeMemoryContractTest.shouldTellWhenRegionIsClosed"),
                RdmaExclusions.CASES.keySet());
    }

    @Test
    void shouldFindTheSuitesThatMavenRuns() throws IOException {
        assertTrue(RdmaSuites.all().contains("UcxRemoteMemoryContractTest"));
        assertTrue(RdmaSuites.all().size() >= 45, RdmaSuites.all()::toString);
    }

    @Test
    void shouldBeginWithTheSuitesThatTakeLongest() throws IOException {
        assertEquals("UcxProcessContractTest", RdmaSuites.all().getFirst());
        assertEquals("UcxTaggedTruncationContractTest", RdmaSuites.all().getLast());
        assertEquals(RdmaSuites.all().stream().distinct().toList(), RdmaSuites.all());
    }

    @Test
    void shouldNameCasesThatExistWithAReason() throws ClassNotFoundException {
        for (Map.Entry<String, String> entry : RdmaExclusions.CASES.entrySet()) {
            String[] name = entry.getKey().split("\\.", -1);
            Class<?> suite =
                    Class.forName(getClass().getPackageName() + "." + name[0]).getSuperclass();
            assertTrue(
                    Arrays.stream(suite.getDeclaredMethods())
                            .anyMatch(method -> method.getName().equals(name[1])),
                    entry::toString);
            assertTrue(entry.getValue().length() > 20, entry::toString);
        }
    }
}
