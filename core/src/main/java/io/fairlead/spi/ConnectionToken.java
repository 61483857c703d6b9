package io.fairlead.spi;

/**
 * A random number that identifies one connection. Each side draws one half and sends it in the handshake, so that a message which was recorded on one
 * connection is not valid on another. The token is not a secret: whoever reads the handshake knows it. Immutable.
 *
 * @param connector the half that the connecting side drew
 * @param listener the half that the listening side drew
 */
public record ConnectionToken(long connector, long listener) {}
