package io.fairlead.transport.tcp;

/**
 * The configuration of a context's endpoints.
 *
 * @param sendBuffer bytes of the socket's send buffer, or 0 for the system's default
 * @param receiveBuffer bytes of the socket's receive buffer, or 0 for the system's default
 * @param queueBytes copied bytes that may wait for the socket of one endpoint
 * @param checksum whether this side wants checksums
 */
record TcpSettings(int sendBuffer, int receiveBuffer, int queueBytes, boolean checksum) {}
