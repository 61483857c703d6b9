package io.fairlead.transport.ucx;

import java.util.Map;

/** The cases that do not run over RDMA, and why. */
final class RdmaExclusions {
    /** By class and method. */
    static final Map<String, String> CASES = Map.of(
            "UcxTaggedSizeContractTest.shouldKeepPayloadOfUnmatchedRendezvousMessagesAtSender",
            "moves a GiB in the end, for which an emulated processor takes the better part of an hour");

    private RdmaExclusions() {}
}
