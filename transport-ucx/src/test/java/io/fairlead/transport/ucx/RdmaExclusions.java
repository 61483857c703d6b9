package io.fairlead.transport.ucx;

import java.util.Map;

/** The cases that do not run over RDMA, and why. */
final class RdmaExclusions {
    private static final String CARD_REFUSES =
            "the network card refuses what comes for a region that is closed, and ends the connection with it:"
                    + " InfiniBand has no milder answer, so that PEER_FAILED is told where the case wants REVOKED";

    private static final String CARD_KEEPS =
            "the network card keeps registered pages until the region is closed, whoever gives the memory back before that";

    private static final String UCX_READS_LATER =
            "what UCX could not send at once it reads in later progress, and memory that another thread has closed by then ends the"
                    + " process, as freed memory does in C; nothing in Java keeps it open that long";

    private static final String CONNECTS_WHEN_CLOSED =
            "UCX ends a process that destroys a worker whose connection message is queued, and over an emulated card some are for"
                    + " longer than a close waits: such a worker stays, with 11 descriptors (N-16)";

    private static final String ONE_NETWORK =
            "the guest's RDMA devices are of one network namespace, and the suite wants a second";

    /** By suite and method. */
    static final Map<String, String> CASES = Map.ofEntries(
            Map.entry("HostLossContract.shouldTakeAVanishedHostForLost", ONE_NETWORK),
            Map.entry("HostLossContract.shouldTakeAHostForLostWhoseWireIsPulled", ONE_NETWORK),
            Map.entry("HostLossContract.shouldTakeAHostForLostThatVanishesUnderTraffic", ONE_NETWORK),
            Map.entry("HostLossContract.shouldTakeAHostForLostThatVanishesWhileItsProcessReadsNothing", ONE_NETWORK),
            Map.entry(
                    "TaggedSizeContract.shouldKeepPayloadOfUnmatchedRendezvousMessagesAtSender",
                    "moves a GiB in the end, for which an emulated processor takes the better part of an hour"),
            Map.entry("RemoteKeyContract.shouldEndOperationsThatTargetRefused", CARD_REFUSES),
            Map.entry("RemoteKeyContract.shouldLeaveOtherRegionsAsTheyWere", CARD_REFUSES),
            Map.entry("RemoteKeyContract.shouldNotTouchMemoryThatOtherThreadCloses", CARD_REFUSES),
            Map.entry("RemoteKeyContract.shouldRefuseKeyUnpackedAfterRevocation", CARD_REFUSES),
            Map.entry("RemoteRegionContract.shouldServeRegionOfClosedMemoryAsAClosedOne", CARD_KEEPS),
            Map.entry("RemoteRegionContract.shouldSurviveThatOtherThreadClosesLocalMemory", UCX_READS_LATER),
            Map.entry("RemoteSignalContract.shouldNotDeliverValueOfRefusedData", CARD_REFUSES));

    /** Those of the layers, whose suites are not on the path of this module. */
    static final Map<String, String> LAYERS = Map.of(
            "NodeListenerContract.shouldCloseWhileConnectionsAreMade", CONNECTS_WHEN_CLOSED,
            "NodeMemoryContract.shouldGoOnWhenItsOwnerClosesTheMemoryOfARegion", CARD_KEEPS,
            "NodeMemoryContract.shouldTellWhenRegionIsClosed", CARD_REFUSES);

    private RdmaExclusions() {}
}
