package io.fairlead.spi;

/**
 * Tells a connection from all others: each side draws its half at random and tells the other in the handshake. What was overheard of one
 * connection and is said again on another meets another half there. It is no secret from whoever reads the handshake.
 *
 * @param connector the half of the side that connected
 * @param listener the half of the side that listened
 */
public record ConnectionToken(long connector, long listener) {}
