package io.fairlead.testkit.contract;

/**
 * Two connected ends.
 *
 * @param server the end of the listener
 * @param client the end that connected
 */
public record Pair(End server, End client) {}
