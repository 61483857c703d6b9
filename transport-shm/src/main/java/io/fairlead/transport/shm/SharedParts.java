package io.fairlead.transport.shm;

/**
 * What the workers of a context have in common.
 *
 * @param lifeline notices the ends of processes
 * @param probe the word that peers try to read
 * @param regions passes the context's regions
 * @param place where peers listen
 * @param rule whom this process shares memory with
 * @param mayRead whether long messages are to be read from their sender's memory
 * @param singleCopy whether this side lets peers read shorter ones too
 */
record SharedParts(
        Lifeline lifeline,
        ReachProbe probe,
        RegionServer regions,
        SocketPlace place,
        SharingRule rule,
        boolean mayRead,
        boolean singleCopy) {}
