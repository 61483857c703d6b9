package io.fairlead.transport.ucx;

/**
 * What the endpoints of one worker share.
 *
 * @param requests of UCX's
 * @param messages this transport's own, those that are not in use
 * @param unmatched the application's, that UCX has matched with no receive
 * @param kept of those, the ones whose endpoint has ended
 * @param wireUps how endpoints are connected
 */
record WorkerParts(
        UcxRequests requests,
        MessagePool messages,
        UnmatchedMessages unmatched,
        KeptMessages kept,
        WireUpParts wireUps) {}
