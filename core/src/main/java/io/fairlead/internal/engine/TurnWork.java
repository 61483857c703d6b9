package io.fairlead.internal.engine;

/**
 * What a worker's next turn has to do besides its transports. The parts of the worker count and mark their work here,
 * so an idle turn reads a few fields. On the worker's thread.
 */
final class TurnWork {
    /** Queued completions, signals and active messages. */
    int calls;
    /** The active messages among them. */
    int messages;
    /** The connections have work besides the periodic one. */
    boolean connections;
    /** Tasks or a close of the worker follow the turn. */
    boolean following;
}
